// The interpreter and the closed forms against plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <reference/gemm.hpp>
#include <reference/interpreter.hpp>
#include <reference/softmax.hpp>
#include <reference/vector_add.hpp>
#include <tilewright/launch/launch.hpp>

#include "lang/stages.hpp"
#include "random_data.hpp"

namespace tilewright {
namespace {

using tests::random_values;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// ---- masks, tails, order ----

struct scaled_copy {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<float> y, i32 n, f32 other) {
    auto i = tl.program_id(0) * 8 + tl.arange<8>();
    auto value = tl.load(x + i, i < n && i != 3, other);
    tl.store(y + i, value * 2, i < n);
  }
};

TEST(Interpreter, MaskedLanesGiveOtherAndAreNotWritten) {
  for (const std::int32_t n : {0, 1, 7, 8, 9, 23}) {
    const auto x = random_values<float>(n, 1);
    std::vector<float> y(at(n) + 5, -1.0f);
    launch<scaled_copy>(reference::interpreter, grid(cdiv(n, 8)), x, y.data(), n, 0.5f);
    for (std::int32_t i = 0; i < n + 5; ++i) {
      const float want = i >= n ? -1.0f : i == 3 ? 1.0f : x[at(i)] * 2;
      ASSERT_EQ(y[at(i)], want) << i << " of " << n;
    }
  }
}

struct load_without_other {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<float> out, i32 n) {
    auto i = tl.arange<8>();
    auto value = tl.load(x + i, i < n);
    tl.store(out, tl.sum<0>(value));
    tl.store(out + 1, tl.max<0>(value));
  }
};

// M1: without `other`, masked lanes are 0, whatever memory holds; M13: they are not looked at.
TEST(Interpreter, MaskedLanesWithoutOtherAreZero) {
  std::vector<float> x(5, -2.0f);  // lanes 5 to 7 lie outside
  std::vector<float> got;
  tests::run_stages<load_without_other>(
      grid(1),
      [&] {
        got.assign(2, -1.0f);
        return std::vector<argument>{tests::bind(x), tests::bind(got),
                                     tests::bind(std::int32_t{5})};
      },
      [&] {
        EXPECT_EQ(got[0], -10.0f);
        EXPECT_EQ(got[1], 0.0f);
      });
}

struct overlapping_stores {
  static constexpr void body(lang& tl, ptr<std::int32_t> out, i32 n) {
    auto i = tl.arange<8>();
    tl.store(out + i / 3, i, i < n);       // lanes 0 to 2, 3 to 5, 6 and 7 meet
    tl.store(out + 4, tl.load(out) * 10);  // sees what was stored
  }
};

TEST(Interpreter, TheHighestLaneWinsAndLaterLoadsSeeIt) {
  std::vector<std::int32_t> got;
  for (const std::int32_t n : {8, 5}) {
    tests::run_stages<overlapping_stores>(
        grid(1),
        [&] {
          got.assign(5, -1);
          return std::vector<argument>{tests::bind(got), tests::bind(n)};
        },
        [&] {
          EXPECT_EQ(got[0], 2);
          EXPECT_EQ(got[1], n == 8 ? 5 : 4);
          EXPECT_EQ(got[2], n == 8 ? 7 : -1);
          EXPECT_EQ(got[4], 20);
        });
  }
}

struct program_order {
  static constexpr void body(lang& tl, ptr<std::int32_t> log, ptr<std::int32_t> next) {
    auto position = tl.load(next);
    auto id = tl.program_id(0) + tl.program_id(1) * 10 + tl.program_id(2) * 100;
    auto extents = tl.num_programs(0) + tl.num_programs(1) * 10 + tl.num_programs(2) * 100;
    tl.store(log + position * 2, id);
    tl.store(log + position * 2 + 1, extents);
    tl.store(next, position + 1);
  }
};

TEST(Interpreter, ProgramsRunInOrderXFastest) {
  std::vector<std::int32_t> log(24, -1);
  std::vector<std::int32_t> next(1, 0);
  launch<program_order>(reference::interpreter, grid(3, 2, 2), log, next);
  std::size_t position = 0;
  for (std::int32_t z = 0; z < 2; ++z) {
    for (std::int32_t y = 0; y < 2; ++y) {
      for (std::int32_t x = 0; x < 3; ++x) {
        EXPECT_EQ(log[position++], x + 10 * y + 100 * z);
        EXPECT_EQ(log[position++], 223);
      }
    }
  }
  EXPECT_EQ(next[0], 12);
}

