// Conversion between all pairs of element types against its definition, and cases worked by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include <tilewright/types/convert.hpp>

#include "oracle.hpp"

namespace tilewright {
namespace {

/// Values of `T` where conversions change their minds, and random patterns.
template <class T>
std::vector<T> interesting() {
  std::vector<T> values;
  const auto add = [&](double value) { values.push_back(convert<T>(value)); };
  if constexpr (is_float(dtype_v<T>)) {
    for (const double value :
         {0.0,     0.25,    0.5,        0.75,    1.0,       1.5,      2.5,     126.5,   127.0,
          128.0,   254.5,   255.0,      256.0,   32767.0,   32768.0,  65504.0, 65519.0, 65520.0,
          65535.0, 65536.0, 0x1p24 + 1, 0x1p31,  0x1p32,    0x1p63,   0x1p64,  1e30,    1e300,
          1e-30,   1e-320,  0x1p-24,    0x1p-25, 0x1.8p-25, 0x1p-133, 0x1p-149}) {
      add(value);
      add(-value);
    }
    add(std::numeric_limits<double>::infinity());
    add(-std::numeric_limits<double>::infinity());
    add(std::numeric_limits<double>::quiet_NaN());
  } else {
    const T lowest = std::numeric_limits<T>::lowest();
    const T highest = std::numeric_limits<T>::max();
    for (const T value : {T{0}, T{1}, lowest, highest}) values.push_back(value);
    if constexpr (!std::is_same_v<T, bool>) {
      values.push_back(static_cast<T>(-1));
      values.push_back(static_cast<T>(highest - 1));
      values.push_back(static_cast<T>(lowest + 1));
      values.push_back(static_cast<T>(highest / 2 + 1));
    }
  }
  std::mt19937_64 random(17);
  for (int i = 0; i < 20000; ++i) {
    // Fewer bits as often as many, so that small integers and all exponents come up.
    const std::uint64_t bits = random() >> (random() % 64);
    if constexpr (std::is_same_v<T, bool>) {
      values.push_back((bits & 1u) != 0);
    } else {
      values.push_back(from_bits<T>(bits));
      values.push_back(from_bits<T>(~bits));
    }
  }
  return values;
}

template <class To, class From>
void check_pair() {
  for (const From value : interesting<From>()) {
    const To got = convert<To>(value);
    if constexpr (is_float(dtype_v<To>)) {
      ASSERT_TRUE(oracle::same(oracle::exact(got), oracle::converted<To>(value)))
          << name_of(dtype_v<From>) << " to " << name_of(dtype_v<To>) << " of 0x" << std::hex
          << to_bits(value) << " gave 0x" << to_bits(got);
    } else {
      ASSERT_EQ(oracle::exact(got), oracle::converted<To>(value))
          << name_of(dtype_v<From>) << " to " << name_of(dtype_v<To>) << " of 0x" << std::hex
          << to_bits(value) << " gave 0x" << to_bits(got);
    }
  }
}

template <class From>
class Convert : public ::testing::Test {};
using Elements =
    ::testing::Types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                     std::uint16_t, std::uint32_t, std::uint64_t, f16, bf16, float, double>;
TYPED_TEST_SUITE(Convert, Elements);

TYPED_TEST(Convert, ToEveryType) {
  check_pair<bool, TypeParam>();
  check_pair<std::int8_t, TypeParam>();
  check_pair<std::int16_t, TypeParam>();
  check_pair<std::int32_t, TypeParam>();
  check_pair<std::int64_t, TypeParam>();
  check_pair<std::uint8_t, TypeParam>();
  check_pair<std::uint16_t, TypeParam>();
  check_pair<std::uint32_t, TypeParam>();
  check_pair<std::uint64_t, TypeParam>();
  check_pair<f16, TypeParam>();
  check_pair<bf16, TypeParam>();
  check_pair<float, TypeParam>();
  check_pair<double, TypeParam>();
}

TYPED_TEST(Convert, BitsThereAndBack) {
  for (const TypeParam value : interesting<TypeParam>()) {
    const std::uint64_t bits = to_bits(value);
    ASSERT_EQ(to_bits(from_bits<TypeParam>(bits)), bits);
    if (sizeof(TypeParam) < 8) {
      ASSERT_EQ(bits >> (sizeof(TypeParam) * 8 % 64), 0u);
    }
  }
}

// One rounding, where two would go wrong: the first would land on a tie.
TEST(ConvertByHand, DoubleToF16) {
  EXPECT_EQ(convert<f16>(1 + 0x1p-11 + 0x1p-40).bits, 0x3c01);
  EXPECT_EQ(convert<f16>(-1 - 0x1p-11 - 0x1p-40).bits, 0xbc01);
  EXPECT_EQ(convert<f16>(1 + 0x1p-11).bits, 0x3c00);
  EXPECT_EQ(convert<f16>(1 + 0x3p-11 - 0x1p-40).bits, 0x3c01);
  EXPECT_EQ(convert<f16>(65520 - 0x1p-30).bits, 0x7bff);
  EXPECT_EQ(convert<f16>(65520.0).bits, 0x7c00);
  EXPECT_EQ(convert<f16>(0x1p-25 + 0x1p-60).bits, 0x0001);
  EXPECT_EQ(convert<f16>(0x1p-25).bits, 0x0000);
  EXPECT_EQ(convert<f16>(-1e-300).bits, 0x8000);
  EXPECT_EQ(convert<f16>(1e300).bits, 0x7c00);
}

TEST(ConvertByHand, DoubleToBf16) {
  EXPECT_EQ(convert<bf16>(1 + 0x1p-8 + 0x1p-40).bits, 0x3f81);
  EXPECT_EQ(convert<bf16>(1 + 0x1p-8).bits, 0x3f80);
  // The middle of the largest finite value and 2^128, and just below.
  EXPECT_EQ(convert<bf16>(0x1.ffp127).bits, 0x7f80);
  EXPECT_EQ(convert<bf16>(0x1.ffp127 - 0x1p80).bits, 0x7f7f);
  // 2^-134 is half of the smallest value, 2^-133.
  EXPECT_EQ(convert<bf16>(0x1p-134).bits, 0x0000);
  EXPECT_EQ(convert<bf16>(0x1p-134 + 0x1p-180).bits, 0x0001);
}

TEST(ConvertByHand, IntegersToSmallFloats) {
  // At 2^40 neighbours are 2^33 apart: 2^40 + 2^32 is in the middle, one more is above it.
  constexpr std::int64_t middle = (std::int64_t{1} << 40) + (std::int64_t{1} << 32);
  EXPECT_EQ(convert<bf16>(middle).bits, (127 + 40) << 7);
  EXPECT_EQ(convert<bf16>(middle + 1).bits, ((127 + 40) << 7) + 1);
  EXPECT_EQ(convert<bf16>(-middle - 1).bits, 0x8000 + ((127 + 40) << 7) + 1);
  // Beyond what an f64 holds exactly.
  constexpr std::int64_t high = (std::int64_t{1} << 62) + (std::int64_t{1} << 54);
  EXPECT_EQ(convert<bf16>(high).bits, (127 + 62) << 7);
  EXPECT_EQ(convert<bf16>(high + 1).bits, ((127 + 62) << 7) + 1);
  EXPECT_EQ(convert<bf16>(std::numeric_limits<std::uint64_t>::max()).bits, (127 + 64) << 7);
  EXPECT_EQ(convert<bf16>(std::numeric_limits<std::int64_t>::min()).bits,
            0x8000 + ((127 + 63) << 7));
  EXPECT_EQ(convert<f16>(std::int64_t{65519}).bits, 0x7bff);
  EXPECT_EQ(convert<f16>(std::int64_t{65520}).bits, 0x7c00);
  EXPECT_EQ(convert<f16>(std::int32_t{2049}).bits, convert<f16>(std::int32_t{2048}).bits);
  EXPECT_EQ(convert<float>(std::int32_t{16777217}), 16777216.0f);
}

TEST(ConvertByHand, FloatToIntegerTruncatesAndSaturates) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(convert<std::int32_t>(-2.75f), -2);
  EXPECT_EQ(convert<std::int32_t>(2147483648.0f), 2147483647);
  EXPECT_EQ(convert<std::int32_t>(-infinity), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(convert<std::int32_t>(nan), 2147483647);
  EXPECT_EQ(convert<std::uint8_t>(-0.5f), 0);
  EXPECT_EQ(convert<std::uint8_t>(255.9), 255);
  EXPECT_EQ(convert<std::uint8_t>(256.0), 255);
  EXPECT_EQ(convert<std::int8_t>(-128.9), -128);
  EXPECT_EQ(convert<std::int8_t>(bf16(-1000.0f)), -128);
  EXPECT_EQ(convert<std::uint64_t>(0x1p64), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(convert<std::int64_t>(-0x1p63), std::numeric_limits<std::int64_t>::min());
}

TEST(ConvertByHand, Booleans) {
  EXPECT_TRUE(convert<bool>(0.5f));
  EXPECT_FALSE(convert<bool>(-0.0f));
  EXPECT_TRUE(convert<bool>(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(convert<bool>(f16(-0.0f)));
  EXPECT_TRUE(convert<bool>(std::int32_t{256}));
  EXPECT_EQ(convert<std::int64_t>(true), 1);
  EXPECT_EQ(convert<bf16>(true).bits, 0x3f80);
}

}  // namespace
}  // namespace tilewright
