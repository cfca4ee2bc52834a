// The table's scalar meanings against independent arithmetic, and its rules about types.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <tilewright/ir/evaluate.hpp>
#include <tilewright/ir/op_table.hpp>

#include "types/oracle.hpp"

namespace tilewright {
namespace {

__extension__ typedef __int128 big;  // exact for all sums and products of 64-bit integers

/// `value` modulo 2^width, in the range of `T`.
template <class T>
T wrapped(big value) {
  const big modulus = big{1} << (std::is_same_v<T, bool> ? 1 : sizeof(T) * 8);
  value = (value % modulus + modulus) % modulus;
  if (value > big{std::numeric_limits<T>::max()}) value -= modulus;
  return static_cast<T>(value);
}

template <class T>
using binary = std::function<T(big, big)>;

/// x times y modulo 2^128, of which only the low 64 bits are looked at.
big times(big x, big y) {
  __extension__ using unsigned_big = unsigned __int128;
  return static_cast<big>(static_cast<unsigned_big>(x) * static_cast<unsigned_big>(y));
}

/// The meaning of each integer operation in unbounded integers.
template <class T>
std::vector<std::pair<op, binary<T>>> integer_meanings() {
  constexpr big width = sizeof(T) * 8;
  constexpr big modulus = big{1} << width;
  const auto amount = [](big y) { return static_cast<int>((y % width + width) % width); };
  return {
      {op::add, [](big x, big y) { return wrapped<T>(x + y); }},
      {op::sub, [](big x, big y) { return wrapped<T>(x - y); }},
      {op::mul, [](big x, big y) { return wrapped<T>(times(x, y)); }},
      {op::div, [](big x, big y) { return y == 0 ? wrapped<T>(-1) : wrapped<T>(x / y); }},
      {op::rem, [](big x, big y) { return y == 0 ? wrapped<T>(x) : wrapped<T>(x % y); }},
      {op::maximum, [](big x, big y) { return wrapped<T>(x < y ? y : x); }},
      {op::minimum, [](big x, big y) { return wrapped<T>(x < y ? x : y); }},
      {op::bit_and, [](big x, big y) { return wrapped<T>((x + modulus) & (y + modulus)); }},
      {op::bit_or, [](big x, big y) { return wrapped<T>((x + modulus) | (y + modulus)); }},
      {op::bit_xor, [](big x, big y) { return wrapped<T>((x + modulus) ^ (y + modulus)); }},
      {op::shl, [=](big x, big y) { return wrapped<T>(times(x, big{1} << amount(y))); }},
      // Division that rounds down is an arithmetic shift for signed, a logical one for unsigned.
      {op::shr,
       [=](big x, big y) {
         const big power = big{1} << amount(y);
         return wrapped<T>((x - (x % power + power) % power) / power);
       }},
  };
}

using comparison_meaning = std::function<bool(big, big)>;
const std::vector<std::pair<op, comparison_meaning>> comparisons = {
    {op::lt, [](big x, big y) { return x < y; }},  {op::le, [](big x, big y) { return x <= y; }},
    {op::gt, [](big x, big y) { return x > y; }},  {op::ge, [](big x, big y) { return x >= y; }},
    {op::eq, [](big x, big y) { return x == y; }}, {op::ne, [](big x, big y) { return x != y; }},
};

template <class T>
std::vector<T> operands() {
  std::vector<T> values;
  if constexpr (sizeof(T) == 1) {  // all there are
    for (int i = 0; i < 256; ++i) values.push_back(static_cast<T>(i));
  } else {
    const T lowest = std::numeric_limits<T>::lowest();
    const T highest = std::numeric_limits<T>::max();
    values = {T{0},
              T{1},
              T{2},
              T{7},
              static_cast<T>(-1),
              static_cast<T>(-7),
              lowest,
              highest,
              static_cast<T>(lowest + 1),
              static_cast<T>(highest - 1),
              static_cast<T>(highest / 2)};
    std::mt19937_64 random(3);
    while (values.size() < 150) values.push_back(static_cast<T>(random() >> (random() % 64)));
  }
  return values;
}

template <class T>
class Integers : public ::testing::Test {};
using IntegerTypes = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                      std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Integers, IntegerTypes);

TYPED_TEST(Integers, BinaryOperations) {
  constexpr dtype type = dtype_v<TypeParam>;
  for (const auto& [code, want] : integer_meanings<TypeParam>()) {
    for (const TypeParam x : operands<TypeParam>()) {
      for (const TypeParam y : operands<TypeParam>()) {
        ASSERT_EQ(from_bits<TypeParam>(evaluate(code, type, to_bits(x), to_bits(y))), want(x, y))
            << name_of(code) << " " << +x << ", " << +y;
      }
    }
  }
  for (const auto& [code, want] : comparisons) {
    for (const TypeParam x : operands<TypeParam>()) {
      for (const TypeParam y : operands<TypeParam>()) {
        ASSERT_EQ(evaluate(code, type, to_bits(x), to_bits(y)), want(x, y) ? 1u : 0u)
            << name_of(code) << " " << +x << ", " << +y;
      }
    }
  }
}

TYPED_TEST(Integers, UnaryOperations) {
  constexpr dtype type = dtype_v<TypeParam>;
  for (const TypeParam x : operands<TypeParam>()) {
    const big wide = x;
    const auto got = [&](op code) {
      return from_bits<TypeParam>(evaluate(code, type, to_bits(x)));
    };
    ASSERT_EQ(got(op::neg), wrapped<TypeParam>(-wide)) << +x;
    ASSERT_EQ(got(op::abs), wrapped<TypeParam>(wide < 0 ? -wide : wide)) << +x;
    ASSERT_EQ(got(op::bit_not), wrapped<TypeParam>(-wide - 1)) << +x;
  }
}

// I1 and I3: `/` and `%` truncate as in C, and division by zero has the device's values.
TEST(IntegersByHand, Division) {
  const auto div = [](std::int32_t x, std::int32_t y) { return meaning<op::div>::eval(x, y); };
  const auto rem = [](std::int32_t x, std::int32_t y) { return meaning<op::rem>::eval(x, y); };
  const std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(div(-1, 2), 0);
  EXPECT_EQ(rem(-7, 3), -1);
  EXPECT_EQ(div(7, -2), -3);
  EXPECT_EQ(rem(7, -2), 1);
  EXPECT_EQ(div(7, 0), -1);
  EXPECT_EQ(rem(7, 0), 7);
  EXPECT_EQ(div(lowest, -1), lowest);
  EXPECT_EQ(rem(lowest, -1), 0);
  EXPECT_EQ(meaning<op::div>::eval(std::uint8_t{7}, std::uint8_t{0}), 255);
}

// I6: i1 + i1 wraps; the other operations of i1 stay within 0 and 1.
TEST(Booleans, TruthTables) {
  struct row {
    op code;
    unsigned results[4];  // of (0, 0), (0, 1), (1, 0), (1, 1)
  };
  for (const row& r :
       {row{op::add, {0, 1, 1, 0}}, row{op::sub, {0, 1, 1, 0}}, row{op::mul, {0, 0, 0, 1}},
        row{op::div, {1, 0, 1, 1}}, row{op::rem, {0, 0, 1, 0}}, row{op::maximum, {0, 1, 1, 1}},
        row{op::minimum, {0, 0, 0, 1}}, row{op::lt, {0, 1, 0, 0}}, row{op::le, {1, 1, 0, 1}},
        row{op::gt, {0, 0, 1, 0}}, row{op::ge, {1, 0, 1, 1}}, row{op::eq, {1, 0, 0, 1}},
        row{op::ne, {0, 1, 1, 0}}, row{op::bit_and, {0, 0, 0, 1}}, row{op::bit_or, {0, 1, 1, 1}},
        row{op::bit_xor, {0, 1, 1, 0}}}) {
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_EQ(evaluate(r.code, dtype::i1, i >> 1, i & 1u), r.results[i])
          << name_of(r.code) << " " << (i >> 1) << ", " << (i & 1u);
    }
  }
  EXPECT_EQ(evaluate(op::bit_not, dtype::i1, 0), 1u);
  EXPECT_EQ(evaluate(op::bit_not, dtype::i1, 1), 0u);
  EXPECT_EQ(evaluate(op::neg, dtype::i1, 1), 1u);
  EXPECT_EQ(evaluate(op::abs, dtype::i1, 1), 1u);
}

