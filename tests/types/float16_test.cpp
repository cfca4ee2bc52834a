// Every pattern of the 16-bit floats, and their rounding from f32, against Eigen's types and the
// definition.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <tilewright/types/convert.hpp>
#include <tilewright/types/float16.hpp>

#include "oracle.hpp"

namespace tilewright {
namespace {

template <class T>
struct peer;
template <>
struct peer<f16> {
  static float value(std::uint16_t bits) {
    return static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits));
  }
  static std::uint16_t bits(float value) {
    return Eigen::numext::bit_cast<std::uint16_t>(Eigen::half(value));
  }
};
template <>
struct peer<bf16> {
  static float value(std::uint16_t bits) {
    return static_cast<float>(Eigen::numext::bit_cast<Eigen::bfloat16>(bits));
  }
  static std::uint16_t bits(float value) {
    return Eigen::numext::bit_cast<std::uint16_t>(Eigen::bfloat16(value));
  }
};

template <class T>
class SmallFloat : public ::testing::Test {};
using SmallFloats = ::testing::Types<f16, bf16>;
TYPED_TEST_SUITE(SmallFloat, SmallFloats);

TYPED_TEST(SmallFloat, EveryPatternHasItsValue) {
  for (std::uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const float value = TypeParam::from_bits(bits);
    const oracle::wide defined = oracle::value_of(oracle::format_of<TypeParam>(), bits);
    ASSERT_TRUE(oracle::same(value, defined)) << std::hex << pattern;
    ASSERT_TRUE(oracle::same(value, peer<TypeParam>::value(bits))) << std::hex << pattern;
  }
}

TYPED_TEST(SmallFloat, EveryValueRoundsToItself) {
  for (std::uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const float value = TypeParam::from_bits(bits);
    if (std::isnan(value)) {
      // A NaN stays one of the same sign.
      const float back = TypeParam(value);
      ASSERT_TRUE(std::isnan(back)) << std::hex << pattern;
      ASSERT_EQ(std::signbit(back), std::signbit(value)) << std::hex << pattern;
    } else {
      ASSERT_EQ(TypeParam(value).bits, bits) << std::hex << pattern;
    }
  }
}

template <class T>
void expect_rounding(float value) {
  const T got(value);
  const oracle::wide want = oracle::round_to(oracle::format_of<T>(), value);
  ASSERT_TRUE(oracle::same(static_cast<float>(got), want))
      << value << " gave " << static_cast<float>(got);
  if (!std::isnan(value)) {
    ASSERT_EQ(got.bits, peer<T>::bits(value)) << value;
  }
}

TYPED_TEST(SmallFloat, RoundsToNearestEven) {
  // Around each point in the middle of two neighbours, and at it.
  for (std::uint32_t pattern = 0; pattern < 0x7fff; ++pattern) {
    const float low = TypeParam::from_bits(static_cast<std::uint16_t>(pattern));
    const float high = TypeParam::from_bits(static_cast<std::uint16_t>(pattern + 1));
    if (!std::isfinite(high)) break;
    const float middle = low + (high - low) / 2;
    for (const float value :
         {std::nextafterf(middle, low), middle, std::nextafterf(middle, high)}) {
      expect_rounding<TypeParam>(value);
      expect_rounding<TypeParam>(-value);
    }
  }
  // All over the range of f32: exponents, signs, subnormals, infinities and NaN.
  for (std::uint64_t pattern = 0; pattern <= 0xffffffffu; pattern += 4099) {
    expect_rounding<TypeParam>(std::bit_cast<float>(static_cast<std::uint32_t>(pattern)));
  }
}

TYPED_TEST(SmallFloat, EdgesOfTheRange) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float value :
       {0.0f, -0.0f, infinity, -infinity, std::numeric_limits<float>::max(),
        std::numeric_limits<float>::denorm_min(), -std::numeric_limits<float>::denorm_min(),
        std::numeric_limits<float>::quiet_NaN()}) {
    expect_rounding<TypeParam>(value);
  }
}

// Worked by hand: 0.1 = 1.6 x 2^-4; 0.6 x 1024 = 614.4 rounds to 0x266, exponent field 11.
static_assert(f16(0.1f).bits == 0x2e66);
static_assert(f16(65504.0f).bits == 0x7bff, "the largest finite f16");
static_assert(f16(65500.0f).bits == 0x7bff, "neighbours there are 32 apart");
static_assert(f16(65519.99f).bits == 0x7bff && f16(65520.0f).bits == 0x7c00);
static_assert(f16(0x1p-24f).bits == 1 && f16(0x1p-25f).bits == 0 && f16(0x1.8p-25f).bits == 1);
static_assert(f16(42.0f).bits == 0x5140 && f16(-1.5f).bits == 0xbe00);
// 0.1f is 0x3dcccccd: the lower half is above the middle.
static_assert(bf16(0.1f).bits == 0x3dcd);
static_assert(bf16(1.0f + 0x1p-8f).bits == 0x3f80 && bf16(1.0f + 0x3p-8f).bits == 0x3f82,
              "ties go to even");
static_assert(bf16(std::numeric_limits<float>::max()).bits == 0x7f80);
static_assert(static_cast<float>(f16::from_bits(0x0001)) == 0x1p-24f);
static_assert(static_cast<float>(f16::from_bits(0x83ff)) == -0x3ffp-24f);

}  // namespace
}  // namespace tilewright