TEST(Interpreter, AnEmptyGridRunsNothing) {
  std::vector<std::int32_t> log(24, -1);
  std::vector<std::int32_t> next(1, 0);
  launch<program_order>(reference::interpreter, grid(3, 0, 2), log, next);
  EXPECT_EQ(next[0], 0);
}

// ---- gather, scatter, memory types ----

struct permute {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<const std::int64_t> where,
                             ptr<float> y, i32 n) {
    auto i = tl.arange<16>();
    auto from = tl.load(where + i, i < n, 0);
    auto value = tl.load(x + from, i < n && from >= 0, -1.0f);
    tl.store(y + (n - 1 - i), value, i < n);
  }
};

TEST(Interpreter, GatherAndScatter) {
  const std::int32_t n = 11;
  const auto x = random_values<float>(n, 2);
  std::vector<std::int64_t> where(at(n));
  for (std::int32_t i = 0; i < n; ++i) where[at(i)] = i == 4 ? -1000000 : i * 7 % n;
  std::vector<float> y(at(n));
  launch<permute>(reference::interpreter, grid(1), x, where, y, n);
  for (std::int32_t i = 0; i < n; ++i) {
    EXPECT_EQ(y[at(n - 1 - i)], i == 4 ? -1.0f : x[at(where[at(i)])]);
  }
}

struct booleans {
  static constexpr void body(lang& tl, ptr<const bool> in, ptr<bool> out, ptr<std::int32_t> count) {
    auto i = tl.arange<4>();
    auto value = tl.load(in + i);
    tl.store(out + i, !value);
    tl.store(out + 4 + i, tl.arange<4>() * 128);  // I10: stored as != 0
    tl.store(count, tl.sum<0>(value));            // I7: counted, not xored
  }
};

TEST(Interpreter, BooleansAreBytesOfZeroAndOne) {
  const std::uint8_t in[4] = {1, 0, 1, 1};
  std::uint8_t out[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  std::int32_t count = -1;
  launch<booleans>(reference::interpreter, grid(1), reinterpret_cast<const bool*>(in),
                   reinterpret_cast<bool*>(out), &count);
  const std::uint8_t want[8] = {0, 1, 0, 0, 0, 1, 1, 1};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(out[i], want[i]) << i;
  EXPECT_EQ(count, 3);
}

// ---- broadcasting, reductions, products ----

struct reductions {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<float> out) {
    auto i = tl.arange<3>();
    auto j = tl.arange<4>();
    auto k = tl.arange<5>();
    auto jk = tl.col(j) * 5 + tl.row(k);
    auto cube = tl.load(x + (tl.expand_dims<1>(tl.col(i)) * 20 + jk));
    tl.store(out + jk, tl.max<0>(cube));
    tl.store(out + 20 + (tl.col(i) * 5 + tl.row(k)), tl.min<1>(cube));
    tl.store(out + 35 + (tl.col(i) * 4 + tl.row(j)), tl.sum<2>(cube));
  }
};

TEST(Interpreter, ReductionsAlongEachAxis) {
  const auto x = random_values<float>(60, 3);
  std::vector<float> got;
  tests::run_stages<reductions>(
      grid(1),
      [&] {
        got.assign(47, 0.0f);
        std::vector<argument> bound{tests::bind(const_cast<std::vector<float>&>(x)),
                                    tests::bind(got)};
        return bound;
      },
      [&] {
        for (std::int64_t j = 0; j < 4; ++j) {
          for (std::int64_t k = 0; k < 5; ++k) {
            float largest = x[at(j * 5 + k)];
            for (std::int64_t i = 1; i < 3; ++i) {
              largest = std::max(largest, x[at(i * 20 + j * 5 + k)]);
            }
            EXPECT_EQ(got[at(j * 5 + k)], largest);
          }
        }
        for (std::int64_t i = 0; i < 3; ++i) {
          for (std::int64_t k = 0; k < 5; ++k) {
            float smallest = x[at(i * 20 + k)];
            for (std::int64_t j = 1; j < 4; ++j) {
              smallest = std::min(smallest, x[at(i * 20 + j * 5 + k)]);
            }
            EXPECT_EQ(got[at(20 + i * 5 + k)], smallest);
          }
          for (std::int64_t j = 0; j < 4; ++j) {
            // Five elements: lanes 0 and 4 meet first (in the fold by four), then by two, by one.
            const float* row = x.data() + i * 20 + j * 5;
            EXPECT_EQ(got[at(35 + i * 4 + j)], ((row[0] + row[4]) + row[2]) + (row[1] + row[3]));
          }
        }
      });
}

struct padded_maximum {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<float> out, i32 n) {
    auto i = tl.arange<32>();
    tl.store(out, tl.max<0>(tl.load(x + i, i < n)));
    tl.store(out + 1, tl.sum<0>(tl.load(x + i, i < n)));
  }
};