template <class T>
class Floats : public ::testing::Test {};
using FloatTypes = ::testing::Types<f16, bf16, float>;
TYPED_TEST_SUITE(Floats, FloatTypes);

/// Random patterns, small whole numbers and the special values.
template <class T>
std::vector<T> float_operands() {
  std::vector<T> values;
  for (const double value : {0.0, 1.0, 1.5, 2.0, 3.0, 7.5, 65504.0, 1e-5, 1e30, HUGE_VAL}) {
    values.push_back(convert<T>(value));
    values.push_back(convert<T>(-value));
  }
  values.push_back(convert<T>(std::numeric_limits<double>::quiet_NaN()));
  std::mt19937_64 random(5);
  while (values.size() < 400) values.push_back(from_bits<T>(random()));
  return values;
}

// A result of + - * / and sqrt that was rounded to 64 bits rounds to these types as if in one step.
TYPED_TEST(Floats, ArithmeticIsRoundedOnce) {
  using oracle::wide;
  const std::pair<op, std::function<wide(wide, wide)>> cases[] = {
      {op::add, [](wide x, wide y) { return x + y; }},
      {op::sub, [](wide x, wide y) { return x - y; }},
      {op::mul, [](wide x, wide y) { return x * y; }},
      {op::div, [](wide x, wide y) { return x / y; }},
      {op::rem, [](wide x, wide y) { return std::fmod(x, y); }},
  };
  for (const auto& [code, exact] : cases) {
    for (const TypeParam x : float_operands<TypeParam>()) {
      for (const TypeParam y : float_operands<TypeParam>()) {
        const auto got =
            from_bits<TypeParam>(evaluate(code, dtype_v<TypeParam>, to_bits(x), to_bits(y)));
        const wide want = oracle::round_to(oracle::format_of<TypeParam>(),
                                           exact(oracle::exact(x), oracle::exact(y)));
        ASSERT_TRUE(oracle::same(oracle::exact(got), want))
            << name_of(code) << " " << oracle::exact(x) << ", " << oracle::exact(y) << " gave "
            << oracle::exact(got) << ", want " << want;
      }
    }
  }
}

