// GoogleTest adapter of testing.hpp. Include it where GoogleTest is at hand; the library itself
// does not need it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/testing.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// What GoogleTest's EXPECT_TRUE and ASSERT_TRUE take and print.
inline ::testing::AssertionResult assertion_of(const comparison& outcome) {
  return outcome ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << outcome.message;
}

/// Outcome of `compare_arrays(got, want, options)`.
template <ElementArray Got, ElementArray Want>
::testing::AssertionResult is_close(const Got& got, const Want& want,
                                    const compare_options& options = {}) {
  return assertion_of(compare_arrays(got, want, options));
}
/// Outcome of `compare_arrays(got, want, count, options)`.
template <Element Got, Element Want>
::testing::AssertionResult is_close(const Got* got, const Want* want, std::int64_t count,
                                    const compare_options& options = {}) {
  return assertion_of(compare_arrays(got, want, count, options));
}

}  // namespace tilewright::inline TILEWRIGHT_ABI

/// TILEWRIGHT_EXPECT_CLOSE(got, want[, options]): arrays with data() and size(), or two pointers
/// and a count; on failure the worst element is printed with its index.
#define TILEWRIGHT_EXPECT_CLOSE(...) EXPECT_TRUE(::tilewright::is_close(__VA_ARGS__))
#define TILEWRIGHT_ASSERT_CLOSE(...) ASSERT_TRUE(::tilewright::is_close(__VA_ARGS__))
