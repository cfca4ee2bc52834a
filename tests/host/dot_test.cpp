// Matrix products against plain loops of std::fma.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <tilewright/host/dot.hpp>
#include <tilewright/host/host.hpp>
#include <tilewright/launch/launch.hpp>
#include <tilewright/types/convert.hpp>
#include <type_traits>
#include <vector>

#include "random_data.hpp"

namespace tw = tilewright;
using tw::tests::random_values;

namespace {

TEST(DotShape, FitsTheRegisters) {
  using tw::detail::dot_columns;
  using tw::detail::dot_rows;
  for (int m = 1; m <= 300; ++m) {
    const int rows = dot_rows(m);
    const int vectors = dot_columns(m) / tw::simd::lanes;
    EXPECT_GE(rows, 1);
    EXPECT_LE(rows * vectors + vectors + 1, tw::simd::registers);
    EXPECT_LE(rows, m);
  }
  EXPECT_EQ(dot_rows(128) * (128 / dot_rows(128)), 128);  // powers of two divide evenly
}

/// c += a x b with products of T in the accumulator's type.
template <int M, int N, int K, class T, class Acc>
struct product {
  static constexpr void body(tw::lang& tl, tw::ptr<const T> a, tw::ptr<const T> b, tw::ptr<Acc> c,
                             tw::i32 m, tw::i32 n, tw::i32 k) {
    auto rows = tl.template arange<M>();
    auto cols = tl.template arange<N>();
    auto inner = tl.template arange<K>();
    auto left =
        tl.load(a + tl.col(rows) * k + tl.row(inner), tl.col(rows) < m && tl.row(inner) < k);
    auto right =
        tl.load(b + tl.col(inner) * n + tl.row(cols), tl.col(inner) < k && tl.row(cols) < n);
    auto mask = tl.col(rows) < m && tl.row(cols) < n;
    auto at = c + tl.col(rows) * n + tl.row(cols);
    tl.store(at, tl.dot(left, right, tl.load(at, mask)), mask);
  }
};

template <int M, int N, int K, class T, class Acc>
void check_product(std::int32_t m, std::int32_t n, std::int32_t k) {
  std::vector<T> a, b;
  std::vector<Acc> c;
  for (const float v : random_values<float>(m * k, 1)) a.push_back(tw::convert<T>(v * 50));
  for (const float v : random_values<float>(k * n, 2)) b.push_back(tw::convert<T>(v * 50));
  for (const float v : random_values<float>(m * n, 3)) c.push_back(tw::convert<Acc>(v * 50));
  std::vector<Acc> want = c;
  tw::launch<product<M, N, K, T, Acc>>(tw::host, tw::grid(1), a, b, c, m, n, k);
  for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
      Acc& sum = want[i * static_cast<std::size_t>(n) + j];
      double magnitude = std::abs(static_cast<double>(sum));
      for (std::size_t p = 0; p < static_cast<std::size_t>(k); ++p) {
        const Acc x = tw::convert<Acc>(a[i * static_cast<std::size_t>(k) + p]);
        const Acc y = tw::convert<Acc>(b[p * static_cast<std::size_t>(n) + j]);
        sum = tw::scalar_math::fused_multiply_add(x, y, sum);
        magnitude += std::abs(static_cast<double>(x) * static_cast<double>(y));
      }
      const Acc have = c[i * static_cast<std::size_t>(n) + j];
      if (tw::simd::has_fma || !std::is_same_v<Acc, float>) {
        ASSERT_EQ(tw::to_bits(have), tw::to_bits(sum)) << i << ", " << j;
      } else {
        // Both are that far from the exact sum at most (host/dot.hpp).
        ASSERT_LE(std::abs(static_cast<double>(have) - static_cast<double>(sum)),
                  2 * (k + 1) * std::ldexp(1.0, -24) * magnitude);
      }
    }
  }
}

