// The SIMD wrapper on its own: conversions over every pattern, masked memory, lanes.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <tilewright/host/simd.hpp>
#include <tilewright/types/float16.hpp>
#include <vector>

#include "guarded.hpp"

namespace tilewright {
namespace {

constexpr int lanes = simd::lanes;

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

template <class Widen>
void check_widening(Widen widen, float (*expected)(std::uint16_t)) {
  for (std::uint32_t first = 0; first < 65536; first += static_cast<std::uint32_t>(lanes)) {
    std::uint16_t from[simd::lane_count];
    float to[simd::lane_count];
    for (int lane = 0; lane < lanes; ++lane) {
      from[lane] = static_cast<std::uint16_t>(first + static_cast<std::uint32_t>(lane));
    }
    simd::store(to, widen(simd::load_16(from)));
    for (int lane = 0; lane < lanes; ++lane) {
      ASSERT_EQ(bits_of(to[lane]), bits_of(expected(from[lane]))) << std::hex << from[lane];
    }
  }
}

TEST(Simd, PrintsItsTarget) {
  std::cout << "SIMD target " << simd::target_name() << ", " << lanes
            << " lanes, fused multiply-add " << (simd::has_fma ? "yes" : "no") << "\n";
  EXPECT_EQ(16 % lanes, 0);
}

TEST(Simd, WidensEveryF16) {
  check_widening([](simd::vu16 v) { return simd::widen_f16(v); }, &detail::f32_from_f16_bits);
  // The form in integer instructions, which targets without F16C use.
  check_widening(
      [](simd::vu16 v) {
        return simd::detail::f32_from_f16_integers(simd::hn::PromoteTo(simd::du{}, v));
      },
      &detail::f32_from_f16_bits);
}
TEST(Simd, WidensEveryBf16) {
  check_widening([](simd::vu16 v) { return simd::widen_bf16(v); },
                 [](std::uint16_t bits) { return static_cast<float>(bf16::from_bits(bits)); });
}

/// Patterns around every point where rounding to a 16-bit float changes, and random ones.
std::vector<float> narrowing_cases() {
  std::vector<float> cases;
  for (std::uint32_t high = 0; high < 65536; ++high) {
    for (const std::uint32_t low : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u,
                                    0x8001u, 0xefffu, 0xf000u, 0xffffu}) {
      cases.push_back(std::bit_cast<float>(high << 16 | low));
    }
  }
  std::mt19937 random(7);
  for (int i = 0; i < 1000000; ++i)
    cases.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  cases.resize(cases.size() / simd::lane_count * simd::lane_count);
  return cases;
}

template <class Narrow, class Expected>
void check_narrowing(Narrow narrow, Expected expected) {
  const std::vector<float> cases = narrowing_cases();
  for (std::size_t first = 0; first < cases.size(); first += simd::lane_count) {
    std::uint16_t to[simd::lane_count];
    simd::store_16(to, narrow(simd::load(cases.data() + first)));
    for (std::size_t lane = 0; lane < simd::lane_count; ++lane) {
      const float value = cases[first + lane];
      ASSERT_EQ(to[lane], expected(value)) << std::hex << bits_of(value);
    }
  }
}

TEST(Simd, NarrowsToF16WithOneRounding) {
  check_narrowing([](simd::vf v) { return simd::narrow_f16(v); },
                  [](float v) { return detail::f16_bits_from_f32(v); });
  check_narrowing(
      [](simd::vf v) { return simd::detail::narrow(simd::detail::f16_from_f32_integers(v)); },
      [](float v) { return detail::f16_bits_from_f32(v); });
}
TEST(Simd, NarrowsToBf16WithOneRounding) {
  check_narrowing([](simd::vf v) { return simd::narrow_bf16(v); },
                  [](float v) { return detail::bf16_bits_from_f32(v); });
}

TEST(Simd, ExactNarrowingKeepsEveryPattern) {
  for (std::uint32_t first = 0; first < 65536; first += static_cast<std::uint32_t>(lanes)) {
    std::uint16_t from[simd::lane_count];
    std::uint16_t half[simd::lane_count];
    std::uint16_t brain[simd::lane_count];
    for (int lane = 0; lane < lanes; ++lane) {
      from[lane] = static_cast<std::uint16_t>(first + static_cast<std::uint32_t>(lane));
    }
    simd::store_16(half, simd::narrow_exact_f16(simd::widen_f16(simd::load_16(from))));
    simd::store_16(brain, simd::narrow_exact_bf16(simd::widen_bf16(simd::load_16(from))));
    for (int lane = 0; lane < lanes; ++lane) {
      ASSERT_EQ(half[lane], from[lane]);
      ASSERT_EQ(brain[lane], from[lane]);
    }
  }
}

TEST(Simd, MaskedMemoryTouchesOnlyItsLanes) {
  for (int count = 0; count <= lanes; ++count) {
    // The array ends where memory ends.
    tests::guarded<float> memory(count);
    for (int i = 0; i < count; ++i) memory.data()[i] = static_cast<float>(i + 1);
    const simd::mask inside = simd::first_lanes(count);
    float loaded[simd::lane_count];
    simd::store(loaded, simd::load_masked(static_cast<const float*>(memory.data()), inside));
    for (int lane = 0; lane < lanes; ++lane) {
      EXPECT_EQ(loaded[lane], lane < count ? static_cast<float>(lane + 1) : 0.0f);
    }
    simd::store_masked(memory.data(), simd::set(-2.0f), inside);
    for (int i = 0; i < count; ++i) EXPECT_EQ(memory.data()[i], -2.0f);

    tests::guarded<std::uint16_t> narrow(count);
    for (int i = 0; i < count; ++i) narrow.data()[i] = static_cast<std::uint16_t>(i + 1);
    std::uint16_t words[simd::lane_count];
    simd::store_16(words, simd::load_first_16(narrow.data(), count));
    for (int lane = 0; lane < lanes; ++lane) EXPECT_EQ(words[lane], lane < count ? lane + 1 : 0);
    simd::store_first_16(narrow.data(), simd::load_16(words), count);
    for (int i = 0; i < count; ++i) EXPECT_EQ(narrow.data()[i], i + 1);
  }
}

TEST(Simd, StoreLeavesMaskedLanesAlone) {
  std::int32_t memory[simd::lane_count];
  for (std::int32_t& element : memory) element = 7;
  const simd::mask odd = simd::eq(simd::hn::And(simd::iota(0), simd::set(std::int32_t{1})),
                                  simd::set(std::int32_t{1}));
  simd::store_masked(memory, simd::set(std::int32_t{9}), odd);
  for (int lane = 0; lane < lanes; ++lane) EXPECT_EQ(memory[lane], lane % 2 == 1 ? 9 : 7);
}

TEST(Simd, MasksAsBytes) {
  for (int count = 0; count <= lanes; ++count) {
    std::uint8_t bytes[simd::lane_count];
    simd::store_bytes(bytes, simd::first_lanes(count));
    for (int lane = 0; lane < lanes; ++lane) EXPECT_EQ(bytes[lane], lane < count ? 1 : 0);
    std::uint8_t again[simd::lane_count];
    simd::store_bytes(again, simd::load_bytes(bytes));
    EXPECT_EQ(std::memcmp(bytes, again, sizeof(bytes)), 0);
  }
}

template <int Count>
void check_lanes_down() {
  if constexpr (2 * Count <= lanes) {
    float moved[simd::lane_count];
    simd::store(moved, simd::lanes_down<Count>(simd::hn::ConvertTo(simd::df{}, simd::iota(0))));
    for (int lane = 0; lane < Count; ++lane) {
      EXPECT_EQ(moved[lane], static_cast<float>(lane + Count));
    }
  }
}
TEST(Simd, LanesDown) {
  check_lanes_down<1>();
  check_lanes_down<2>();
  check_lanes_down<4>();
  check_lanes_down<8>();
}

TEST(Simd, MultiplyAddRoundsOnceWithFma) {
  // The product is 1 - 2^-24 + 2^-48 exactly; rounding it first loses the last term.
  const float x = 1.0f - std::ldexp(1.0f, -24), z = -1.0f;
  const float result = simd::first_lane(simd::mul_add(simd::set(x), simd::set(x), simd::set(z)));
  if (simd::has_fma) {
    EXPECT_EQ(result, std::fma(x, x, z));
  } else {
    EXPECT_EQ(result, static_cast<float>(x * x) + z);
  }
}

TEST(Simd, RoundedKeepsMultiplicationAndAdditionApart) {
  volatile float factor = 1.0f - std::ldexp(1.0f, -24);
  volatile float product = factor * factor;
  volatile float expected = product - 1.0f;
  const simd::vf x = simd::set(factor);
  const simd::vf separate = simd::hn::Add(simd::rounded(simd::hn::Mul(x, x)), simd::set(-1.0f));
  EXPECT_EQ(simd::first_lane(separate), expected);
  volatile double wide = 1.0 - std::ldexp(1.0, -53);
  volatile double wide_product = wide * wide;
  const double y = wide;
  EXPECT_EQ(simd::rounded_scalar(y * y) - 1.0, wide_product - 1.0);
}

}  // namespace
}  // namespace tilewright
