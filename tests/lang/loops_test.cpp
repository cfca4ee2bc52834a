// Loops: each kernel stands beside the same loops in plain C++. All have the parameters (out, n, m)
// and write up to 8 numbers.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <tilewright/lang/trace.hpp>

#include "lang/stages.hpp"

namespace tilewright {
namespace {

using out = ptr<std::int32_t>;

template <class K>
void expect_plain_result() {
  for (const std::int32_t n : {0, 1, 2, 5, -3}) {
    for (const std::int32_t m : {0, 1, 3, -2}) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", m = " + std::to_string(m));
      std::vector<std::int32_t> want(8, -1);
      K::plain(want.data(), n, m);
      std::vector<std::int32_t> got;
      tests::run_stages<K>(
          grid(1),
          [&] {
            got.assign(8, -1);
            return std::vector<argument>{tests::bind(got), tests::bind(n), tests::bind(m)};
          },
          [&] { EXPECT_EQ(got, want); });
    }
  }
}

template <class K>
class Loops : public ::testing::Test {};

struct sum_of_running_value {
  static constexpr void body(lang& tl, out o, i32 n, i32 m) {
    auto sum = m * 1;
    for (auto i : tl.range(n)) sum = sum + i * i;
    tl.store(o, sum);
  }
  static void plain(std::int32_t* o, std::int32_t n, std::int32_t m) {
    std::int32_t sum = m;
    for (std::int32_t i = 0; i < n; ++i) sum += i * i;
    o[0] = sum;
  }
};

struct swap_by_hand {
  static constexpr void body(lang& tl, out o, i32 n, i32 m) {
    auto a = m + 10;
    auto b = m + 20;
    for (auto i : tl.range(n)) {
      auto t = a;
      a = b;
      b = t;
      b = b + i;
    }
    tl.store(o, a);
    tl.store(o + 1, b);
  }
  static void plain(std::int32_t* o, std::int32_t n, std::int32_t m) {
    std::int32_t a = m + 10;
    std::int32_t b = m + 20;
    for (std::int32_t i = 0; i < n; ++i) {
      std::swap(a, b);
      b += i;
    }
    o[0] = a;
    o[1] = b;
  }
};

struct standard_swap_and_rotation {
  static constexpr void body(lang& tl, out o, i32 n, i32 m) {
    auto a = m + 1;
    auto b = m + 2;
    auto c = m + 3;
    for ([[maybe_unused]] auto i : tl.range(n)) {
      std::swap(a, b);
      for ([[maybe_unused]] auto j : tl.range(m)) {
        auto t = a;
        a = b;
        b = c;
        c = t;
      }
    }
    tl.store(o, a);
    tl.store(o + 1, b);
    tl.store(o + 2, c);
  }
  static void plain(std::int32_t* o, std::int32_t n, std::int32_t m) {
    std::int32_t v[3] = {m + 1, m + 2, m + 3};
    for (std::int32_t i = 0; i < n; ++i) {
      std::swap(v[0], v[1]);
      for (std::int32_t j = 0; j < m; ++j) {
        const std::int32_t t = v[0];
        v[0] = v[1];
        v[1] = v[2];
        v[2] = t;
      }
    }
    for (int k = 0; k < 3; ++k) o[k] = v[k];
  }
};

struct pure_swap {
  static constexpr void body(lang& tl, out o, i32 n, i32 m) {
    auto a = m + 1;
    auto b = m + 2;
    for ([[maybe_unused]] auto i : tl.range(n)) {
      auto t = a;
      a = b;
      b = t;
    }
    tl.store(o, a);
    tl.store(o + 1, b);
  }
  static void plain(std::int32_t* o, std::int32_t n, std::int32_t m) {
    const bool odd = n > 0 && n % 2 != 0;
    o[0] = m + (odd ? 2 : 1);
    o[1] = m + (odd ? 1 : 2);
  }
};

struct carried_at_both_levels {
  static constexpr void body(lang& tl, out o, i32 n, i32 m) {
    auto total = n * 0;
    auto rows = n * 0;
    for (auto i : tl.range(n)) {
      auto inner = i * 100;  // new in each iteration
      for (auto j : tl.range(m)) {
        inner = inner + j;
        total = total + inner;
      }
      rows = rows + inner;
    }
    tl.store(o, total);
    tl.store(o + 1, rows);
  }
  static void plain(std::int32_t* o, std::int32_t n, std::int32_t m) {
    std::int32_t total = 0;
    std::int32_t rows = 0;
    for (std::int32_t i = 0; i < n; ++i) {
      std::int32_t inner = i * 100;
      for (std::int32_t j = 0; j < m; ++j) {
        inner += j;
        total += inner;
      }
      rows += inner;
    }
    o[0] = total;
    o[1] = rows;
  }
};