TEST(Dot, FloatsOfEverySize) {
  for (const int m : {1, 7, 20}) {
    for (const int n : {1, 16, 33, 50}) {
      for (const int k : {0, 1, 40}) check_product<20, 50, 40, float, float>(m, n, k);
    }
  }
  check_product<1, 1, 300, float, float>(1, 1, 300);
  check_product<64, 64, 64, float, float>(64, 64, 64);
  check_product<5, 8, 3, float, float>(5, 8, 3);
  check_product<100, 1, 9, float, float>(99, 1, 9);
}
TEST(Dot, SmallFloatsAccumulateInF32) {
  check_product<20, 50, 40, tw::f16, float>(20, 50, 40);
  check_product<20, 50, 40, tw::f16, float>(13, 49, 17);
  check_product<20, 50, 40, tw::bf16, float>(19, 50, 40);
}
TEST(Dot, DoublesAndIntegers) {
  check_product<9, 21, 30, double, double>(9, 21, 30);
  check_product<9, 21, 30, double, double>(8, 20, 29);
  check_product<9, 21, 30, std::int8_t, std::int32_t>(9, 21, 30);
  check_product<9, 21, 30, std::int32_t, std::int32_t>(9, 20, 30);
}

struct wrapping {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int32_t> out) {
    auto big = tl.full<std::int32_t, 2, 8>(1 << 30);
    auto odd = tl.full<std::int32_t, 8, 3>(3);
    tl.store(out + tl.col(tl.arange<2>()) * 3 + tl.row(tl.arange<3>()), tl.dot(big, odd));
  }
};
TEST(Dot, IntegerAccumulatorsWrap) {
  std::vector<std::int32_t> out(6);
  tw::launch<wrapping>(tw::host, tw::grid(1), out);
  for (const std::int32_t element : out) EXPECT_EQ(element, 0);  // 8 * 3 * 2^30 = 6 * 2^32
}

/// Operands that are computed, reused on both sides, and used outside of the product too.
struct both_sides {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> out) {
    auto i = tl.arange<18>();
    auto at = tl.col(i) * 18 + tl.row(i);
    auto value = tl.load(x + at) * 2.0f;
    auto square = tl.dot(value, value);
    tl.store(out + at, tl.dot(square + value, value, square));
    tl.store(out + at + 324, value + 1.0f);
  }
};
TEST(Dot, OneBlockOnBothSides) {
  if (!tw::simd::has_fma) GTEST_SKIP() << "no fused multiply-add on this target";
  const std::vector<float> x = random_values<float>(324, 4);
  std::vector<float> out(648);
  tw::launch<both_sides>(tw::host, tw::grid(1), x, out);
  const auto dot = [](const std::vector<float>& a, const std::vector<float>& b,
                      std::vector<float> c) {
    for (std::size_t i = 0; i < 18; ++i) {
      for (std::size_t p = 0; p < 18; ++p) {
        for (std::size_t j = 0; j < 18; ++j) {
          c[i * 18 + j] = std::fma(a[i * 18 + p], b[p * 18 + j], c[i * 18 + j]);
        }
      }
    }
    return c;
  };
  std::vector<float> value = x, left;
  for (float& v : value) v *= 2;
  const std::vector<float> square = dot(value, value, std::vector<float>(324));
  for (std::size_t i = 0; i < 324; ++i) left.push_back(square[i] + value[i]);
  const std::vector<float> want = dot(left, value, square);
  for (std::size_t i = 0; i < 324; ++i) {
    ASSERT_EQ(out[i], want[i]) << i;
    ASSERT_EQ(out[i + 324], value[i] + 1);
  }
}

TEST(Dot, NaNAndInfinityPropagateWhereTheyBelong) {
  constexpr int m = 20, n = 33, k = 8;
  std::vector<float> a(m * k, 1.0f), b(k * n, 1.0f), c(m * n, 0.0f);
  a[3 * k + 2] = std::numeric_limits<float>::quiet_NaN();
  b[5 * n + 7] = std::numeric_limits<float>::infinity();
  tw::launch<product<20, 50, 40, float, float>>(tw::host, tw::grid(1), a, b, c, m, n, k);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const float have = c[static_cast<std::size_t>(i * n + j)];
      if (i == 3) {
        EXPECT_TRUE(std::isnan(have));
      } else {
        EXPECT_EQ(have, j == 7 ? std::numeric_limits<float>::infinity() : 8.0f);
      }
    }
  }
}

}  // namespace
