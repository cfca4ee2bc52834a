// Loops: how often they run, and what masks that change from one iteration to the next select.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "every_way.hpp"

namespace tw = tilewright;
using tw::tests::counted;
using tw::tests::expect_on_every_way;
using tw::tests::expect_on_interpreter_and_host;
using tw::tests::floats;

namespace {

// ---- bounds ----

/// Stores how often a loop runs, and the sum of its running values.
template <class Range>
constexpr void count_into(tw::lang& tl, const tw::ptr<std::int64_t>& out, Range&& range) {
  auto count = tl.full<std::int64_t>(0);
  auto sum = tl.full<std::int64_t>(0);
  for (auto i : range) {
    count += 1;
    sum = sum + i.template to<std::int64_t>();
  }
  tl.store(out, count);
  tl.store(out + 1, sum);
}
struct literal_bounds {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out) {
    count_into(tl, out, tl.range(0, 3));
    count_into(tl, out + 2, tl.range(2, 7));
    count_into(tl, out + 4, tl.range(5, 2));
    count_into(tl, out + 6, tl.range(0, 10, 4));
    count_into(tl, out + 8, tl.range(4));
    count_into(tl, out + 10, tl.range(std::int8_t{1}, 3));
    count_into(tl, out + 12, tl.range(true, 3L));
  }
};
TEST(Bounds, TwoLiterals) {
  const std::vector<std::int64_t> want = {3, 3, 5, 20, 0, 0, 3, 12, 4, 6, 2, 3, 2, 3};
  expect_on_every_way<literal_bounds>(tw::grid(1), std::vector<std::int64_t>(want.size()), want);
}

struct given_bounds {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out, tw::i32 first, tw::i32 last,
                             tw::i32 step) {
    count_into(tl, out, tl.range(first, last, step));
  }
};
TEST(Bounds, AtTheEndsOfI32) {
  const std::int32_t bounds[][3] = {{2147483640, 2147483647, 4},
                                    {2147483640, 2147483647, 100},
                                    {-2147483640, -2147483647 - 1, -5},
                                    {2147483647, 2147483646, 1},
                                    {2147483646, 2147483647, 1},
                                    {-2147483647 - 1, 2147483647, 2147483647},
                                    {88, -1, -8}};
  for (const auto& [first, last, step] : bounds) {
    std::int64_t count = 0, sum = 0;
    for (std::int64_t i = first; step > 0 ? i < last : i > last; i += step) {
      ++count;
      sum += i;
    }
    SCOPED_TRACE(testing::Message() << first << " to " << last << " by " << step);
    expect_on_every_way<given_bounds>(tw::grid(1), std::vector<std::int64_t>(2),
                                      std::vector<std::int64_t>{count, sum}, first, last, step);
  }
}

struct loaded_bounds {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out,
                             tw::ptr<const std::int32_t> bounds) {
    count_into(tl, out, tl.range(tl.load(bounds), tl.load(bounds + 1)));
    auto last = tl.load(bounds + 1);
    for (auto i : tl.range(2)) {
      last = last + i;
      count_into(tl, out + (i * 2 + 2), tl.range(last));
    }
  }
};
TEST(Bounds, FromMemory) {
  expect_on_every_way<loaded_bounds>(tw::grid(1), std::vector<std::int64_t>(6),
                                     std::vector<std::int64_t>{3, 12, 6, 15, 7, 21},
                                     std::vector<std::int32_t>{3, 6});
}

// ---- masks that change ----

constexpr int block = 8;
constexpr int rows = 6;

/// Row i of `out` holds the sums of rows 0 to i - 1 of `x`, on lanes 0 to i.
template <class Keep>
floats sums_where(const floats& x, Keep&& keep) {
  floats want(rows * block, -1.0f);
  for (int i = 0; i < rows; ++i) {
    for (int lane = 0; lane < block; ++lane) {
      if (!keep(i, lane)) continue;
      float sum = 0;
      for (int row = 0; row < i; ++row) sum += x[static_cast<std::size_t>(row * block + lane)];
      want[static_cast<std::size_t>(i * block + lane)] = sum;
    }
  }
  return want;
}

