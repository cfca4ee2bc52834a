// Promotion against the table, written out by hand.
#include <gtest/gtest.h>

#include <string>

#include <tilewright/types/promotion.hpp>

namespace tilewright {
namespace {

constexpr dtype types[] = {dtype::i1,   dtype::i8,  dtype::i16, dtype::i32, dtype::i64,
                           dtype::u8,   dtype::u16, dtype::u32, dtype::u64, dtype::f16,
                           dtype::bf16, dtype::f32, dtype::f64};

// Row and column in the order of `types`.
constexpr const char* added[13][13] = {
    // i1    i8     i16    i32    i64    u8     u16    u32    u64    f16    bf16    f32    f64
    {"i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f32", "f64"},
    {"i8", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f32", "f64"},
    {"i16", "i16", "i16", "i32", "i64", "i16", "u16", "u32", "u64", "f16", "f32", "f32", "f64"},
    {"i32", "i32", "i32", "i32", "i64", "i32", "i32", "u32", "u64", "f16", "f32", "f32", "f64"},
    {"i64", "i64", "i64", "i64", "i64", "i64", "i64", "i64", "u64", "f16", "f32", "f32", "f64"},
    {"u8", "u8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f32", "f64"},
    {"u16", "u16", "u16", "i32", "i64", "u16", "u16", "u32", "u64", "f16", "f32", "f32", "f64"},
    {"u32", "u32", "u32", "u32", "i64", "u32", "u32", "u32", "u64", "f16", "f32", "f32", "f64"},
    {"u64", "u64", "u64", "u64", "u64", "u64", "u64", "u64", "u64", "f16", "f32", "f32", "f64"},
    {"f16", "f16", "f16", "f16", "f16", "f16", "f16", "f16", "f16", "f16", "f16", "f32", "f64"},
    {"f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f16", "bf16", "f32", "f64"},
    {"f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f64"},
    {"f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64"},
};

TEST(Promotion, Table) {
  for (int left = 0; left < 13; ++left) {
    for (int right = 0; right < 13; ++right) {
      EXPECT_EQ(std::string(name_of(promote(types[left], types[right]))), added[left][right])
          << name_of(types[left]) << " + " << name_of(types[right]);
    }
  }
}

TEST(Promotion, DivisionOfFloatsIsDoneInF32OrF64) {
  for (int left = 0; left < 13; ++left) {
    for (int right = 0; right < 13; ++right) {
      const dtype x = types[left];
      const dtype y = types[right];
      std::string want = added[left][right];
      if (want == "f16" || want == "bf16") want = "f32";
      EXPECT_EQ(std::string(name_of(promote(x, y, true))), want)
          << name_of(x) << " / " << name_of(y);
    }
  }
}

// Literals of lower or equal kind adopt the type beside them.
static_assert(weak_literal(dtype::i32, dtype::i8) == dtype::i8);
static_assert(weak_literal(dtype::i64, dtype::u8) == dtype::u8);
static_assert(weak_literal(dtype::i32, dtype::f16) == dtype::f16);
static_assert(weak_literal(dtype::f32, dtype::f16) == dtype::f16);
static_assert(weak_literal(dtype::f32, dtype::bf16) == dtype::bf16);
static_assert(weak_literal(dtype::i1, dtype::i1) == dtype::i1);
static_assert(weak_literal(dtype::i1, dtype::i32) == dtype::i32);
// Those of a higher kind keep their own.
static_assert(weak_literal(dtype::f32, dtype::i64) == dtype::f32);
static_assert(weak_literal(dtype::i32, dtype::i1) == dtype::i32);

}  // namespace
}  // namespace tilewright
