// For unit tests of kernels: comparison of arrays with a tolerance by element type. Knows no test
// framework; testing_gtest.hpp adapts it to GoogleTest.
#pragma once

#include <cinttypes>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tilewright/config.hpp>
#include <tilewright/types/convert.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// How far `got` may lie from `want`. An element passes when both are equal or both NaN, or when
/// |got - want| <= absolute + relative * |want| + ulp * (spacing of the element type at |want|).
/// Infinities and NaN match only themselves. With `exact` set, `want` is converted to the type of
/// `got` with one rounding and the bit patterns must be equal, so -0 differs from +0; any NaN still
/// matches any other.
struct tolerance {
  double relative = 0;
  double absolute = 0;
  double ulp = 0;
  bool exact = false;
};

/// Equal bit patterns.
inline constexpr tolerance exactly{.exact = true};
/// At most `count` units in the last place.
constexpr tolerance within_ulp(double count) { return {.ulp = count}; }
/// At most `absolute` + `relative` * |want|.
constexpr tolerance within(double relative, double absolute = 0) {
  return {.relative = relative, .absolute = absolute};
}

/// The tolerance that is used when none is given:
///
/// | element type | relative | absolute |
/// |---|---|---|
/// | i1, integers | 0 | 0 |
/// | bf16 | 1.6e-2 | 1e-5 |
/// | f16 | 1e-3 | 1e-5 |
/// | f32 | 1.3e-6 | 1e-5 |
/// | f64 | 1e-7 | 1e-7 |
constexpr tolerance default_tolerance(dtype type) {
  switch (type) {
    case dtype::bf16: return within(1.6e-2, 1e-5);
    case dtype::f16: return within(1e-3, 1e-5);
    case dtype::f32: return within(1.3e-6, 1e-5);
    case dtype::f64: return within(1e-7, 1e-7);
    default: return {};
  }
}

struct compare_options {
  /// Without one, the default of the coarser of the two element types.
  std::optional<tolerance> allowed{};
  /// Extents of the arrays, outermost first, so that a message can give an index per dimension.
  std::vector<std::int64_t> shape{};
};

/// The outcome of a comparison; true when every element passed. `message` says what was wrong, or
/// is empty. The element farthest from what was allowed is described even if all passed.
struct comparison {
  std::int64_t count = 0;         ///< elements compared
  std::int64_t mismatches = 0;    ///< elements that did not pass
  std::int64_t worst_index = -1;  ///< position of the worst element, -1 for empty arrays
  double worst_difference = 0;    ///< its |got - want|; infinity for NaN and infinities
  double worst_ulp = 0;           ///< the same in units in the last place of the coarser type
  std::string message;

  explicit operator bool() const { return message.empty(); }
};

namespace detail {

/// Bits of the significand of a float type.
constexpr int digits_of(dtype type) {
  switch (type) {
    case dtype::bf16: return 8;
    case dtype::f16: return 11;
    case dtype::f32: return std::numeric_limits<float>::digits;
    default: return std::numeric_limits<double>::digits;
  }
}

/// The type with larger steps: fewer bits among floats, and any float beside an integer.
constexpr dtype coarser(dtype x, dtype y) {
  if (!is_float(x)) return y;
  if (!is_float(y)) return x;
  return digits_of(x) < digits_of(y) ? x : y;
}

/// Distance between neighbouring values of `type` at |value|; 1 for integers. `value` is finite.
inline double spacing(dtype type, double value) {
  if (!is_float(type)) return 1;
  const int lowest = type == dtype::f16 ? -14 : type == dtype::f64 ? -1022 : -126;
  const int exponent = value == 0 ? lowest : std::ilogb(value);
  return std::ldexp(1.0, (exponent > lowest ? exponent : lowest) - digits_of(type) + 1);
}

/// |got - want|: exactly 0 when equal or both NaN, infinity when only one is finite.
template <Element Got, Element Want>
double distance(Got got, Want want) {
  if constexpr (!is_float(dtype_v<Got>) && !is_float(dtype_v<Want>)) {
    // `+` turns an i1 into an int. As doubles, large integers that differ might look equal.
    if (std::cmp_equal(+got, +want)) return 0;
    return std::fmax(1.0, std::fabs(static_cast<double>(got) - static_cast<double>(want)));
  } else {
    const double x = convert<double>(got);
    const double y = convert<double>(want);
    if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
    if (!std::isfinite(x) || !std::isfinite(y)) return std::numeric_limits<double>::infinity();
    return std::fabs(x - y);
  }
}

template <Element T>
std::string text_of(T value, bool with_bits) {
  char text[64];
  if constexpr (is_float(dtype_v<T>)) {
    constexpr int digits = dtype_v<T> == dtype::f64 ? 17 : dtype_v<T> == dtype::f32 ? 9 : 5;
    std::snprintf(text, sizeof(text), "%.*g", digits, convert<double>(value));
  } else if constexpr (std::is_signed_v<T>) {
    std::snprintf(text, sizeof(text), "%" PRId64, static_cast<std::int64_t>(value));
  } else {
    std::snprintf(text, sizeof(text), "%" PRIu64, static_cast<std::uint64_t>(value));
  }
  std::string result = text;
  if (with_bits) {
    std::snprintf(text, sizeof(text), " (0x%0*" PRIx64 ")", 2 * size_of(dtype_v<T>),
                  to_bits(value));
    result += text;
  }
  return result;
}

inline std::string text_of_number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

inline std::string text_of_tolerance(const tolerance& allowed) {
  if (allowed.exact) return "equal bits";
  return text_of_number(allowed.absolute) + " + " + text_of_number(allowed.relative) +
         " * |want| + " + text_of_number(allowed.ulp) + " ulp";
}

/// "[17]" or, with a shape, "[1][7]".
inline std::string text_of_index(std::int64_t index, const std::vector<std::int64_t>& shape) {
  std::string text;
  for (std::size_t d = shape.size(); d > 0; --d) {
    const std::int64_t coordinate = d > 1 ? index % shape[d - 1] : index;
    text = "[" + std::to_string(coordinate) + "]" + text;
    index /= shape[d - 1];
  }
  return shape.empty() ? "[" + std::to_string(index) + "]" : text;
}

}  // namespace detail