TYPED_TEST(Floats, ComparisonsAreFalseForNaNButNotEqual) {
  using oracle::wide;
  const std::pair<op, std::function<bool(wide, wide)>> cases[] = {
      {op::lt, [](wide x, wide y) { return std::isless(x, y); }},
      {op::le, [](wide x, wide y) { return std::islessequal(x, y); }},
      {op::gt, [](wide x, wide y) { return std::isgreater(x, y); }},
      {op::ge, [](wide x, wide y) { return std::isgreaterequal(x, y); }},
      {op::eq, [](wide x, wide y) { return std::islessequal(x, y) && std::isgreaterequal(x, y); }},
      {op::ne, [](wide x, wide y) { return std::islessgreater(x, y) || std::isunordered(x, y); }},
  };
  for (const auto& [code, want] : cases) {
    for (const TypeParam x : float_operands<TypeParam>()) {
      for (const TypeParam y : float_operands<TypeParam>()) {
        ASSERT_EQ(evaluate(code, dtype_v<TypeParam>, to_bits(x), to_bits(y)),
                  want(oracle::exact(x), oracle::exact(y)) ? 1u : 0u)
            << name_of(code) << " " << oracle::exact(x) << ", " << oracle::exact(y);
      }
    }
  }
}

TYPED_TEST(Floats, MaximumAndMinimumPreferNumbersAndTheFirst) {
  for (const TypeParam x : float_operands<TypeParam>()) {
    for (const TypeParam y : float_operands<TypeParam>()) {
      const auto pick = [&](op code) {
        return evaluate(code, dtype_v<TypeParam>, to_bits(x), to_bits(y));
      };
      const oracle::wide a = oracle::exact(x);
      const oracle::wide b = oracle::exact(y);
      const bool second_larger = std::isnan(a) || b > a;
      const bool second_smaller = std::isnan(a) || b < a;
      ASSERT_EQ(pick(op::maximum), to_bits(second_larger ? y : x)) << a << ", " << b;
      ASSERT_EQ(pick(op::minimum), to_bits(second_smaller ? y : x)) << a << ", " << b;
    }
  }
}

TYPED_TEST(Floats, SignsAreBits) {
  const std::uint64_t sign = std::uint64_t{1} << (sizeof(TypeParam) * 8 - 1);
  for (const TypeParam x : float_operands<TypeParam>()) {
    EXPECT_EQ(evaluate(op::neg, dtype_v<TypeParam>, to_bits(x)), to_bits(x) ^ sign);
    EXPECT_EQ(evaluate(op::abs, dtype_v<TypeParam>, to_bits(x)), to_bits(x) & ~sign);
  }
}