struct growing {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> x) {
    auto lane = tl.arange<block>();
    auto sum = tl.zeros<float, block>();
    for (auto i : tl.range(rows)) {
      tl.store(out + (i * block + lane), sum, lane <= i);
      sum = sum + tl.load(x + (i * block + lane));
    }
  }
};
struct growing_in_f16 {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> x) {
    auto lane = tl.arange<block>();
    auto sum = tl.zeros<tw::f16, block>();
    for (auto i : tl.range(rows)) {
      tl.store(out + (i * block + lane), sum, lane <= i);
      sum = sum + tl.load(x + (i * block + lane)).to<tw::f16>();
    }
  }
};
struct growing_by_a_carried_bound {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> x) {
    auto lane = tl.arange<block>();
    auto sum = tl.zeros<float, block>();
    auto bound = tl.full<std::int32_t>(1);
    for (auto i : tl.range(rows)) {
      tl.store(out + (i * block + lane), sum, lane < bound);
      sum = sum + tl.load(x + (i * block + lane));
      bound += 1;
    }
  }
};
struct growing_in_an_inner_loop {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> x) {
    auto lane = tl.arange<block>();
    auto sum = tl.zeros<float, block>();
    for (auto outer : tl.range(rows / 2)) {
      for (auto inner : tl.range(2)) {
        auto i = outer * 2 + inner;
        tl.store(out + (i * block + lane), sum, lane <= i);
        sum = sum + tl.load(x + (i * block + lane));
      }
    }
  }
};
TEST(CarriedBlocks, UnderAMaskThatGrows) {
  const floats x = counted(rows * block), out(rows * block, -1.0f);
  const floats want = sums_where(x, [](int i, int lane) { return lane <= i; });
  expect_on_every_way<growing>(tw::grid(1), out, want, x);
  expect_on_every_way<growing_in_f16>(tw::grid(1), out, want, x);
  expect_on_every_way<growing_by_a_carried_bound>(tw::grid(1), out, want, x);
  expect_on_every_way<growing_in_an_inner_loop>(tw::grid(1), out, want, x);
}

struct shrinking {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> x) {
    auto lane = tl.arange<block>();
    auto sum = tl.zeros<float, block>();
    for (auto i : tl.range(rows - 1, -1, -1)) {
      sum = sum + tl.load(x + (i * block + lane), lane >= 0);
      tl.store(out + (i * block + lane), sum, lane + i < block);
    }
  }
};
TEST(CarriedBlocks, UnderAMaskThatGrowsAsTheLoopCountsDown) {
  const floats x = counted(rows * block), out(rows * block, -1.0f);
  floats want = out;
  for (int i = 0; i < rows; ++i) {
    for (int lane = 0; lane + i < block; ++lane) {
      float sum = 0;
      for (int row = rows - 1; row >= i; --row)
        sum += x[static_cast<std::size_t>(row * block + lane)];
      want[static_cast<std::size_t>(i * block + lane)] = sum;
    }
  }
  expect_on_interpreter_and_host<shrinking>(tw::grid(1), out, want, x);
}

// A value that an inner loop carries on from one iteration of the outer loop to the next, whose last
// store knows a count of the inner loop.
struct across_loops {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> x) {
    auto lane = tl.arange<block>();
    auto value = tl.load(x + lane);
    for (auto outer : tl.range(3)) {
      value = value * 2.0f;
      for (auto inner : tl.range(2)) {
        auto i = outer * 2 + inner;
        tl.store(out + (i * block + lane), value, lane < i + inner);
      }
      value = value + 1.0f;
    }
  }
};
TEST(CarriedBlocks, KnownToAnInnerLoopThatHasClosed) {
  const floats x = counted(block, 3), out(rows * block, -1.0f);
  floats want = out, value = x;
  for (int outer = 0; outer < 3; ++outer) {
    for (float& v : value) v *= 2;
    for (int inner = 0; inner < 2; ++inner) {
      const int i = outer * 2 + inner;
      for (int lane = 0; lane < i + inner && lane < block; ++lane) {
        want[static_cast<std::size_t>(i * block + lane)] = value[static_cast<std::size_t>(lane)];
      }
    }
    for (float& v : value) v += 1;
  }
  expect_on_every_way<across_loops>(tw::grid(1), out, want, x);
}

