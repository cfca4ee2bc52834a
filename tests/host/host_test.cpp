// Kernels on the host: order of loads and stores, memory that must not be touched, loops, gathers,
// executors. Values are compared with the interpreter's or with what the test computes itself.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tilewright/host/host.hpp>
#include <tilewright/host/thread_pool.hpp>
#include <tilewright/launch/launch.hpp>
#include <vector>

#include "guarded.hpp"
#include "random_data.hpp"
#include "reference/interpreter.hpp"

namespace tw = tilewright;
using tw::tests::guarded;
using tw::tests::random_values;

namespace {

std::vector<float> counting(int count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

/// Runs `K` with the same arguments on the host and in the interpreter, on copies of `data`, which
/// ends where memory ends, and compares all of it bit for bit.
template <class K, class T, class... Arguments>
std::vector<T> same_as_interpreted(const tw::grid& programs, const std::vector<T>& data,
                                   const Arguments&... arguments) {
  const guarded<T> host_data(data);
  const guarded<T> interpreted(data);
  tw::launch<K>(tw::host, programs, host_data, arguments...);
  tw::launch<K>(tw::reference::interpreter, programs, interpreted, arguments...);
  const std::vector<T> have = host_data.values();
  const std::vector<T> want = interpreted.values();
  for (std::size_t i = 0; i < have.size(); ++i) {
    if (std::memcmp(&have[i], &want[i], sizeof(T)) != 0) {
      ADD_FAILURE() << "element " << i;
      break;
    }
  }
  return have;
}

// ---- loads and stores that overlap ----

/// out[i + to] = in[i + from] + 1 for i < n, as if all were loaded before any is stored.
template <int Block>
struct shift {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> in, tw::ptr<float> out,
                             tw::i32 from, tw::i32 to, tw::i32 n) {
    auto lane = tl.arange<Block>();
    auto mask = lane < n;
    tl.store(out + (lane + to), tl.load(in + (lane + from), mask) + 1.0f, mask);
  }
};

TEST(HostAliasing, ShiftedCopyInPlace) {
  constexpr int block = 100;
  for (const int n : {0, 1, 3, 16, 17, 99, 100}) {
    for (int from = 0; from <= 40; from += 5) {
      for (const int to : {0, 1, 5, 16, 17, 33}) {
        std::vector<float> expected = counting(150);
        const std::vector<float> before = expected;
        for (int i = 0; i < n; ++i) {
          expected[static_cast<std::size_t>(i + to)] =
              before[static_cast<std::size_t>(i + from)] + 1;
        }
        guarded<float> memory(before);
        tw::launch<shift<block>>(tw::host, tw::grid(1), static_cast<const float*>(memory.data()),
                                 memory.data(), from, to, n);
        ASSERT_EQ(memory.values(), expected) << n << " from " << from << " to " << to;
      }
    }
  }
}

TEST(HostAliasing, NeighboursDoNotCountAsOverlap) {
  std::vector<float> memory = counting(64);
  // Reads [0, 32), writes [32, 64).
  tw::launch<shift<32>>(tw::host, tw::grid(1), static_cast<const float*>(memory.data()),
                        memory.data(), 0, 32, 32);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(memory[i + 32], static_cast<float>(i + 2));
}

struct transpose_in_place {
  static constexpr void body(tw::lang& tl, tw::ptr<float> x) {
    auto i = tl.arange<23>();
    auto value = tl.load(x + tl.col(i) * 23 + tl.row(i));
    tl.store(x + tl.col(i) + tl.row(i) * 23, value);
  }
};
TEST(HostAliasing, TransposeInPlace) {
  const std::vector<float> x = counting(23 * 23);
  const std::vector<float> y = same_as_interpreted<transpose_in_place>(tw::grid(1), x);
  EXPECT_EQ(y[1], x[23]);
}

/// Each lane reads the row's first element, which another lane writes.
struct broadcast_in_place {
  static constexpr void body(tw::lang& tl, tw::ptr<float> x) {
    auto rows = tl.col(tl.arange<5>());
    auto cols = tl.row(tl.arange<40>());
    tl.store(x + rows * 40 + cols, tl.load(x + rows * 40) + tl.load(x + rows * 40 + cols));
  }
};
TEST(HostAliasing, BroadcastInPlace) {
  same_as_interpreted<broadcast_in_place>(tw::grid(1), counting(200));
}

struct overwrite_then_use {
  static constexpr void body(tw::lang& tl, tw::ptr<float> x) {
    auto lane = tl.arange<50>();
    auto before = tl.load(x + lane);
    tl.store(x + lane, before * 2.0f);
    tl.store(x + lane + 50, before + tl.load(x + lane));  // the old values and the new ones
    for (auto i : tl.range(0, 3)) {
      tl.store(x + lane + (i + 2) * 50, tl.load(x + lane + 10) + before);
      tl.store(x + lane, before + i);
    }
  }
};
TEST(HostAliasing, LoadsSeeStoresInProgramOrder) {
  const std::vector<float> y = same_as_interpreted<overwrite_then_use>(tw::grid(1), counting(250));
  EXPECT_EQ(y[50], 3.0f);
}

struct same_address {
  static constexpr void body(tw::lang& tl, tw::ptr<float> x, tw::i32 stride) {
    auto lane = tl.arange<45>();
    tl.store(x + lane * stride, tl.load(x) + lane);
  }
};
TEST(HostAliasing, HighestLaneWins) {
  const std::vector<float> y = same_as_interpreted<same_address>(tw::grid(1), counting(4), 0);
  EXPECT_EQ(y[0], 45.0f);  // 1 + 44
}

// ---- memory that must not be touched ----

template <class T>
struct scale {
  static constexpr void body(tw::lang& tl, tw::ptr<T> y, tw::ptr<const T> x, tw::i32 n) {
    auto at = tl.program_id(0) * 256 + tl.arange<256>();
    auto mask = at < n;
    auto value = tl.load(x + at, mask);
    tl.store(y + at, value + value, mask);
  }
};
template <class T>
void check_tails() {
  for (const std::int32_t n : {0, 1, 5, 15, 16, 17, 255, 256, 257, 1023, 1025}) {
    const guarded<T> x(random_values<T>(n, 3));
    std::vector<T> y(static_cast<std::size_t>(n));
    same_as_interpreted<scale<T>>(tw::grid(tw::cdiv(n, 256)), y, x, n);
  }
}
TEST(HostMemory, TailsEndWhereMemoryEnds) {
  check_tails<float>();
  check_tails<tw::f16>();
  check_tails<tw::bf16>();
  check_tails<double>();
  check_tails<std::int32_t>();
  check_tails<std::int8_t>();
  check_tails<std::uint64_t>();
}
TEST(HostMemory, UnalignedRows) {
  for (int shift = 0; shift < 16; ++shift) {
    std::vector<float> memory(1024 + 16, -1.0f);
    const std::vector<float> x = counting(1024 + 16);
    const std::int32_t n = 1000;
    tw::launch<scale<float>>(tw::host, tw::grid(4), memory.data() + shift, x.data() + 15 - shift,
                             n);
    for (int i = 0; i < 1040; ++i) {
      const bool inside = i >= shift && i < shift + n;
      ASSERT_EQ(memory[static_cast<std::size_t>(i)],
                inside ? 2 * x[static_cast<std::size_t>(i + 15 - 2 * shift)] : -1.0f);
    }
  }
}

struct masked_box {
  static constexpr void body(tw::lang& tl, tw::ptr<float> y, tw::ptr<const float> x, tw::i32 rows,
                             tw::i32 columns) {
    auto r = tl.col(tl.arange<9>());
    auto c = tl.row(tl.arange<33>());
    auto mask = r < rows && c < columns;
    tl.store(y + r * columns + c, tl.load(x + r * columns + c, mask, 3.0f), mask);
  }
};
TEST(HostMemory, BoxesEndWhereMemoryEnds) {
  for (const std::int32_t rows : {0, 1, 5, 9}) {
    for (const std::int32_t columns : {0, 1, 16, 31, 33}) {
      const guarded<float> x(random_values<float>(rows * columns, 4));
      same_as_interpreted<masked_box>(tw::grid(1),
                                      std::vector<float>(static_cast<std::size_t>(rows * columns)),
                                      x, rows, columns);
    }
  }
}

/// Lanes in the middle are masked, and lie on pages without access rights.
struct hole {
  static constexpr void body(tw::lang& tl, tw::ptr<float> y, tw::ptr<const float> x, tw::i32 gap) {
    auto lane = tl.arange<64>();
    auto at = tl.where(lane < 32, lane, lane + gap).to<std::int64_t>();
    tl.store(y + lane, tl.load(x + (lane * gap), lane == 0, 7.0f) + tl.load(x + at, lane < 32));
  }
};
TEST(HostMemory, MaskedLanesMayPointAnywhere) {
  const guarded<float> x(random_values<float>(32, 5));
  const std::vector<float> y =
      same_as_interpreted<hole>(tw::grid(1), std::vector<float>(64), x, std::int32_t{1} << 29);
  EXPECT_EQ(y[63], 7.0f);
}

// ---- loops ----

struct fibonacci {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int32_t> out, tw::i32 n) {
    auto lane = tl.arange<20>();
    auto x = lane + 0;
    auto y = lane + 1;
    auto a = tl.full<std::int32_t>(0);
    auto b = tl.full<std::int32_t>(1);
    for ([[maybe_unused]] auto i : tl.range(n)) {
      auto next = x + y;
      x = y;
      y = next;
      auto scalar_next = a + b;
      a = b;
      b = scalar_next;
    }
    tl.store(out + lane, x);
    tl.store(out + lane + 20, y + a);
  }
};
TEST(HostLoops, VariablesTakeTheirNextValuesAtOnce) {
  for (const std::int32_t n : {0, 1, 2, 7, -3}) {
    same_as_interpreted<fibonacci>(tw::grid(1), std::vector<std::int32_t>(40), n);
  }
}