struct assigned_around_the_inner_loop {
  static constexpr void body(lang& tl, out o, i32 n, i32 m) {
    auto before = m + 1;
    auto after = m + 2;
    auto both = m + 3;
    auto inside = m + 4;
    for (auto i : tl.range(n)) {
      before = before * 2;
      both = both + i;
      for (auto j : tl.range(m)) {
        both = both * 3 + before;
        inside = inside + after + j;
      }
      both = both - 1;
      after = after + both + inside;
    }
    tl.store(o, before);
    tl.store(o + 1, after);
    tl.store(o + 2, both);
    tl.store(o + 3, inside);
  }
  static void plain(std::int32_t* o, std::int32_t n, std::int32_t m) {
    std::int32_t before = m + 1;
    std::int32_t after = m + 2;
    std::int32_t both = m + 3;
    std::int32_t inside = m + 4;
    for (std::int32_t i = 0; i < n; ++i) {
      before *= 2;
      both += i;
      for (std::int32_t j = 0; j < m; ++j) {
        both = both * 3 + before;
        inside += after + j;
      }
      both -= 1;
      after += both + inside;
    }
    o[0] = before;
    o[1] = after;
    o[2] = both;
    o[3] = inside;
  }
};

struct counting_down {
  static constexpr void body(lang& tl, out o, i32 n, i32 m) {
    auto trips = n * 0;
    auto last = n * 0 - 7;
    for (auto i : tl.range(n, -4, -2)) {
      trips += 1;
      last = i;
    }
    // The step is known at run time only, and may be negative.
    auto step = m + 1;
    auto weighted = n * 0;
    for (auto i : tl.range(n * step, 4 * step, step)) weighted = weighted * 3 + i;
    tl.store(o, trips);
    tl.store(o + 1, last);
    tl.store(o + 2, weighted);
  }
  static void plain(std::int32_t* o, std::int32_t n, std::int32_t m) {
    std::int32_t trips = 0;
    std::int32_t last = -7;
    for (std::int32_t i = n; i > -4; i -= 2) {
      ++trips;
      last = i;
    }
    const std::int32_t step = m + 1;
    std::int32_t weighted = 0;
    for (std::int32_t i = n * step; step > 0 ? i < 4 * step : i > 4 * step; i += step) {
      weighted = weighted * 3 + i;
    }
    o[0] = trips;
    o[1] = last;
    o[2] = weighted;
  }
};

struct old_values_and_copies {
  static constexpr void body(lang& tl, out o, i32 n, i32 m) {
    auto a = m + 1;
    auto b = a;                     // a variable of its own
    auto c = a.to<std::int32_t>();  // so is this, though nothing converts
    auto seen = m * 0;
    for (auto i : tl.range(n)) {
      auto old = a;
      a = a + i + 1;
      seen = seen * 2 + old + b + c;
      c = c - 1;
    }
    tl.store(o, a);
    tl.store(o + 1, b);
    tl.store(o + 2, c);
    tl.store(o + 3, seen);
  }
  static void plain(std::int32_t* o, std::int32_t n, std::int32_t m) {
    std::int32_t a = m + 1;
    const std::int32_t b = a;
    std::int32_t c = a;
    std::int32_t seen = 0;
    for (std::int32_t i = 0; i < n; ++i) {
      const std::int32_t old = a;
      a = a + i + 1;
      seen = seen * 2 + old + b + c;
      c -= 1;
    }
    o[0] = a;
    o[1] = b;
    o[2] = c;
    o[3] = seen;
  }
};

constexpr i32 doubled(i32 x) {
  x = x * 2;  // the caller's variable stays
  return x;
}
constexpr void accumulate(i32& into, const i32& what) { into = into + what; }

struct pair_of_sums {
  i32 even;
  i32 odd;
};