// Padding of 0 ties with an element of -0: lanes 2 to 15 end in 0, only lane 1 in -0, and when they
// are folded, lane 0 has taken lane 8's 0 before it meets lane 1.
TEST(Interpreter, PaddingKeepsTheSignOfZero) {
  std::vector<float> x(32, -1.0f);
  x[17] = -0.0f;
  std::vector<float> got;
  tests::run_stages<padded_maximum>(
      grid(1),
      [&] {
        got.assign(2, -1.0f);
        return std::vector<argument>{tests::bind(x), tests::bind(got),
                                     tests::bind(std::int32_t{18})};
      },
      [&] {
        EXPECT_EQ(got[0], 0.0f);
        EXPECT_FALSE(std::signbit(got[0]));
        EXPECT_EQ(got[1], -17.0f);
      });
}

template <class T>
struct sum_of_row {
  static constexpr void body(lang& tl, ptr<const T> x, ptr<T> out) {
    tl.store(out, tl.sum<0>(tl.load(x + tl.arange<4096>())));
  }
};

// R7 and R11: 16-bit sums accumulate in f32 and are rounded once.
TEST(Interpreter, SmallFloatsAccumulateInF32) {
  std::vector<f16> x(4096, f16(8.0f));
  x[0] = f16(24.25f);  // the quarter would be lost if the sum were kept in f16
  std::vector<f16> out(1);
  launch<sum_of_row<f16>>(reference::interpreter, grid(1), x, out);
  // 32784.25 lies just above the middle of 32768 and 32800.
  EXPECT_EQ(static_cast<float>(out[0]), 32800.0f);
  std::vector<bf16> y(4096, bf16(1.0f));
  std::vector<bf16> total(1);
  launch<sum_of_row<bf16>>(reference::interpreter, grid(1), y, total);
  EXPECT_EQ(static_cast<float>(total[0]), 4096.0f);
}

template <class T, class Accumulator, int M, int N, int K>
struct product {
  static constexpr void body(lang& tl, ptr<const T> a, ptr<const T> b, ptr<Accumulator> c) {
    auto i = tl.arange<M>();
    auto j = tl.arange<N>();
    auto k = tl.arange<K>();
    auto left = tl.load(a + (tl.col(i) * K + tl.row(k)));
    auto right = tl.load(b + (tl.col(k) * N + tl.row(j)));
    auto start = tl.load(c + (tl.col(i) * N + tl.row(j)));
    tl.store(c + (tl.col(i) * N + tl.row(j)), tl.dot(left, right, start));
  }
};

TEST(Interpreter, DotIsOneFusedMultiplyAddPerStep) {
  const auto a = random_values<float>(5 * 9, 4);
  const auto b = random_values<float>(9 * 7, 5);
  std::vector<float> c = random_values<float>(5 * 7, 6);
  std::vector<float> want = c;
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 7; ++j) {
      float& sum = want[at(i * 7 + j)];
      for (std::int64_t k = 0; k < 9; ++k) sum = std::fma(a[at(i * 9 + k)], b[at(k * 7 + j)], sum);
    }
  }
  launch<product<float, float, 5, 7, 9>>(reference::interpreter, grid(1), a, b, c);
  EXPECT_EQ(c, want);
}

// I5: products of bytes are exact in 32 bits.
TEST(Interpreter, DotOfBytes) {
  const std::vector<std::int8_t> a = {-44, -20, -126, 6};
  const std::vector<std::int8_t> b = {24, -75, 127, -101};
  std::vector<std::int32_t> c(4, 0);
  launch<product<std::int8_t, std::int32_t, 2, 2, 2>>(reference::interpreter, grid(1), a, b, c);
  EXPECT_EQ(c, (std::vector<std::int32_t>{-3596, 5320, -2262, 8844}));
}

// D1: f32 is multiplied as f32, not cut to tf32.
TEST(Interpreter, DotOfF32IsExactToF32) {
  const std::vector<float> a = {1 + 0x1p-12f};
  const std::vector<float> b = {1 + 0x1p-12f};
  std::vector<float> c = {0.0f};
  launch<product<float, float, 1, 1, 1>>(reference::interpreter, grid(1), a, b, c);
  EXPECT_EQ(c[0], 1 + 0x1p-11f) << "(1 + 2^-12)^2 rounded to 24 bits; 1 in tf32";
}

// ---- arithmetic of the language: cases I1 to I6 ----