struct swaps {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::i32 n) {
    auto lane = tl.arange<33>();
    auto x = tl.load(out + lane);
    auto y = tl.load(out + lane + 33);
    auto z = x * y;
    for ([[maybe_unused]] auto i : tl.range(n)) {
      auto kept = x;
      x = y;
      y = z;
      z = kept;
    }
    tl.store(out + lane, x);
    tl.store(out + lane + 33, y);
    tl.store(out + lane + 66, z);
  }
};
TEST(HostLoops, BlocksChangePlaces) {
  for (const std::int32_t n : {0, 1, 2, 3, 4}) {
    same_as_interpreted<swaps>(tw::grid(1), counting(99), n);
  }
}

struct nested {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::i32 n, tw::i32 m) {
    auto lane = tl.arange<24>();
    auto total = tl.zeros<float, 24>();
    for (auto i : tl.range(0, n)) {
      auto row = tl.zeros<float, 24>();
      for (auto j : tl.range(m, 0, -2)) {
        row = row + (lane * i + j);
        total = total * 0.5f + row;
      }
      tl.store(out + lane, row);
      total = total + row;
    }
    tl.store(out + lane + 24, total);
  }
};
TEST(HostLoops, NestedAndBackwards) {
  for (const std::int32_t n : {0, 1, 3}) {
    for (const std::int32_t m : {0, 1, 4, 7}) {
      same_as_interpreted<nested>(tw::grid(1), counting(48), n, m);
    }
  }
}