struct helpers_and_aggregates {
  static constexpr void body(lang& tl, out o, i32 n, i32 m) {
    auto x = m + 1;
    pair_of_sums sums{n * 0, n * 0};
    pair_of_sums at_start = sums;
    std::array<i32, 2> values{n * 0, n * 0 + 5};
    for (auto i : tl.range(n)) {
      accumulate(x, doubled(x));
      const auto parity = i % 2 == 0;
      const auto update = [&](auto even, auto odd) {
        accumulate(sums.even, even);
        accumulate(sums.odd, odd);
      };
      update(tl.where(parity, i, 0), tl.where(parity, 0, i));
      values[0] = values[1];
      values[1] = values[1] + sums.odd;
    }
    tl.store(o, x);
    tl.store(o + 1, sums.even);
    tl.store(o + 2, sums.odd);
    tl.store(o + 3, values[0]);
    tl.store(o + 4, values[1]);
    tl.store(o + 5, at_start.odd);
  }
  static void plain(std::int32_t* o, std::int32_t n, std::int32_t m) {
    std::int32_t x = m + 1;
    std::int32_t sums[2] = {0, 0};
    std::int32_t values[2] = {0, 5};
    for (std::int32_t i = 0; i < n; ++i) {
      x += 2 * x;
      sums[i % 2] += i;
      values[0] = values[1];
      values[1] += sums[1];
    }
    o[0] = x;
    o[1] = sums[0];
    o[2] = sums[1];
    o[3] = values[0];
    o[4] = values[1];
    o[5] = 0;
  }
};

struct literals_and_compound_assignment {
  static constexpr void body(lang& tl, out o, i32 n, i32 m) {
    auto reset = m + 5;
    auto x = m + 1;
    for (auto i : tl.range(n)) {
      x += i;
      x *= 3;
      x -= reset;
      x /= 2;
      reset = 4;
    }
    tl.store(o, reset);
    tl.store(o + 1, x);
  }
  static void plain(std::int32_t* o, std::int32_t n, std::int32_t m) {
    std::int32_t reset = m + 5;
    std::int32_t x = m + 1;
    for (std::int32_t i = 0; i < n; ++i) {
      x = ((x + i) * 3 - reset) / 2;
      reset = 4;
    }
    o[0] = reset;
    o[1] = x;
  }
};

struct bounds_are_read_once {
  static constexpr void body(lang& tl, out o, i32 n, i32 m) {
    auto bound = n * 1;
    auto trips = n * 0;
    for (auto i : tl.range(0, bound)) {
      bound = bound - 1;
      for (auto j : tl.range(i, bound)) trips = trips + j - i + m;  // bounds of the outer's making
    }
    tl.store(o, trips);
    tl.store(o + 1, bound);
  }
  static void plain(std::int32_t* o, std::int32_t n, std::int32_t m) {
    std::int32_t bound = n;
    std::int32_t trips = 0;
    for (std::int32_t i = 0; i < n; ++i) {
      --bound;
      for (std::int32_t j = i; j < bound; ++j) trips += j - i + m;
    }
    o[0] = trips;
    o[1] = bound;
  }
};

struct stores_and_loads_in_loops {
  static constexpr void body(lang& tl, out o, i32 n, i32 m) {
    for (auto i : tl.range(n)) {
      tl.store(o + i, i + m);
      tl.store(o + i + 1, tl.load(o + i) * 2);  // in program order
    }
    // Offsets that a loop carries, and pointers that a loop carries, used behind it.
    auto offset = n * 0 + 2;
    auto pointer = o + 2;
    for ([[maybe_unused]] auto i : tl.range(m)) {
      offset = offset + 1;
      pointer = pointer + 1;
    }
    tl.store(o + offset, 1000 + n);
    tl.store(pointer + 1, offset);
  }
  static void plain(std::int32_t* o, std::int32_t n, std::int32_t m) {
    for (std::int32_t i = 0; i < n; ++i) {
      o[i] = i + m;
      o[i + 1] = o[i] * 2;
    }
    const std::int32_t offset = 2 + (m > 0 ? m : 0);
    o[offset] = 1000 + n;
    o[offset + 1] = offset;
  }
};