struct quotients {
  static constexpr void body(lang& tl, ptr<const std::int32_t> x, ptr<const std::int32_t> y,
                             ptr<std::int32_t> out) {
    auto i = tl.arange<64>();
    auto a = tl.load(x + i);
    auto b = tl.load(y + i);
    tl.store(out + i, tl.cdiv(a, b));
    tl.store(out + 64 + i, a / b);
    tl.store(out + 128 + i, a % b);
    tl.store(out + 192 + i, tl.cdiv(a, 5));
    tl.store(out + 256 + i, tl.cdiv(-36, b));
  }
};

TEST(Interpreter, QuotientsOfEverySign) {
  std::vector<std::int32_t> x(64);
  std::vector<std::int32_t> y(64);
  for (std::int32_t i = 0; i < 64; ++i) {
    x[at(i)] = i % 8 == 7 ? -36 : i % 8 * 3 - 10;
    y[at(i)] = i / 8 < 4 ? i / 8 - 5 : i / 8 - 2;  // no zero
  }
  std::vector<std::int32_t> out(320);
  launch<quotients>(reference::interpreter, grid(1), x, y, out);
  const auto ceiling = [](std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(std::ceil(static_cast<double>(a) / b));
  };
  for (std::int32_t i = 0; i < 64; ++i) {
    const std::int32_t a = x[at(i)];
    const std::int32_t b = y[at(i)];
    EXPECT_EQ(out[at(i)], ceiling(a, b)) << a << " / " << b;
    EXPECT_EQ(out[at(64 + i)], a / b) << a << " / " << b;
    EXPECT_EQ(out[at(128 + i)], a % b) << a << " / " << b;
    EXPECT_EQ(out[at(192 + i)], ceiling(a, 5)) << a;
    EXPECT_EQ(out[at(256 + i)], ceiling(-36, b)) << b;
  }
  // The same on the host's side of a launch.
  EXPECT_EQ(cdiv(-36, 5), -7);
  EXPECT_EQ(cdiv(36, 5), 8);
  EXPECT_EQ(cdiv(36, -5), -7);
  EXPECT_EQ(cdiv(-36, -5), 8);
  EXPECT_EQ(cdiv(0, 5), 0);
}

struct small_numbers {
  static constexpr void body(lang& tl, ptr<const bool> flag, ptr<const f16> h, ptr<float> out) {
    auto yes = tl.load(flag);
    auto half = tl.load(h);
    tl.store(out, yes + yes);        // I6: wraps to false
    tl.store(out + 1, half + 1.0f);  // stays f16: 2049 becomes 2048
    tl.store(out + 2, half.to<float>() + 1.0f);
    tl.store(out + 3, half / 3);  // I14: done in f32
    // I13: maximum with a literal keeps f16, so that the variable of a loop keeps its type.
    auto relu6 = half;
    for ([[maybe_unused]] auto i : tl.range(3)) {
      relu6 = tl.minimum(tl.maximum(relu6, 0.0), 6.0) - 0.5;
    }
    tl.store(out + 4, relu6);
  }
};

TEST(Interpreter, LiteralsAreWeakAndSmallFloatsStaySmall) {
  const bool yes = true;
  const std::vector<f16> h = {f16(2048.0f)};
  std::vector<float> out(5, -1.0f);
  launch<small_numbers>(reference::interpreter, grid(1), &yes, h, out);
  EXPECT_EQ(out, (std::vector<float>{0.0f, 2048.0f, 2049.0f, 2048.0f / 3.0f, 4.5f}));
}

struct rotation {
  static constexpr void body(lang& tl, ptr<std::int32_t> out, i32 n) {
    auto a = n + 1;
    auto b = n + 2;
    auto c = n + 3;
    for ([[maybe_unused]] auto i : tl.range(n)) {
      auto t = a;
      a = b;
      b = c;
      c = t;
    }
    tl.store(out, a);
    tl.store(out + 1, b);
    tl.store(out + 2, c);
  }
};

// The phis of a loop change at once: without the copies that tracing leaves between them, each takes
// the value that its neighbour had before.
TEST(Interpreter, PhisChangeAtOnce) {
  auto g = std::make_unique<graph>(tests::trace_at_run_time<rotation>());
  int direct = 0;
  for (node& n : g->nodes) {
    if (n.code != op::phi) continue;
    while ((*g)[n.operand(1)].code == op::copy) n.operands[1] = (*g)[n.operand(1)].operand(0);
    direct += (*g)[n.operand(1)].code == op::phi ? 1 : 0;
  }
  ASSERT_EQ(direct, 3);
  for (const std::int32_t n : {0, 1, 2, 3, 4}) {
    std::vector<std::int32_t> out(3);
    const std::vector<argument> bound = {tests::bind(out), tests::bind(n)};
    reference::interpret(*g, grid(1), bound);
    for (std::int32_t k = 0; k < 3; ++k) EXPECT_EQ(out[at(k)], n + 1 + (k + n) % 3) << n;
  }
}