struct any_step {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int32_t> out, tw::i32 first, tw::i32 last,
                             tw::i32 step) {
    auto count = tl.full<std::int32_t>(0);
    auto sum = tl.full<std::int32_t>(0);
    for (auto i : tl.range(first, last, step)) {
      count = count + 1;
      sum = sum + i;
    }
    tl.store(out, count);
    tl.store(out + 1, sum);
  }
};
TEST(HostLoops, RunTimeSteps) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  for (const auto& [first, last, step] : {std::array{0, 10, 3},
                                          {10, 0, -3},
                                          {5, 5, 1},
                                          {0, 5, -1},
                                          {most - 2, most, 2},
                                          {-most, -most + 3, 1},
                                          {-most + 1, -most - 1, -2}}) {
    same_as_interpreted<any_step>(tw::grid(1), std::vector<std::int32_t>(2), first, last, step);
  }
  std::vector<std::int32_t> out(2);
  EXPECT_THROW(tw::launch<any_step>(tw::host, tw::grid(1), out, 0, 1, 0), tw::error);
}

/// Triton's way: blocks of pointers that a loop moves.
struct moving_pointers {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> x, tw::i32 n) {
    auto lane = tl.arange<30>();
    auto from = x + lane;
    auto sum = tl.zeros<float, 30>();
    for ([[maybe_unused]] auto i : tl.range(0, n)) {
      sum = sum + tl.load(from, lane < 29);
      from += 30;
    }
    tl.store(out + lane, sum);
  }
};
TEST(HostLoops, PointersMove) {
  const guarded<float> x(random_values<float>(30 * 4 - 1, 6));
  same_as_interpreted<moving_pointers>(tw::grid(1), counting(30), x, 4);
}

