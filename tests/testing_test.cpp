// What users' own unit tests compare arrays with.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <tilewright/testing.hpp>
#include <tilewright/testing_gtest.hpp>

namespace tilewright {
namespace {

const float infinity = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

template <class Got, class Want>
bool close(Got got, Want want, const compare_options& options = {}) {
  return static_cast<bool>(compare_arrays(&got, &want, 1, options));
}
bool contains(const comparison& outcome, const std::string& text) {
  return outcome.message.find(text) != std::string::npos;
}

TEST(Compare, ArraysOfEveryKind) {
  const std::vector<float> x = {1, 2, 3};
  const std::array<double, 3> y = {1, 2, 3};
  const std::int16_t z[] = {1, 2, 3};
  EXPECT_TRUE(compare_arrays(x, y));
  EXPECT_TRUE(compare_arrays(std::span(x), std::span(z)));
  EXPECT_TRUE(compare_arrays(x.data(), z, 3));
  const comparison all = compare_arrays(x, y);
  EXPECT_EQ(all.count, 3);
  EXPECT_EQ(all.mismatches, 0);
  EXPECT_EQ(all.message, "");
  const comparison none = compare_arrays(std::vector<float>{}, std::vector<float>{});
  EXPECT_TRUE(none);
  EXPECT_EQ(none.worst_index, -1);
}

TEST(Compare, TheWorstElementIsDescribed) {
  const std::vector<float> got = {1.0f, 2.5f, 100.0f, 4.25f};
  const std::vector<double> want = {1.0, 2.0, 101.0, 4.0};
  const comparison outcome = compare_arrays(got, want, {.shape = {2, 2}});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.mismatches, 3);
  EXPECT_EQ(outcome.worst_index, 1) << "2.5 for 2 is worse than 100 for 101";
  EXPECT_EQ(outcome.worst_difference, 0.5);
  EXPECT_EQ(outcome.worst_ulp, 0.5 / 0x1p-22) << "at 2, an f32 has steps of 2^-22";
  EXPECT_EQ(outcome.message,
            "3 of 4 elements differ (f32 against f64, allowed: 1e-05 + 1.3e-06 * |want| + 0 ulp); "
            "worst at [0][1]: got 2.5, want 2, difference 0.5 (2.09715e+06 ulp)");
  // Without a shape the index is flat; with three dimensions it has three parts.
  EXPECT_TRUE(contains(compare_arrays(got, want), "worst at [1]:"));
  const std::vector<std::int32_t> a(24, 0);
  std::vector<std::int32_t> b = a;
  b[17] = 5;
  const comparison cube = compare_arrays(b, a, {.shape = {2, 3, 4}});
  EXPECT_TRUE(contains(cube, "worst at [1][1][1]: got 5, want 0, difference 5 (5 ulp)"))
      << cube.message;
}

TEST(Compare, SizesMustAgree) {
  const std::vector<float> x(3);
  const std::vector<float> y(4);
  EXPECT_EQ(compare_arrays(x, y).message, "got 3 elements, want 4");
  EXPECT_EQ(compare_arrays(x, x, {.shape = {2, 2}}).message,
            "the shape has 4 elements, the arrays have 3");
}

TEST(Compare, DefaultTolerances) {
  EXPECT_TRUE(close(1.000011f, 1.0f));
  EXPECT_FALSE(close(1.000012f, 1.0f));
  EXPECT_TRUE(close(1e-5f, 0.0f));
  EXPECT_FALSE(close(1.1e-5f, 0.0f));
  EXPECT_TRUE(close(1.0 + 1.9e-7, 1.0));
  EXPECT_FALSE(close(1.0 + 2.1e-7, 1.0));
  EXPECT_TRUE(close(f16(1.0f + 0x1p-10f), f16(1.0f)));
  EXPECT_FALSE(close(f16(1.0f + 0x1p-9f), f16(1.0f)));
  EXPECT_TRUE(close(bf16(1.0f + 0x2p-7f), bf16(1.0f)));
  EXPECT_FALSE(close(bf16(1.0f + 0x3p-7f), bf16(1.0f)));
  EXPECT_FALSE(close(std::int32_t{1000000}, std::int32_t{1000001}));
  // The coarser type decides, whichever side it stands on.
  EXPECT_TRUE(close(f16(1.0f), 1.0009));
  EXPECT_TRUE(close(1.0009, f16(1.0f)));
  EXPECT_FALSE(close(1.0009f, 1.0));
  EXPECT_TRUE(close(bf16(1.0f), f16(1.01f)));
}

TEST(Compare, GivenTolerances) {
  EXPECT_TRUE(close(1.09f, 1.0f, {.allowed = within(0.1)}));
  EXPECT_FALSE(close(1.11f, 1.0f, {.allowed = within(0.1)}));
  EXPECT_TRUE(close(-1.09f, -1.0f, {.allowed = within(0.1)}));
  EXPECT_TRUE(close(0.25f, 0.0f, {.allowed = within(0, 0.25)}));
  EXPECT_TRUE(close(std::int8_t{5}, std::int8_t{7}, {.allowed = within(0, 2)}));
  EXPECT_FALSE(close(std::int8_t{4}, std::int8_t{7}, {.allowed = within(0, 2)}));
  // Units in the last place, also below the smallest normal number.
  EXPECT_TRUE(close(1.0f + 0x2p-23f, 1.0f, {.allowed = within_ulp(2)}));
  EXPECT_FALSE(close(1.0f + 0x3p-23f, 1.0f, {.allowed = within_ulp(2)}));
  EXPECT_TRUE(close(0x3p-149f, 0x1p-149f, {.allowed = within_ulp(2)}));
  EXPECT_FALSE(close(0x3p-149f, 0.0f, {.allowed = within_ulp(2)}));
  EXPECT_TRUE(close(f16(0x1p-24f), f16(-0x1p-24f), {.allowed = within_ulp(2)}));
  EXPECT_TRUE(close(f16(2050.0f), 2049.0, {.allowed = within_ulp(0.5)}));
  EXPECT_FALSE(close(f16(2050.0f), 2048.5, {.allowed = within_ulp(0.5)}));
}

TEST(Compare, NanAndInfinity) {
  EXPECT_TRUE(close(nan, nan));
  EXPECT_TRUE(close(-nan, f16(nan)));
  EXPECT_FALSE(close(nan, 1.0f));
  EXPECT_FALSE(close(1.0f, nan));
  EXPECT_TRUE(close(infinity, infinity));
  EXPECT_FALSE(close(infinity, -infinity));
  const tolerance everything = within(1e30, 1e30);
  EXPECT_FALSE(close(3e38f, infinity, {.allowed = everything}));
  EXPECT_FALSE(close(nan, 1.0f, {.allowed = everything}));
  // One wrong NaN among numbers is the worst.
  const std::vector<float> got = {5.0f, nan, 1.0f};
  const std::vector<float> want = {1.0f, 1.0f, 1.0f};
  const comparison outcome = compare_arrays(got, want);
  EXPECT_EQ(outcome.mismatches, 2);
  EXPECT_EQ(outcome.worst_index, 1);
  EXPECT_TRUE(contains(outcome, "got nan, want 1, difference inf")) << outcome.message;
}

TEST(Compare, ExactComparesBits) {
  const compare_options exact{.allowed = exactly};
  EXPECT_TRUE(close(1.0f, 1.0f, exact));
  EXPECT_FALSE(close(1.0f + 0x1p-23f, 1.0f, exact));
  EXPECT_FALSE(close(0.0f, -0.0f, exact));
  EXPECT_TRUE(close(0.0f, -0.0f)) << "equal as numbers";
  EXPECT_TRUE(close(nan, -nan, exact));
  EXPECT_FALSE(close(nan, 1.0f, exact));
  // A wanted value of a finer type is rounded once first.
  EXPECT_TRUE(close(f16(2050.0f), 2049.5, exact));
  EXPECT_FALSE(close(f16(2050.0f), 2048.5, exact));
  const comparison outcome =
      compare_arrays(std::vector<float>{-0.0f}, std::vector<float>{0.0f}, exact);
  EXPECT_TRUE(contains(outcome, "got -0 (0x80000000), want 0 (0x00000000)")) << outcome.message;
  EXPECT_TRUE(contains(outcome, "equal bits")) << outcome.message;
}

TEST(Compare, LargeIntegersAreNotRounded) {
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  EXPECT_FALSE(close(large, large - 1));
  EXPECT_TRUE(close(large, large));
  EXPECT_FALSE(close(std::int64_t{-1}, std::numeric_limits<std::uint64_t>::max()));
  EXPECT_FALSE(close(true, false));
  EXPECT_TRUE(close(true, std::int32_t{1}));
  const comparison outcome =
      compare_arrays(std::vector<std::uint64_t>{~std::uint64_t{0}}, std::vector<std::int64_t>{-1});
  EXPECT_TRUE(contains(outcome, "got 18446744073709551615, want -1")) << outcome.message;
}

TEST(Compare, TheLargestErrorIsKnownWhenAllPass) {
  const std::vector<float> got = {1.0f, 2.0f + 0x1p-22f, 3.0f};
  const std::vector<float> want = {1.0f, 2.0f, 3.0f};
  const comparison outcome = compare_arrays(got, want);
  EXPECT_TRUE(outcome);
  EXPECT_EQ(outcome.worst_index, 1);
  EXPECT_EQ(outcome.worst_ulp, 1.0);
}

TEST(GoogleTestAdapter, PassesAndFailsWithTheMessage) {
  const std::vector<float> x = {1, 2, 3, 4};
  const std::vector<float> y = {1, 2, 3, 5};
  TILEWRIGHT_EXPECT_CLOSE(x, x);
  TILEWRIGHT_ASSERT_CLOSE(x, y, {.allowed = within(0.25), .shape = {2, 2}});
  TILEWRIGHT_EXPECT_CLOSE(x.data(), y.data(), 3);
  EXPECT_TRUE(is_close(x, x));
  EXPECT_FALSE(is_close(x, y));
  static const std::vector<float> got = x;
  static const std::vector<float> want = y;
  EXPECT_NONFATAL_FAILURE(TILEWRIGHT_EXPECT_CLOSE(got, want, {.shape = {2, 2}}),
                          "1 of 4 elements differ (f32 against f32, allowed: 1e-05 + 1.3e-06 * "
                          "|want| + 0 ulp); worst at [1][1]: got 4, want 5, difference 1");
  EXPECT_FATAL_FAILURE(TILEWRIGHT_ASSERT_CLOSE(got, want), "worst at [3]");
}

}  // namespace
}  // namespace tilewright