// ---- what it refuses ----

template <class Run>
void expect_failure(Run&& run, const char* message) {
  try {
    run();
    ADD_FAILURE() << "no error; want: " << message;
  } catch (const error& e) {
    EXPECT_STREQ(e.what(), message);
  }
}

struct broken {
  static constexpr void body(lang& tl, ptr<float> out) {
    for (auto i : tl.range(0, 4, 0)) tl.store(out + i, 1.0f);
  }
};

TEST(Interpreter, RefusesWhatCannotBeRight) {
  std::vector<float> memory(16);
  const std::vector<argument> fits = {tests::bind(memory), tests::bind(memory),
                                      tests::bind(std::int32_t{8}), tests::bind(0.0f)};
  reference::interpreter.run<scaled_copy>(grid(1), fits);
  expect_failure([&] { reference::interpreter.run<broken>(grid(1), std::span(fits).first(1)); },
                 "TW-E003: a tl.range loop has step 0");
  expect_failure([&] { reference::interpreter.run<scaled_copy>(grid(-1), fits); },
                 "a grid axis is negative");
  expect_failure(
      [&] { reference::interpreter.run<scaled_copy>(grid(1), std::span(fits).first(3)); },
      "the number of arguments differs from the number of the kernel's parameters");
  for (const auto& change : {+[](std::vector<argument>& a) { a[2].type = dtype::i64; },
                             +[](std::vector<argument>& a) { a[0].pointer = false; }}) {
    std::vector<argument> changed = fits;
    change(changed);
    expect_failure([&] { reference::interpreter.run<scaled_copy>(grid(1), changed); },
                   "an argument's type differs from the kernel's parameter");
  }
  std::vector<argument> unbacked = fits;
  unbacked[1].address = nullptr;
  expect_failure([&] { reference::interpreter.run<scaled_copy>(grid(1), unbacked); },
                 "the interpreter needs memory behind every pointer");
}

// ---- closed forms ----

TEST(ClosedForms, AgainstPlainLoops) {
  const auto a = random_values<bf16>(6 * 5, 7);
  const auto b = random_values<f16>(5 * 3, 8);
  const reference::matrix product_of = reference::matmul(a.data(), b.data(), 6, 3, 5);
  ASSERT_EQ(product_of.size(), 18);
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < 5; ++k) {
        sum += double{static_cast<float>(a[at(i * 5 + k)])} * static_cast<float>(b[at(k * 3 + j)]);
      }
      EXPECT_NEAR(product_of.data()[i * 3 + j], sum, 1e-14);
    }
  }
  const auto x = random_values<float>(4 * 7, 9);
  const reference::matrix soft = reference::softmax_rows(x.data(), 4, 7);
  for (std::int64_t i = 0; i < 4; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < 7; ++j) sum += std::exp(double{x[at(i * 7 + j)]});
    for (std::int64_t j = 0; j < 7; ++j) {
      EXPECT_NEAR(soft(i, j), std::exp(double{x[at(i * 7 + j)]}) / sum, 1e-14);
    }
  }
  const Eigen::ArrayXd total = reference::vector_add(x.data(), x.data(), 28);
  for (std::int64_t i = 0; i < 28; ++i) EXPECT_EQ(total[i], 2.0 * x[at(i)]);
}

TEST(ClosedForms, Edges) {
  // A sum of 512 ones, which 16-bit accumulation would stop at 256.
  const std::vector<bf16> ones(512, bf16(1.0f));
  EXPECT_EQ(reference::matmul(ones.data(), ones.data(), 1, 1, 512)(0, 0), 512.0);
  EXPECT_EQ(reference::matmul(ones.data(), ones.data(), 2, 3, 0), reference::matrix::Zero(2, 3));
  EXPECT_EQ(reference::softmax_rows(ones.data(), 0, 4).size(), 0);
  const float infinity = std::numeric_limits<float>::infinity();
  const float x[] = {1000.0f, 1000.0f, -infinity, -infinity, 0.0f, NAN};
  const reference::matrix soft = reference::softmax_rows(x, 3, 2);
  EXPECT_EQ(soft(0, 0), 0.5);
  for (const double value : {soft(1, 0), soft(1, 1), soft(2, 0), soft(2, 1)}) {
    EXPECT_TRUE(std::isnan(value));
  }
}

}  // namespace
}  // namespace tilewright