// A count that a loop leaves behind says nothing of what the loop computed before it had that value.
struct known_after_the_loop {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> x) {
    auto lane = tl.arange<block>();
    auto count = tl.full<std::int32_t>(0);
    auto sum = tl.zeros<float, block>();
    for (auto i : tl.range(rows)) {
      count = count + 1;
      sum = sum + tl.load(x + (i * block + lane));
    }
    tl.store(out + lane, sum, lane < count);
  }
};
TEST(CarriedBlocks, UnderACountThatTheLoopLeaves) {
  const floats x = counted(rows * block), out(block, -1.0f);
  floats want = out;
  for (int lane = 0; lane < rows; ++lane) {
    want[static_cast<std::size_t>(lane)] = 0;
    for (int i = 0; i < rows; ++i) {
      want[static_cast<std::size_t>(lane)] += x[static_cast<std::size_t>(i * block + lane)];
    }
  }
  expect_on_every_way<known_after_the_loop>(tw::grid(1), out, want, x);
}

// The next tile is loaded before the present one is stored; the last tile, a part of one, comes first.
struct pipelined {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> x, tw::i32 n) {
    auto lane = tl.arange<block>();
    auto last = (n - 1) / block;
    auto tile = tl.load(x + (last * block + lane), last * block + lane < n);
    for (auto i : tl.range(last, -1, -1)) {
      auto before = tl.maximum(i - 1, 0);
      auto next = tl.load(x + (before * block + lane), before * block + lane < n);
      tl.store(out + (i * block + lane), tile + 1.0f, i * block + lane < n);
      tile = next;
    }
  }
};
TEST(CarriedBlocks, PipelinedFromTheLastTile) {
  for (const int n : {1, 8, 21, 40}) {
    const floats x = counted(static_cast<std::size_t>(n)), out(static_cast<std::size_t>(n), -1.0f);
    expect_on_every_way<pipelined>(tw::grid(1), out, counted(static_cast<std::size_t>(n), 1), x, n);
  }
}

// An accumulator of products that is looked at under a mask that grows.
template <class T>
struct products {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const T> x) {
    auto i16 = tl.arange<16>();
    auto tile = tl.load(x + (tl.col(i16) * 16 + tl.row(i16)));
    auto sum = tl.zeros<float, 16, 16>();
    for (auto i : tl.range(3)) {
      auto at = tl.col(i16) * 16 + tl.row(i16);
      tl.store(out + (i * 256 + at), sum, tl.col(i16) <= i * 4 && tl.row(i16) < i + 2);
      sum = tl.dot(tile, tile, sum);
    }
  }
};
template <class T>
void expect_products() {
  std::vector<T> x;
  for (int i = 0; i < 256; ++i) x.push_back(T(static_cast<float>(i % 5) - 2.0f));
  floats out(3 * 256, -1.0f), want = out;
  for (int i = 0; i < 3; ++i) {
    for (int row = 0; row < 16 && row <= i * 4; ++row) {
      for (int column = 0; column < i + 2; ++column) {
        float sum = 0;  // small integers: exact in any order
        for (int k = 0; k < 16; ++k) {
          sum += static_cast<float>(x[static_cast<std::size_t>(row * 16 + k)]) *
                 static_cast<float>(x[static_cast<std::size_t>(k * 16 + column)]);
        }
        want[static_cast<std::size_t>(i * 256 + row * 16 + column)] = sum * static_cast<float>(i);
      }
    }
  }
  expect_on_every_way<products<T>>(tw::grid(1), out, want, x);
}
TEST(CarriedBlocks, AccumulatorsUnderAMaskThatGrows) {
  expect_products<float>();
  expect_products<tw::f16>();
}

// ---- accumulators of products ----

/// 16x16 elements of small integers, whose products are exact in any order.
template <class T>
std::vector<T> small_integers(int seed) {
  std::vector<T> values;
  for (int i = 0; i < 256; ++i) values.push_back(T(static_cast<float>((i * 7 + seed) % 5) - 2.0f));
  return values;
}
template <class T>
floats product(const std::vector<T>& a, const std::vector<T>& b, const floats& sum) {
  floats result = sum;
  for (std::size_t i = 0; i < 256; ++i) {
    for (std::size_t k = 0; k < 16; ++k) {
      result[i] += static_cast<float>(a[i / 16 * 16 + k]) * static_cast<float>(b[k * 16 + i % 16]);
    }
  }
  return result;
}