/// Compares `count` elements, each with the element at the same position of `want`; the element
/// types may differ. A shape that does not have `count` elements is a failed comparison.
template <Element Got, Element Want>
comparison compare_arrays(const Got* got, const Want* want, std::int64_t count,
                          const compare_options& options = {}) {
  constexpr dtype unit = detail::coarser(dtype_v<Got>, dtype_v<Want>);
  const tolerance allowed = options.allowed.value_or(default_tolerance(unit));
  comparison result;
  result.count = count;

  std::int64_t volume = 1;
  for (const std::int64_t extent : options.shape) volume *= extent;
  if (!options.shape.empty() && volume != count) {
    result.message = "the shape has " + std::to_string(volume) + " elements, the arrays have " +
                     std::to_string(count);
    return result;
  }

  double worst = -1;  // of mismatches counted from 1 up, of elements that passed below 1
  for (std::int64_t i = 0; i < count; ++i) {
    const double difference = detail::distance(got[i], want[i]);
    const double magnitude = std::fabs(convert<double>(want[i]));
    const double step = std::isfinite(magnitude) ? detail::spacing(unit, magnitude) : 1;
    bool passes = difference == 0;
    double excess = difference / step;
    if (allowed.exact) {
      const bool nan = std::isnan(magnitude) && difference == 0;
      passes = nan || to_bits(got[i]) == to_bits(convert<Got>(want[i]));
    } else if (std::isfinite(difference)) {
      const double limit = allowed.absolute + allowed.relative * magnitude + allowed.ulp * step;
      passes = passes || difference <= limit;
      if (limit > 0) excess = difference / limit;
    }
    if (!passes) ++result.mismatches;
    // Mismatches rank above all that passed.
    const double rank = passes ? excess / (1 + excess) : 1 + excess;
    if (rank > worst) {
      worst = rank;
      result.worst_index = i;
      result.worst_difference = difference;
      result.worst_ulp = difference / step;
    }
  }

  if (result.mismatches > 0) {
    const std::int64_t at = result.worst_index;
    result.message = std::to_string(result.mismatches) + " of " + std::to_string(count) +
                     " elements differ (" + name_of(dtype_v<Got>) + " against " +
                     name_of(dtype_v<Want>) + ", allowed: " + detail::text_of_tolerance(allowed) +
                     "); worst at " + detail::text_of_index(at, options.shape) + ": got " +
                     detail::text_of(got[at], allowed.exact) + ", want " +
                     detail::text_of(want[at], allowed.exact) + ", difference " +
                     detail::text_of_number(result.worst_difference) + " (" +
                     detail::text_of_number(result.worst_ulp) + " ulp)";
  }
  return result;
}

/// Something with `data()` and `size()` over elements: std::span, std::vector, std::array.
template <class T>
concept ElementArray = requires(const T& array) {
  { array.size() } -> std::convertible_to<std::int64_t>;
  requires Element<std::remove_cvref_t<decltype(*array.data())>>;
};

/// Compares two arrays of equal size; different sizes are a failed comparison.
template <ElementArray Got, ElementArray Want>
comparison compare_arrays(const Got& got, const Want& want, const compare_options& options = {}) {
  const std::int64_t count = static_cast<std::int64_t>(got.size());
  if (count != static_cast<std::int64_t>(want.size())) {
    comparison result;
    result.message = "got " + std::to_string(count) + " elements, want " +
                     std::to_string(static_cast<std::int64_t>(want.size()));
    return result;
  }
  return compare_arrays(got.data(), want.data(), count, options);
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
