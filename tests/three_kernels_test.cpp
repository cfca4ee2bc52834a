// Vector add, softmax and matrix product: interpreted, on the host and on the modelled device, with
// tails, next to memory that must not be touched, and against closed forms in f64.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include <tilewright/kernels/gemm.hpp>
#include <tilewright/kernels/softmax.hpp>
#include <tilewright/kernels/vector_add.hpp>
#include <tilewright/tilewright.hpp>

#include "guarded.hpp"
#include "random_data.hpp"
#include "reference/interpreter.hpp"

namespace tw = tilewright;
using tw::tests::guarded;
using tw::tests::random_values;

namespace {

/// Number of units in the last place between two f32 values of any sign.
std::int64_t ulps_between(float x, float y) {
  if (x != x || y != y) return x != x && y != y ? 0 : INT64_MAX;
  const auto ordered = [](float v) {
    std::int32_t bits;
    std::memcpy(&bits, &v, sizeof(bits));
    return static_cast<std::int64_t>(bits < 0 ? INT32_MIN - bits : bits);
  };
  return std::llabs(ordered(x) - ordered(y));
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

constexpr std::int32_t lengths[] = {1, 5, 1023, 1025};

// ---- vector add ----

template <class T, class Target>
std::vector<T> add_on(const Target& target, const std::vector<T>& x, const std::vector<T>& y) {
  constexpr int block = 1024;
  const guarded<T> first(x);
  const guarded<T> second(y);
  const guarded<T> out(std::ssize(x));
  tw::launch<tw::kernels::vector_add<T, block>>(target, tw::grid(tw::cdiv(std::ssize(x), block)),
                                                first, second, out, std::ssize(x));
  return out.values();
}

template <class T>
void check_add() {
  for (const std::int32_t n : lengths) {
    const auto x = random_values<T>(n, 1);
    const auto y = random_values<T>(n, 2);
    const auto interpreted = add_on(tw::reference::interpreter, x, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      // The exact sum of two f32 or f16 values of this range fits in f64: one rounding to T.
      const T expected = tw::convert<T>(static_cast<double>(x[i]) + static_cast<double>(y[i]));
      ASSERT_EQ(tw::to_bits(interpreted[i]), tw::to_bits(expected)) << n << " at " << i;
    }
    EXPECT_TRUE(same_bits(interpreted, add_on(tw::host, x, y))) << n;
    EXPECT_TRUE(same_bits(interpreted, add_on(tw::model(tw::mtia_2i), x, y))) << n;
  }
}

TEST(VectorAdd, AllWaysGiveTheSameBits) {
  check_add<float>();
  check_add<tw::f16>();
  check_add<tw::bf16>();
}

// ---- softmax ----

template <class Target>
std::vector<float> softmax_on(const Target& target, const std::vector<float>& x, std::int32_t rows,
                              std::int32_t columns) {
  constexpr int block = 2048;
  const guarded<float> in(x);
  const guarded<float> out(std::ssize(x));
  tw::launch<tw::kernels::softmax<block>>(target, tw::grid(rows), in, out, columns, columns);
  return out.values();
}

TEST(Softmax, AllWaysAgree) {
  constexpr std::int32_t rows = 3;
  for (const std::int32_t columns : lengths) {
    auto x = random_values<float>(rows * columns, 3);
    for (float& value : x) value *= 20.0f;
    const auto interpreted = softmax_on(tw::reference::interpreter, x, rows, columns);
    for (std::int32_t r = 0; r < rows; ++r) {
      const float* row = x.data() + r * columns;
      double largest = row[0];
      for (std::int32_t c = 0; c < columns; ++c) largest = std::fmax(largest, row[c]);
      double sum = 0;
      for (std::int32_t c = 0; c < columns; ++c) sum += std::exp(row[c] - largest);
      for (std::int32_t c = 0; c < columns; ++c) {
        // x - max is rounded to f32 (half an ulp of up to 40 is 2^-19), which exp turns into a
        // relative error; the sum and the quotient add a few 2^-24.
        const double expected = std::exp(row[c] - largest) / sum;
        const double got = interpreted[static_cast<std::size_t>(r * columns + c)];
        ASSERT_NEAR(got, expected, expected * 4e-6 + 1e-37) << columns << " at " << r << ", " << c;
      }
    }
    EXPECT_TRUE(same_bits(interpreted, softmax_on(tw::model(tw::mtia_2i), x, rows, columns)));
    // The host's exp is within 2 ulp of the scalar meaning, for numerators and for the sum; the
    // quotient adds half an ulp on either side.
    const auto on_host = softmax_on(tw::host, x, rows, columns);
    for (std::size_t i = 0; i < interpreted.size(); ++i) {
      ASSERT_LE(ulps_between(on_host[i], interpreted[i]), 6) << columns << " at " << i;
    }
  }
}

TEST(Softmax, RowsOfInfinitiesAndNan) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  // Row 0 is -inf only: -inf - -inf is NaN. Row 1 has one finite value. Row 2 has a NaN, which the
  // maximum ignores and the sum does not.
  const std::vector<float> x = {-inf, -inf, -inf, -inf, 3.0f, -inf, nan, 1.0f, 2.0f};
  const auto check = [&](const std::vector<float>& y) {
    for (int c = 0; c < 3; ++c) EXPECT_TRUE(std::isnan(y[static_cast<std::size_t>(c)]));
    EXPECT_EQ(y[3], 0.0f);
    EXPECT_EQ(y[4], 1.0f);
    EXPECT_EQ(y[5], 0.0f);
    for (int c = 6; c < 9; ++c) EXPECT_TRUE(std::isnan(y[static_cast<std::size_t>(c)]));
  };
  check(softmax_on(tw::reference::interpreter, x, 3, 3));
  check(softmax_on(tw::host, x, 3, 3));
  check(softmax_on(tw::model(tw::mtia_2i), x, 3, 3));
}

// ---- matrix product ----

template <class T, class Target>
std::vector<float> gemm_on(const Target& target, const std::vector<T>& a, const std::vector<T>& b,
                           std::int32_t m, std::int32_t n, std::int32_t k) {
  const guarded<T> left(a);
  const guarded<T> right(b);
  const guarded<float> out(std::int64_t{m} * n);
  tw::launch<tw::kernels::gemm<T, 64, 32, 64>>(target, tw::grid(tw::cdiv(m, 64), tw::cdiv(n, 32)),
                                               left, right, out, m, n, k);
  return out.values();
}

constexpr std::int32_t sizes[] = {1, 33, 511, 1000};  // no multiples of the blocks

/// Under sanitizers the interpreter takes minutes for the larger products.
#ifdef __SANITIZE_ADDRESS__
constexpr std::int64_t most_work = 20'000'000;
#else
constexpr std::int64_t most_work = INT64_MAX;
#endif

template <class T>
void check_gemm(std::int32_t m, std::int32_t n, std::int32_t k) {
  SCOPED_TRACE(::testing::Message() << m << " x " << n << " x " << k);
  const auto a = random_values<T>(std::int64_t{m} * k, 4);
  const auto b = random_values<T>(std::int64_t{k} * n, 5);
  const auto interpreted = gemm_on(tw::reference::interpreter, a, b, m, n, k);
  for (std::int32_t r = 0; r < m; r += 7) {
    for (std::int32_t c = 0; c < n; c += 5) {
      float expected = 0;  // the documented order: one fused multiply-add per k, ascending
      double exact = 0;
      double magnitude = 0;
      for (std::int32_t i = 0; i < k; ++i) {
        const float x = static_cast<float>(a[static_cast<std::size_t>(r * k + i)]);
        const float y = static_cast<float>(b[static_cast<std::size_t>(i * n + c)]);
        expected = std::fma(x, y, expected);
        exact += static_cast<double>(x) * y;
        magnitude += std::fabs(static_cast<double>(x) * y);
      }
      const float got = interpreted[static_cast<std::size_t>(r * n + c)];
      ASSERT_EQ(got, expected) << "at " << r << ", " << c;
      // The error of k roundings: k 2^-24 times the sum of magnitudes.
      ASSERT_NEAR(got, exact, k * 0x1p-24 * magnitude) << "at " << r << ", " << c;
    }
  }
  EXPECT_TRUE(same_bits(interpreted, gemm_on(tw::model(tw::mtia_2i), a, b, m, n, k)));
  const auto on_host = gemm_on(tw::host, a, b, m, n, k);
  if (tw::simd::has_fma) {
    EXPECT_TRUE(same_bits(interpreted, on_host));
  } else {
    for (std::size_t i = 0; i < on_host.size(); ++i) {
      ASSERT_NEAR(on_host[i], interpreted[i], k * 0x1p-23) << "at " << i;
    }
  }
}

template <class T>
void check_gemms() {
  for (const std::int32_t m : sizes) {
    for (const std::int32_t n : sizes) {
      for (const std::int32_t k : sizes) {
        const std::int64_t work = std::int64_t{m + 64} * (n + 32) * (k + 64);  // of whole blocks
        if (work <= most_work) check_gemm<T>(m, n, k);
      }
    }
  }
}

TEST(Gemm, AllWaysAgreeOnF32) { check_gemms<float>(); }
TEST(Gemm, AllWaysAgreeOnF16) { check_gemms<tw::f16>(); }

TEST(Gemm, NothingToSumGivesZeros) {
  const auto a = random_values<float>(0, 1);
  for (const auto& c :
       {gemm_on(tw::reference::interpreter, a, a, 5, 3, 0), gemm_on(tw::host, a, a, 5, 3, 0),
        gemm_on(tw::model(tw::mtia_2i), a, a, 5, 3, 0)}) {
    EXPECT_EQ(c, std::vector<float>(15, 0.0f));
  }
}

// ---- memory that a program reads and writes ----

/// A prefix sum through memory: each step needs what the step before it stored.
struct through_memory {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> y, tw::i32 n) {
    auto lane = tl.arange<16>();
    for (auto i : tl.range(0, n, 16)) {
      auto before = tl.load(x + (i + lane));
      tl.store(y + (i + lane + 16), before + 1.0f);
    }
  }
};