// ---- gathers and scatters ----

struct embedding {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> table,
                             tw::ptr<const std::int32_t> rows, tw::i32 columns) {
    auto row = tl.load(rows + tl.arange<6>());
    auto column = tl.arange<40>();
    auto mask = tl.row(column) < columns && tl.col(row) >= 0;
    auto value = tl.load(table + tl.col(row) * columns + tl.row(column), mask, -1.0f);
    tl.store(out + tl.col(tl.arange<6>()) * columns + tl.row(column), value,
             tl.row(column) < columns);
    tl.store(out + tl.col(row) * columns + 300 + tl.row(column), value, mask);
  }
};
TEST(HostGather, RowsByIndex) {
  const std::int32_t columns = 37;
  const guarded<float> table(random_values<float>(5 * columns, 7));
  const std::vector<std::int32_t> rows = {4, 0, -1, 4, 2, -7};
  same_as_interpreted<embedding>(tw::grid(1), std::vector<float>(300 + 5 * 37), table, rows,
                                 columns);
}

struct far_apart {
  static constexpr void body(tw::lang& tl, tw::ptr<float> y, tw::ptr<const float> x,
                             tw::i32 stride) {
    auto lane = tl.arange<3>();
    tl.store(y + lane, tl.load(x + (lane * stride), lane * stride < 4));
  }
};
TEST(HostGather, OffsetsAreComputedIn64Bits) {
  // Lane 2 lies 2^32 elements on: its offset in 32 bits would be 0 and unmasked.
  const std::int64_t apart = std::int64_t{1} << 31;
  std::vector<float> y(3);
  const float x[1] = {5.0f};
  tw::launch<far_apart>(tw::host, tw::grid(1), y, static_cast<const float*>(x),
                        static_cast<std::int32_t>(apart - 1));
  EXPECT_EQ(y, (std::vector<float>{5.0f, 0.0f, 0.0f}));
}

// ---- reductions in kernels ----