template <class T>
void check_functions(T x) {
  const std::pair<op, std::function<oracle::wide(oracle::wide)>> cases[] = {
      {op::exp, [](oracle::wide v) { return std::exp(v); }},
      {op::log, [](oracle::wide v) { return std::log(v); }},
      {op::sqrt, [](oracle::wide v) { return std::sqrt(v); }},
  };
  for (const auto& [code, exact] : cases) {
    const T got = from_bits<T>(evaluate(code, dtype_v<T>, to_bits(x)));
    const oracle::wide want = oracle::round_to(oracle::format_of<T>(), exact(oracle::exact(x)));
    ASSERT_TRUE(oracle::same(oracle::exact(got), want))
        << name_of(code) << " " << oracle::exact(x) << " gave " << oracle::exact(got);
  }
}

TEST(Functions, EverySmallFloatIsCorrectlyRounded) {
  for (std::uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
    check_functions(f16::from_bits(static_cast<std::uint16_t>(pattern)));
    check_functions(bf16::from_bits(static_cast<std::uint16_t>(pattern)));
  }
}

TEST(Functions, SampledF32IsCorrectlyRounded) {
  for (std::uint64_t pattern = 0; pattern <= 0xffffffffu; pattern += 32771) {
    check_functions(std::bit_cast<float>(static_cast<std::uint32_t>(pattern)));
  }
}

TEST(Functions, FusedMultiplyAddRoundsOnce) {
  // (1 + 2^-23)^2 - 1 - 2^-22 is 2^-46, which a rounded product would lose.
  const float x = 1 + 0x1p-23f;
  EXPECT_EQ(scalar_math::fused_multiply_add(x, x, -1 - 0x1p-22f), 0x1p-46f);
  EXPECT_EQ(scalar_math::fused_multiply_add(std::int32_t{1} << 30, 4, 5), 5);
}

TEST(Select, TakesBothSidesBits) {
  const std::uint64_t nan = to_bits(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(evaluate(op::where, dtype::f32, 1, nan, 7), nan);
  EXPECT_EQ(evaluate(op::where, dtype::f32, 0, nan, to_bits(-0.0f)), to_bits(-0.0f));
}

// ---- the table's own rules ----

TEST(Table, RowsAreComplete) {
  std::set<std::string> names;
  for (int i = 0; i < op_count; ++i) {
    const op_info& row = info_of(static_cast<op>(i));
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " is there twice";
    EXPECT_NE(std::string(row.summary), "") << row.name;
    EXPECT_GE(row.host_ulp, 0) << row.name;
    if (row.kind != op_kind::structural) {
      EXPECT_TRUE(contains(row.units, unit::vector)) << row.name << ": the vector core does all";
    }
  }
  EXPECT_EQ(std::string(name_of(op::add)), "add");
  EXPECT_EQ(std::string(name_of(op::where)), "where");
  EXPECT_EQ(std::string(name_of(op::end_loop)), "end_loop");
}

TEST(Table, TypesOfReductions) {
  struct row {
    dtype source, sum, extremum;
  };
  for (const row& r :
       {row{dtype::i1, dtype::u32, dtype::i32}, row{dtype::i8, dtype::i32, dtype::i32},
        row{dtype::i16, dtype::i32, dtype::i32}, row{dtype::i32, dtype::i32, dtype::i32},
        row{dtype::i64, dtype::i64, dtype::i64}, row{dtype::u8, dtype::u32, dtype::u32},
        row{dtype::u16, dtype::u32, dtype::u32}, row{dtype::u32, dtype::u32, dtype::u32},
        row{dtype::u64, dtype::u64, dtype::u64}, row{dtype::f16, dtype::f16, dtype::f32},
        row{dtype::bf16, dtype::bf16, dtype::f32}, row{dtype::f32, dtype::f32, dtype::f32},
        row{dtype::f64, dtype::f64, dtype::f64}}) {
    EXPECT_EQ(reduced_type(op::add, r.source), r.sum) << name_of(r.source);
    EXPECT_EQ(reduced_type(op::maximum, r.source), r.extremum) << name_of(r.source);
    EXPECT_EQ(reduced_type(op::minimum, r.source), r.extremum) << name_of(r.source);
  }
  EXPECT_EQ(accumulator_type(dtype::f16), dtype::f32);
  EXPECT_EQ(accumulator_type(dtype::bf16), dtype::f32);
  EXPECT_EQ(accumulator_type(dtype::f64), dtype::f64);
  EXPECT_EQ(accumulator_type(dtype::u32), dtype::u32);
}

}  // namespace
}  // namespace tilewright
