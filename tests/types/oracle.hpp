// Conversions computed from their definitions in a wider format, for tests to compare with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <tilewright/types/convert.hpp>

namespace tilewright::oracle {

/// Wide enough to hold every f64 and every 64-bit integer exactly.
using wide = long double;
static_assert(std::numeric_limits<wide>::digits >= 64);

/// A binary floating-point format with subnormals, infinities and NaN.
struct format {
  int digits;    ///< bits of the significand
  int smallest;  ///< exponent of the smallest normal value
  int largest;   ///< exponent of the largest finite value
};
inline constexpr format binary16{11, -14, 15};
inline constexpr format brain16{8, -126, 127};
inline constexpr format binary32{24, -126, 127};
inline constexpr format binary64{53, -1022, 1023};

/// `value` rounded to the nearest value of `to`, ties to even: the definition, as a multiple of the
/// spacing around `value`.
inline wide round_to(const format& to, wide value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), to.smallest);
  const int spacing = exponent - to.digits + 1;
  const wide rounded = std::ldexp(std::nearbyint(std::ldexp(value, -spacing)), spacing);
  const wide limit = std::ldexp(wide{1}, to.largest + 1);
  if (std::fabs(rounded) >= limit) {
    return std::copysign(std::numeric_limits<wide>::infinity(), value);
  }
  return std::copysign(rounded, value);
}

template <class T>
constexpr format format_of() {
  switch (dtype_v<T>) {
    case dtype::f16: return binary16;
    case dtype::bf16: return brain16;
    case dtype::f32: return binary32;
    default: return binary64;
  }
}

/// Value of a bit pattern of `of`, by the definition of the encoding.
inline wide value_of(const format& of, std::uint64_t bits) {
  const int fraction_bits = of.digits - 1;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  const std::uint64_t exponents = static_cast<std::uint64_t>(2 * of.largest + 1);
  const std::uint64_t exponent = bits >> fraction_bits & exponents;
  const bool negative = (bits >> fraction_bits) > exponents;
  wide result = 0;
  if (exponent == exponents) {
    result = fraction == 0 ? std::numeric_limits<wide>::infinity()
                           : std::numeric_limits<wide>::quiet_NaN();
  } else if (exponent == 0) {
    result = std::ldexp(static_cast<wide>(fraction), of.smallest - fraction_bits);
  } else {
    const std::uint64_t significand = fraction | std::uint64_t{1} << fraction_bits;
    result = std::ldexp(static_cast<wide>(significand),
                        static_cast<int>(exponent) - of.largest - fraction_bits);
  }
  return negative ? -result : result;
}

/// An element as its exact value.
template <class T>
wide exact(T value) {
  if constexpr (is_float(dtype_v<T>)) {
    return value_of(format_of<T>(), to_bits(value));
  } else {
    return static_cast<wide>(value);
  }
}

/// Equal values (0 and -0 told apart), or both NaN.
inline bool same(wide x, wide y) {
  return std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
}

/// What `convert<To>` of an element must give, as an exact value.
template <class To, class From>
wide converted(From value) {
  const wide from = exact(value);
  if constexpr (dtype_v<To> == dtype::i1) {
    return from != 0 ? 1 : 0;
  } else if constexpr (is_float(dtype_v<To>)) {
    return round_to(format_of<To>(), from);
  } else {
    const wide lowest = static_cast<wide>(std::numeric_limits<To>::lowest());
    const wide highest = static_cast<wide>(std::numeric_limits<To>::max());
    const wide truncated = std::trunc(from) + wide{0};
    if constexpr (is_float(dtype_v<From>)) {
      if (std::isnan(from)) return highest;
      return truncated < lowest ? lowest : truncated > highest ? highest : truncated;
    } else {
      // Low bits: the value modulo 2^width, in the range of the type.
      const wide modulus = std::ldexp(wide{1}, static_cast<int>(sizeof(To)) * 8);
      wide result = std::fmod(truncated, modulus);
      if (result < lowest) result += modulus;
      if (result > highest) result -= modulus;
      return result;
    }
  }
}

}  // namespace tilewright::oracle