template <class T, int A, int B, int C>
struct reductions {
  static constexpr void body(tw::lang& tl, tw::ptr<T> x, tw::ptr<float> out) {
    auto i = tl.template expand_dims<1>(tl.col(tl.template arange<A>()));
    auto j = tl.template expand_dims<0>(tl.col(tl.template arange<B>()));
    auto k = tl.template expand_dims<0>(tl.row(tl.template arange<C>()));
    auto value = tl.load(x + (i * (B * C) + j * C + k));
    auto store2 = [&](auto at, const auto& reduced, auto rows, auto columns) {
      tl.store(out + at + tl.col(rows) * 64 + tl.row(columns), reduced.template to<float>());
    };
    store2(0, tl.template sum<0>(value), tl.template arange<B>(), tl.template arange<C>());
    store2(4096, tl.template sum<1>(value), tl.template arange<A>(), tl.template arange<C>());
    store2(8192, tl.template sum<2>(value), tl.template arange<A>(), tl.template arange<B>());
    store2(12288, tl.template max<0>(value), tl.template arange<B>(), tl.template arange<C>());
    store2(16384, tl.template min<1>(value), tl.template arange<A>(), tl.template arange<C>());
    store2(20480, tl.template max<2>(value), tl.template arange<A>(), tl.template arange<B>());
    tl.store(
        out + 24576,
        tl.template sum<0>(tl.template max<1>(tl.template min<2>(value))).template to<float>());
  }
};
template <class T, int A, int B, int C>
void check_reductions() {
  std::vector<T> x;
  for (const float v : random_values<float>(A * B * C, 8)) x.push_back(tw::convert<T>(v * 100));
  std::vector<float> have(24577), want(24577);
  tw::launch<reductions<T, A, B, C>>(tw::host, tw::grid(1), x, have);
  tw::launch<reductions<T, A, B, C>>(tw::reference::interpreter, tw::grid(1), x, want);
  EXPECT_EQ(std::memcmp(have.data(), want.data(), have.size() * 4), 0);
}
TEST(HostReductions, AlongEveryAxis) {
  check_reductions<float, 3, 20, 33>();
  check_reductions<float, 40, 1, 5>();
  check_reductions<tw::f16, 5, 18, 16>();
  check_reductions<std::int8_t, 2, 3, 37>();
  check_reductions<double, 17, 3, 4>();
}

// ---- kinds of values ----

/// The largest element and nothing else: no value needs scratch memory.
struct largest {
  static constexpr void body(tw::lang& tl, tw::ptr<float> x) {
    tl.store(x + 100, tl.max<0>(tl.load(x + tl.arange<100>())));
  }
};
TEST(HostReductions, NeedNoScratchMemory) {
  const std::vector<float> y = same_as_interpreted<largest>(tw::grid(1), counting(101));
  EXPECT_EQ(y[100], 100.0f);
}

/// What reads a row that a reduction has kept, besides the reduction.
enum class reader { its_elements, all_elements, a_maximum, a_column_sum };

/// Sums of rows that are padded with `Other`, of quotients that are expensive enough to be kept.
/// x: 3 rows of 160 elements, then 3 sums, then what else comes out of it.
template <int Block, int Other, int Divisor, reader Reader>
struct padded_rows {
  static constexpr void body(tw::lang& tl, tw::ptr<float> x, tw::i32 n) {
    auto rows = tl.col(tl.arange<3>());
    auto columns = tl.row(tl.arange<Block>());
    auto mask = columns < n;
    auto value = tl.load(x + rows * 160 + columns, mask, static_cast<float>(Other));
    auto kept = value / static_cast<float>(Divisor) / 7.0f / 5.0f / 0.25f;
    tl.store(x + 480 + tl.arange<3>(), tl.sum<1>(kept));
    if constexpr (Reader == reader::its_elements) {
      tl.store(x + rows * 160 + columns, kept, mask);
    } else if constexpr (Reader == reader::all_elements) {
      tl.store(x + rows * 160 + columns, kept);
    } else if constexpr (Reader == reader::a_maximum) {
      tl.store(x + 483 + tl.arange<3>(), tl.max<1>(kept * -1.0f));
    } else {
      tl.store(x + 483 + tl.arange<Block>(), tl.sum<0>(kept));
    }
  }
};
template <int Block, int Other, int Divisor>
void check_padded_rows() {
  const std::vector<float> data = random_values<float>(700, 3);
  for (const int n : {-1, 0,  1,  4,  15, 16,  17,  31,  32,  33,  63, 64,
                      65, 79, 80, 81, 96, 112, 127, 128, 129, 143, 150}) {
    SCOPED_TRACE(testing::Message() << "block " << Block << ", padded with " << Other << ", "
                                    << Divisor << ", n " << n);
    const tw::grid one(1);
    same_as_interpreted<padded_rows<Block, Other, Divisor, reader::its_elements>>(one, data, n);
    same_as_interpreted<padded_rows<Block, Other, Divisor, reader::all_elements>>(one, data, n);
    same_as_interpreted<padded_rows<Block, Other, Divisor, reader::a_maximum>>(one, data, n);
    same_as_interpreted<padded_rows<Block, Other, Divisor, reader::a_column_sum>>(one, data, n);
  }
}
TEST(HostReductions, PaddingCountsAsManyTimesAsItIsThere) {
  check_padded_rows<128, 0, 3>();
  check_padded_rows<128, 0, -3>();  // -0 is not what leaves a sum as it is
  check_padded_rows<128, 2, 3>();
  check_padded_rows<150, 2, 3>();
  check_padded_rows<150, 0, 3>();
}