struct five_deep {
  static constexpr void body(lang& tl, out o, i32 n, i32 m) {
    auto sum = m * 1;
    for (auto a : tl.range(n)) {
      for (auto b : tl.range(2)) {
        auto local = a * 2 + b;
        for (auto c : tl.range(3, 0, -1)) {
          local = local + c;
          for (auto d : tl.range(2)) {
            for (auto e : tl.range(2)) sum = (sum * 3 + a + b * c + d * e + local) % 1000;
          }
        }
        sum = sum + local;
      }
    }
    tl.store(o, sum);
  }
  static void plain(std::int32_t* o, std::int32_t n, std::int32_t m) {
    std::int32_t sum = m;
    for (std::int32_t a = 0; a < n; ++a) {
      for (std::int32_t b = 0; b < 2; ++b) {
        std::int32_t local = a * 2 + b;
        for (std::int32_t c = 3; c > 0; --c) {
          local += c;
          for (std::int32_t d = 0; d < 2; ++d) {
            for (std::int32_t e = 0; e < 2; ++e) {
              sum = (sum * 3 + a + b * c + d * e + local) % 1000;
            }
          }
        }
        sum += local;
      }
    }
    o[0] = sum;
  }
};

struct one_variable_takes_the_other {
  // A pipeline of values: each variable takes its neighbour's value of the iteration before.
  static constexpr void body(lang& tl, out o, i32 n, i32 m) {
    auto a = m + 1;
    auto b = m + 2;
    auto c = m + 3;
    for (auto i : tl.range(n)) {
      c = b;
      b = a;
      a = i;
    }
    tl.store(o, a);
    tl.store(o + 1, b);
    tl.store(o + 2, c);
  }
  static void plain(std::int32_t* o, std::int32_t n, std::int32_t m) {
    std::int32_t a = m + 1;
    std::int32_t b = m + 2;
    std::int32_t c = m + 3;
    for (std::int32_t i = 0; i < n; ++i) {
      c = b;
      b = a;
      a = i;
    }
    o[0] = a;
    o[1] = b;
    o[2] = c;
  }
};

using Kernels =
    ::testing::Types<sum_of_running_value, swap_by_hand, standard_swap_and_rotation, pure_swap,
                     carried_at_both_levels, assigned_around_the_inner_loop, counting_down,
                     old_values_and_copies, helpers_and_aggregates,
                     literals_and_compound_assignment, bounds_are_read_once,
                     stores_and_loads_in_loops, five_deep, one_variable_takes_the_other>;
TYPED_TEST_SUITE(Loops, Kernels);

TYPED_TEST(Loops, GiveWhatPlainLoopsGive) { expect_plain_result<TypeParam>(); }

// T10: x[i] = i + 1, summed from 88 down to 0 in steps of 8.
struct sum_every_eighth {
  static constexpr void body(lang& tl, ptr<const std::int32_t> x, out o, i32 step) {
    auto sum = tl.zeros<std::int32_t>();
    for (auto i : tl.range(88, -1, step)) sum = sum + tl.load(x + i);
    tl.store(o, sum);
  }
};

TEST(LoopCases, NegativeStepAtRunTime) {
  std::vector<std::int32_t> x(96);
  for (std::int32_t i = 0; i < 96; ++i) x[static_cast<std::size_t>(i)] = i + 1;
  std::vector<std::int32_t> got;
  tests::run_stages<sum_every_eighth>(
      grid(1),
      [&] {
        got.assign(1, 0);
        return std::vector<argument>{tests::bind(x), tests::bind(got),
                                     tests::bind(std::int32_t{-8})};
      },
      [&] { EXPECT_EQ(got[0], 540); });
}

TEST(LoopCases, StepOfZeroAtRunTimeIsAnError) {
  std::vector<std::int32_t> x(96);
  std::vector<std::int32_t> got(1);
  const std::vector<argument> bound = {tests::bind(x), tests::bind(got),
                                       tests::bind(std::int32_t{0})};
  try {
    reference::interpreter.run<sum_every_eighth>(grid(1), bound);
    FAIL() << "no error";
  } catch (const error& e) {
    EXPECT_STREQ(e.what(), "TW-E003: a tl.range loop has step 0");
  }
}

// The running value does not wrap on its way past the last one.
struct near_the_top {
  static constexpr void body(lang& tl, out o, i32 first, i32 last) {
    auto trips = first * 0;
    for ([[maybe_unused]] auto i : tl.range(first, last, 7)) trips = trips + 1;
    tl.store(o, trips);
  }
};

TEST(LoopCases, BoundsAtTheEndOfTheType) {
  std::vector<std::int32_t> got;
  const std::int32_t top = 2147483647;
  tests::run_stages<near_the_top>(
      grid(1),
      [&] {
        got.assign(1, 0);
        return std::vector<argument>{tests::bind(got), tests::bind(top - 8), tests::bind(top)};
      },
      [&] { EXPECT_EQ(got[0], 2); });
}

}  // namespace
}  // namespace tilewright