/// The value before the product is stored after it, and the largest of each is kept.
template <class T>
struct looked_at {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const T> x,
                             tw::ptr<const T> y) {
    auto i16 = tl.arange<16>();
    auto at = tl.col(i16) * 16 + tl.row(i16);
    auto a = tl.load(x + at);
    auto b = tl.load(y + at);
    auto sum = tl.zeros<float, 16, 16>();
    auto largest = tl.zeros<float, 16>();
    for (auto i : tl.range(3)) {
      auto before = sum;
      sum = tl.dot(a, b, sum);
      largest = largest + tl.max<1>(sum);
      tl.store(out + (i * 256 + at), before);
    }
    tl.store(out + (3 * 256 + at), sum);
    tl.store(out + (4 * 256 + i16), largest);
  }
};
template <class T>
void expect_looked_at() {
  const std::vector<T> x = small_integers<T>(1), y = small_integers<T>(3);
  floats want, sum(256, 0.0f), largest(16, 0.0f);
  for (int i = 0; i < 3; ++i) {
    want.insert(want.end(), sum.begin(), sum.end());
    sum = product(x, y, sum);
    for (std::size_t row = 0; row < 16; ++row) {
      largest[row] += *std::max_element(sum.begin() + static_cast<std::ptrdiff_t>(row * 16),
                                        sum.begin() + static_cast<std::ptrdiff_t>(row * 16 + 16));
    }
  }
  want.insert(want.end(), sum.begin(), sum.end());
  want.insert(want.end(), largest.begin(), largest.end());
  expect_on_every_way<looked_at<T>>(tw::grid(1), floats(want.size()), want, x, y);
}
TEST(Accumulators, ThatOthersLookAt) {
  expect_looked_at<tw::f16>();
  expect_looked_at<tw::bf16>();
  expect_looked_at<float>();
}

/// One product that two loops, and what is around them, look at.
struct drained_often {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const tw::f16> x,
                             tw::ptr<const tw::f16> y) {
    auto i16 = tl.arange<16>();
    auto at = tl.col(i16) * 16 + tl.row(i16);
    auto sum = tl.dot(tl.load(x + at), tl.load(y + at));
    for (auto i : tl.range(2)) tl.store(out + (i * 256 + at), sum + i);
    for (auto i : tl.range(2, 4)) {
      tl.store(out + (i * 256 + at), sum);
      for (auto j : tl.range(4, 6)) tl.store(out + ((i * 2 + j) * 256 + at), sum * 2.0f);
    }
    tl.store(out + (12 * 256 + at), sum);
  }
};
TEST(Accumulators, ThatSeveralLoopsLookAt) {
  const auto x = small_integers<tw::f16>(1), y = small_integers<tw::f16>(3);
  const floats sum = product(x, y, floats(256, 0.0f));
  floats want(13 * 256, 0.0f);
  for (std::size_t i = 0; i < 256; ++i) {
    want[i] = want[2 * 256 + i] = want[3 * 256 + i] = want[12 * 256 + i] = sum[i];
    want[256 + i] = sum[i] + 1;
    for (std::size_t tile = 8; tile < 12; ++tile) want[tile * 256 + i] = 2 * sum[i];
  }
  expect_on_every_way<drained_often>(tw::grid(1), floats(want.size()), want, x, y);
}

/// Products that both end at the same k in zeros; the accumulator comes from memory.
template <class T>
struct padded_product {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const T> x,
                             tw::ptr<const T> y, tw::ptr<const float> start, tw::i32 k) {
    auto i16 = tl.arange<16>();
    auto at = tl.col(i16) * 16 + tl.row(i16);
    auto a = tl.load(x + at, tl.row(i16) < k, 0.0f);
    auto b = tl.load(y + at, tl.col(i16) < k, 0.0f);
    tl.store(out + at, tl.dot(a, b, tl.load(start + at)));
  }
};
template <class T>
void expect_plus_zero() {
  const std::vector<T> x = small_integers<T>(1), y = small_integers<T>(3);
  // -0 plus the products of the padding, +0 each, is +0.
  expect_on_every_way<padded_product<T>>(tw::grid(1), floats(256), floats(256, 0.0f), x, y,
                                         floats(256, -0.0f), 0);
}
TEST(Accumulators, OfMinusZeroTakeThePaddingIn) {
  expect_plus_zero<float>();
  expect_plus_zero<tw::f16>();
}