/// Comparisons of indices with each other and with numbers, for blocks of a length that no vector
/// divides: 1 where they hold, 0 elsewhere.
struct index_masks {
  template <class X, class Y>
  static constexpr void store_all(tw::lang& tl, const tw::ptr<std::int32_t>& out, int form,
                                  const X& x, const Y& y) {
    auto at = out + (tl.col(tl.arange<3>()) * 45 + tl.row(tl.arange<45>()) + form * 4 * 135);
    tl.store(at, tl.where(x < y, 1, 0));
    tl.store(at + 135, tl.where(x <= y, 1, 0));
    tl.store(at + 2 * 135, tl.where(x > y, 1, 0));
    tl.store(at + 3 * 135, tl.where(x >= y, 1, 0));
  }
  static constexpr void body(tw::lang& tl, tw::ptr<std::int32_t> out, tw::i32 s, tw::i64 n) {
    auto i = tl.row(tl.arange<45>());
    auto r = tl.col(tl.arange<3>());
    store_all(tl, out, 0, i + s, n);
    store_all(tl, out, 1, n, s + i);
    store_all(tl, out, 2, s - i, n);
    store_all(tl, out, 3, n, r - (i - s));
    store_all(tl, out, 4, r + s, i);
    store_all(tl, out, 5, i + r * 7, s + i);
    store_all(tl, out, 6, i + s, n - i);      // the sides part by two a lane
    store_all(tl, out, 7, i * 3 - s, n + i);  // and by three
    store_all(tl, out, 8, n + i, r + s);      // wraps where n is at an end
  }
};
TEST(HostTypes, MasksOfIndices) {
  const std::vector<std::int32_t> zeros(9 * 4 * 135);
  for (const int s : {-50, -17, -16, -3, 0, 1, 15, 16, 31, 44, 45, 100, INT32_MAX, INT32_MIN}) {
    for (const std::int64_t n :
         {std::int64_t{-60}, std::int64_t{-16}, std::int64_t{-1}, std::int64_t{0}, std::int64_t{7},
          std::int64_t{16}, std::int64_t{44}, std::int64_t{45}, std::int64_t{61},
          std::int64_t{1} << 40, -(std::int64_t{1} << 40), INT64_MAX, INT64_MAX - 20, INT64_MIN,
          INT64_MIN + 20}) {
      SCOPED_TRACE(testing::Message() << "s " << s << ", n " << n);
      const auto out = same_as_interpreted<index_masks>(tw::grid(1), zeros, s, n);
      for (int lane = 0; lane < 45; ++lane) {
        EXPECT_EQ(out[static_cast<std::size_t>(lane)], lane + std::int64_t{s} < n ? 1 : 0);
      }
    }
  }
}

struct mixture {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const std::int8_t> small,
                             tw::ptr<const double> wide, tw::ptr<const bool> flags, tw::i64 n) {
    auto lane = tl.arange<50>();
    auto flag = tl.load(flags + lane);
    auto value = tl.load(small + lane).to<std::int64_t>() * n + lane;
    auto real = tl.load(wide + lane, flag) / 3.0;
    tl.store(out + lane, tl.where(flag, value.to<float>(), (real * real + 1.0).to<float>()));
    tl.store(out + lane + 50, (tl.sum<0>(flag.to<std::int32_t>()) + tl.max<0>(value)).to<float>());
  }
};
TEST(HostTypes, MixedInOneLoop) {
  std::vector<std::int8_t> small(50);
  std::vector<double> wide(50);
  guarded<bool> flags(50);
  for (std::size_t i = 0; i < 50; ++i) {
    small[i] = static_cast<std::int8_t>(i * 41);
    wide[i] = static_cast<double>(i) / 7;
    flags.data()[i] = i % 3 == 0;
  }
  same_as_interpreted<mixture>(tw::grid(1), std::vector<float>(100), small, wide, flags,
                               std::int64_t{1} << 33);
}

