#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <tilewright/ir/evaluate.hpp>
#include <vector>

namespace tilewright {
namespace {

constexpr dtype all_types[] = {dtype::i1,   dtype::i8,  dtype::i16, dtype::i32, dtype::i64,
                               dtype::u8,   dtype::u16, dtype::u32, dtype::u64, dtype::f16,
                               dtype::bf16, dtype::f32, dtype::f64};

std::uint64_t bits(float value) { return to_bits(value); }

// Usable in constant expressions, where the folding of constants needs it.
static_assert(evaluate(op::add, dtype::i8, 0x7f, 1) == 0x80);
static_assert(evaluate(op::where, dtype::i32, 1, 5, 6) == 5);
static_assert(evaluate_cast(dtype::i32, dtype::u8, 0x1ff) == 0xff);

TEST(Evaluate, IntegersFollowTheDevice) {
  const std::uint64_t minus_one = 0xffffffffu;
  const std::uint64_t lowest = 0x80000000u;
  EXPECT_EQ(evaluate(op::div, dtype::i32, 7, 0), minus_one);
  EXPECT_EQ(evaluate(op::div, dtype::i32, lowest, minus_one), lowest);
  EXPECT_EQ(evaluate(op::rem, dtype::i32, lowest, minus_one), 0u);
  EXPECT_EQ(evaluate(op::rem, dtype::i32, 7, 0), 7u);
  EXPECT_EQ(evaluate(op::div, dtype::i32, to_bits(-7), 2), to_bits(-3));
  EXPECT_EQ(evaluate(op::shl, dtype::u8, 1, 9), 2u);
  EXPECT_EQ(evaluate(op::shr, dtype::i32, minus_one, 4), minus_one);
  EXPECT_EQ(evaluate(op::shr, dtype::u32, minus_one, 4), 0x0fffffffu);
  EXPECT_EQ(evaluate(op::lt, dtype::i32, minus_one, 0), 1u);
  EXPECT_EQ(evaluate(op::lt, dtype::u32, minus_one, 0), 0u);
  EXPECT_EQ(evaluate(op::add, dtype::i64, std::numeric_limits<std::uint64_t>::max(), 2), 1u);
}

TEST(Evaluate, FloatsRoundOnceInTheirOwnType) {
  EXPECT_EQ(evaluate(op::add, dtype::f32, bits(1.5f), bits(2.25f)), bits(3.75f));
  EXPECT_EQ(evaluate(op::div, dtype::f32, bits(1.0f), bits(3.0f)), bits(1.0f / 3.0f));
  EXPECT_EQ(evaluate(op::sqrt, dtype::f32, bits(2.0f)), bits(std::sqrt(2.0f)));
  // 2048 + 1 needs 12 significant bits, f16 has 11: it rounds to the even neighbour.
  EXPECT_EQ(evaluate(op::add, dtype::f16, to_bits(f16(2048.0f)), to_bits(f16(1.0f))),
            to_bits(f16(2048.0f)));
  const std::uint64_t nan = bits(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(evaluate(op::maximum, dtype::f32, nan, bits(-1.0f)), bits(-1.0f));
  EXPECT_EQ(evaluate(op::ne, dtype::f32, nan, nan), 1u);
  EXPECT_EQ(evaluate(op::neg, dtype::f32, bits(0.0f)), bits(-0.0f));
}

TEST(Evaluate, SelectTakesABooleanFirst) {
  EXPECT_EQ(evaluate(op::where, dtype::f32, 1, bits(2.0f), bits(3.0f)), bits(2.0f));
  EXPECT_EQ(evaluate(op::where, dtype::f32, 0, bits(2.0f), bits(3.0f)), bits(3.0f));
}

TEST(Evaluate, CastConverts) {
  EXPECT_EQ(evaluate_cast(dtype::f32, dtype::i32, bits(-2.75f)), to_bits(-2));
  EXPECT_EQ(evaluate_cast(dtype::f32, dtype::i8, bits(1e9f)), 127u);
  EXPECT_EQ(evaluate_cast(dtype::i32, dtype::i64, to_bits(-2)), to_bits(std::int64_t{-2}));
  EXPECT_EQ(evaluate_cast(dtype::u32, dtype::i64, 0xfffffffeu), 0xfffffffeu);
  EXPECT_EQ(evaluate_cast(dtype::f32, dtype::f16, bits(1.0f)), 0x3c00u);
  EXPECT_EQ(evaluate_cast(dtype::f32, dtype::i1, bits(0.5f)), 1u);
}

TEST(Evaluate, WhatAnOperationDoesNotAcceptGivesZero) {
  EXPECT_EQ(evaluate(op::shl, dtype::f32, bits(1.0f), bits(1.0f)), 0u);
  EXPECT_EQ(evaluate(op::shl, dtype::i1, 1, 0), 0u);
  EXPECT_EQ(evaluate(op::bit_or, dtype::f32, bits(1.0f), bits(1.0f)), 0u);
  EXPECT_EQ(evaluate(op::bit_not, dtype::f64, 0), 0u);
  EXPECT_EQ(evaluate(op::exp, dtype::i32, 1), 0u);
  EXPECT_EQ(evaluate(op::load, dtype::i32, 1), 0u);
}

// Rows give what single values give, for every operation, type and stride.
TEST(EvaluateElements, AgreesWithEvaluate) {
  constexpr std::int64_t count = 37;
  std::uint64_t random = 1;
  for (int code = 0; code < op_count; ++code) {
    const op operation = static_cast<op>(code);
    const op_kind kind = info_of(operation).kind;
    if (kind == op_kind::structural) continue;
    for (const dtype type : all_types) {
      if (!accepts(kind, type)) continue;
      const std::ptrdiff_t strides[3] = {2, 0, 1};
      std::vector<std::byte> data[3];
      input_row inputs[3];
      const auto type_of = [&](int index) {
        return kind == op_kind::select && index == 0 ? dtype::i1 : type;
      };
      const auto element = [&](int index, std::int64_t i) {
        return with_element(type_of(index), [&]<class T>() {
          return to_bits(detail::load_element<T>(
              data[index].data() + i * strides[index] * static_cast<std::ptrdiff_t>(sizeof(T))));
        });
      };
      for (int index = 0; index < 3; ++index) {
        data[index].resize(static_cast<std::size_t>(2 * count * 8));
        for (std::byte& byte : data[index]) {
          random = random * 6364136223846793005u + 1442695040888963407u;
          byte = static_cast<std::byte>(random >> 56);
          if (type_of(index) == dtype::i1) byte &= std::byte{1};
        }
        inputs[index] = {data[index].data(), strides[index]};
      }
      std::vector<std::byte> result(static_cast<std::size_t>(3 * count * 8), std::byte{0xee});
      evaluate_elements(operation, type, count, inputs, {result.data(), 3});
      const dtype result_dtype = result_type(kind, type);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t expected =
            evaluate(operation, type, element(0, i), element(1, i), element(2, i));
        const std::size_t width = static_cast<std::size_t>(size_of(result_dtype));
        const std::size_t at = static_cast<std::size_t>(3 * i) * width;
        const std::uint64_t actual = with_element(result_dtype, [&]<class T>() {
          return to_bits(detail::load_element<T>(result.data() + at));
        });
        ASSERT_EQ(actual, expected) << name_of(operation) << " " << name_of(type) << " " << i;
        // What lies between the elements stays as it was.
        ASSERT_EQ(result[at + width], std::byte{0xee});
      }
    }
  }
}

TEST(EvaluateElements, MayRewriteItsInput) {
  std::vector<float> values = {1.0f, 2.0f, 3.0f};
  std::byte* const data = reinterpret_cast<std::byte*>(values.data());
  const input_row inputs[2] = {{data, 1}, {data, 1}};
  evaluate_elements(op::mul, dtype::f32, 3, inputs, {data, 1});
  EXPECT_EQ(values, (std::vector<float>{1.0f, 4.0f, 9.0f}));
}

TEST(EvaluateElements, CastAgreesWithEvaluateCast) {
  constexpr std::int64_t count = 19;
  const double numbers[count] = {0.0,   1.0,   -1.0,  0.5,     -0.5,   2.5, 3.5,
                                 127.0, 128.0, 255.0, 256.0,   -129.0, 1e5, -1e5,
                                 3e9,   1e20,  -1e20, 65520.0, 1e-8};
  for (const dtype from : all_types) {
    std::vector<std::byte> source(static_cast<std::size_t>(count * 8));
    with_element(from, [&]<class T>() {
      for (std::int64_t i = 0; i < count; ++i) {
        detail::store_element(source.data() + i * static_cast<std::ptrdiff_t>(sizeof(T)),
                              convert<T>(numbers[i]));
      }
    });
    for (const dtype to : all_types) {
      std::vector<std::byte> result(static_cast<std::size_t>(count * 8));
      evaluate_cast_elements(from, to, count, {source.data(), 1}, {result.data(), 1});
      for (std::int64_t i = 0; i < count; ++i) {
        const auto pattern = [i](dtype type, const std::vector<std::byte>& bytes) {
          return with_element(type, [&]<class T>() {
            return to_bits(
                detail::load_element<T>(bytes.data() + i * static_cast<std::ptrdiff_t>(sizeof(T))));
          });
        };
        ASSERT_EQ(pattern(to, result), evaluate_cast(from, to, pattern(from, source)))
            << name_of(from) << " to " << name_of(to) << " of " << numbers[i];
      }
    }
  }
}

// Memory that was never written holds bytes that no i1 has; reading them is defined.
TEST(EvaluateElements, AnyNonZeroByteIsTrue) {
  const std::byte poison[2] = {std::byte{0xff}, std::byte{0x00}};
  std::byte result[2];
  const input_row inputs[1] = {{poison, 1}};
  evaluate_elements(op::bit_not, dtype::i1, 2, inputs, {result, 1});
  EXPECT_EQ(result[0], std::byte{0});
  EXPECT_EQ(result[1], std::byte{1});
}

}  // namespace
}  // namespace tilewright