// ---- variables that change places ----

template <class T>
struct swapped_blocks {
  static constexpr void body(tw::lang& tl, tw::ptr<T> out, tw::ptr<const T> x, tw::i32 trips) {
    auto lane = tl.arange<block>();
    auto a = tl.load(x + lane);
    auto b = tl.load(x + lane + block);
    for ([[maybe_unused]] auto i : tl.range(trips)) {
      auto t = a;
      a = b;
      b = t;
    }
    tl.store(out + lane, a);
    tl.store(out + lane + block, b);
  }
};
template <class T>
struct rotated_blocks {
  static constexpr void body(tw::lang& tl, tw::ptr<T> out, tw::ptr<const T> x, tw::i32 trips) {
    auto lane = tl.arange<block>();
    auto a = tl.load(x + lane);
    auto b = tl.load(x + lane + block);
    auto c = a + b;
    for ([[maybe_unused]] auto outer : tl.range(2)) {
      for ([[maybe_unused]] auto i : tl.range(trips)) {
        auto t = a;
        a = b;
        b = c;
        c = t + t;
      }
      c = a;  // an alias
    }
    tl.store(out + lane, a + c);
    tl.store(out + lane + block, b);
  }
};
struct swapped_scalars {  // on a core, and as tiles
  static constexpr void body(tw::lang& tl, tw::ptr<std::int32_t> out, tw::ptr<const std::int32_t> x,
                             tw::i32 trips) {
    auto a = tl.full<std::int32_t>(3);
    auto b = tl.full<std::int32_t>(8);
    auto s = tl.sum<0>(tl.load(x + tl.arange<block>()));
    auto t = s + 1;
    for ([[maybe_unused]] auto i : tl.range(trips)) {
      std::swap(a, b);
      auto kept = s;
      s = t;
      t = kept;
    }
    tl.store(out + a, s);
    tl.store(out + b, t);
  }
};
template <class T>
void expect_changed_places() {
  std::vector<T> x;
  for (int i = 0; i < 2 * block; ++i) x.push_back(tw::convert<T>(i));
  for (const int trips : {0, 1, 2, 3}) {
    std::vector<T> a(x.begin(), x.begin() + block), b(x.begin() + block, x.end()), want = a;
    if (trips % 2 == 1) std::swap(a, b);
    want = a;
    want.insert(want.end(), b.begin(), b.end());
    expect_on_every_way<swapped_blocks<T>>(tw::grid(1), std::vector<T>(2 * block), want, x, trips);
    want.clear();
    std::vector<T> last;
    for (std::size_t lane = 0; lane < block; ++lane) {
      T p = x[lane], q = x[lane + block], r = tw::scalar_math::add(p, q);
      for (int outer = 0; outer < 2; ++outer) {
        for (int i = 0; i < trips; ++i) {
          const T t = p;
          p = q;
          q = r;
          r = tw::scalar_math::add(t, t);
        }
        r = p;
      }
      want.push_back(tw::scalar_math::add(p, r));
      last.push_back(q);
    }
    want.insert(want.end(), last.begin(), last.end());
    expect_on_every_way<rotated_blocks<T>>(tw::grid(1), std::vector<T>(2 * block), want, x, trips);
  }
}
TEST(ChangingPlaces, Blocks) {
  expect_changed_places<float>();
  expect_changed_places<std::int32_t>();
  expect_changed_places<tw::f16>();
  expect_changed_places<double>();
}
TEST(ChangingPlaces, Scalars) {
  const std::vector<std::int32_t> x = {1, 2, 3, 4, 5, 6, 7, 8};
  for (const int trips : {0, 1, 2, 3}) {
    std::vector<std::int32_t> want(10, 0);
    const bool odd = trips % 2 == 1;
    want[odd ? 8 : 3] = odd ? 37 : 36;
    want[odd ? 3 : 8] = odd ? 36 : 37;
    expect_on_every_way<swapped_scalars>(tw::grid(1), std::vector<std::int32_t>(10), want, x,
                                         trips);
  }
}

}  // namespace