struct not_contracted {
  static constexpr void body(tw::lang& tl, tw::ptr<float> x, tw::ptr<double> y) {
    auto lane = tl.arange<64>();
    auto value = tl.load(x + lane);
    tl.store(x + lane, value * value - 1.0f);
    auto wide = tl.load(y + lane);
    tl.store(y + lane, wide * wide - 1.0);
    auto scalar = tl.load(x);
    tl.store(x, scalar * scalar + 0.1f);
    tl.store(x + 1, tl.sum<0>(value * value));
  }
};
TEST(HostTypes, EveryOperationRoundsByItself) {
  std::vector<double> y(64), again;
  for (std::size_t i = 0; i < 64; ++i) y[i] = 1.0 + static_cast<double>(i) * 1e-14;
  again = y;
  std::vector<float> x = random_values<float>(64, 9), copy = x;
  tw::launch<not_contracted>(tw::host, tw::grid(1), x, y);
  tw::launch<not_contracted>(tw::reference::interpreter, tw::grid(1), copy, again);
  EXPECT_EQ(x, copy);
  EXPECT_EQ(y, again);
}

// ---- launching ----

struct count_programs {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int32_t> out) {
    auto x = tl.program_id(0);
    auto y = tl.program_id(1);
    auto z = tl.program_id(2);
    auto at = x + tl.num_programs(0) * (y + tl.num_programs(1) * z);
    tl.store(out + at, tl.load(out + at) + x * 100 + y * 10 + z + 1);
  }
};
TEST(HostLaunch, RunsEachProgramOnce) {
  std::vector<std::int32_t> out(24);
  tw::launch<count_programs>(tw::host, tw::grid(4, 3, 2), out);
  for (std::int32_t i = 0; i < 24; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(i)], i % 4 * 100 + i / 4 % 3 * 10 + i / 12 + 1);
  }
}
TEST(HostLaunch, EmptyGridsDoNothing) {
  float* nothing = nullptr;
  tw::launch<transpose_in_place>(tw::host, tw::grid(0), nothing);
  tw::launch<transpose_in_place>(tw::host, tw::grid(3, 0, 2), nothing);
}

struct fails_in_one_program {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int32_t> out, tw::i32 bad) {
    auto p = tl.program_id(0);
    auto sum = tl.full<std::int32_t>(0);
    for (auto i : tl.range(0, 5, bad - p)) sum = sum + i;
    tl.store(out + p, sum);
  }
};
TEST(HostLaunch, FailuresReachTheCallerFromEveryThread) {
  tw::thread_pool pool(3);
  std::vector<std::int32_t> out(50);
  for (const std::int32_t bad : {0, 25, 49}) {
    EXPECT_THROW(tw::launch<fails_in_one_program>(tw::host.on(pool), tw::grid(50), out, bad),
                 tw::error);
  }
  tw::launch<count_programs>(tw::host.on(pool), tw::grid(50), out);  // it still works
}

TEST(HostLaunch, SameValuesForAnyNumberOfThreads) {
  const std::vector<float> x = random_values<float>(10000, 10);
  std::vector<float> expected(10000);
  tw::launch<scale<float>>(tw::host, tw::grid(40), expected, x, 10000);
  for (const int threads : {1, 2, 3, 7}) {
    tw::thread_pool pool(threads);
    std::vector<float> y(10000);
    tw::launch<scale<float>>(tw::host.on(pool), tw::grid(40), y, x, 10000);
    EXPECT_EQ(y, expected) << threads;
  }
}

}  // namespace