TEST(ProgramOrder, HoldsThroughMemoryUnderOneOrTwoNames) {
  const auto check = [](const auto& target) {
    std::vector<float> memory(16 * 9, 0.0f);
    for (int i = 0; i < 16; ++i) memory[static_cast<std::size_t>(i)] = static_cast<float>(i);
    tw::launch<through_memory>(target, tw::grid(1), memory, memory, 16 * 8);
    for (int step = 0; step <= 8; ++step) {
      for (int i = 0; i < 16; ++i) {
        ASSERT_EQ(memory[static_cast<std::size_t>(16 * step + i)], static_cast<float>(i + step));
      }
    }
  };
  check(tw::reference::interpreter);
  check(tw::host);
  check(tw::model(tw::mtia_2i));
}

TEST(ProgramOrder, InPlaceResultsAreThoseOfSeparateMemory) {
  const auto x = random_values<float>(3 * 700, 8);
  const auto apart = softmax_on(tw::reference::interpreter, x, 3, 700);
  auto in_place = x;
  tw::launch<tw::kernels::softmax<1024>>(tw::model(tw::mtia_2i), tw::grid(3), in_place, in_place,
                                         700, 700);
  EXPECT_TRUE(same_bits(apart, in_place));
}

// ---- launches that do nothing ----

TEST(ZeroSizedGrid, IsANoOpOnEveryWay) {
  std::vector<float> out(4, 7.0f);
  const auto check = [&](const auto& target) {
    for (const tw::grid& nothing : {tw::grid(0), tw::grid(1, 0), tw::grid(3, 2, 0)}) {
      tw::launch<tw::kernels::vector_add<float, 64>>(target, nothing, out, out, out, 4);
      float* const none = nullptr;
      tw::launch<tw::kernels::vector_add<float, 64>>(target, nothing, none, none, none, 0);
    }
    EXPECT_EQ(out, std::vector<float>(4, 7.0f));
  };
  check(tw::reference::interpreter);
  check(tw::host);
  check(tw::model(tw::mtia_2i));
}

}  // namespace
