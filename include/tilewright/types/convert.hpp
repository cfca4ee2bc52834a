// Conversion between element types: each is one rounding and defined for every input.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tilewright/config.hpp>
#include <tilewright/types/dtype.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Bit pattern of `value` in the low bits of 64; the rest is zero.
template <Element T>
constexpr std::uint64_t to_bits(T value) {
  if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) {
    return value.bits;
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<std::uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? 1u : 0u;
  } else {
    return static_cast<std::make_unsigned_t<T>>(value);
  }
}

/// Inverse of `to_bits`.
template <Element T>
constexpr T from_bits(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) {
    return T::from_bits(static_cast<std::uint16_t>(bits));
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(bits);
  } else if constexpr (std::is_same_v<T, bool>) {
    return bits != 0;
  } else {
    return static_cast<T>(bits);
  }
}

namespace detail {

template <class T>
inline constexpr bool is_small_float = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;

/// `value` as f32 rounded to odd: a later rounding to fewer bits then gives the result of one
/// rounding. An f32 has enough bits for that beside f16 and bf16.
constexpr float round_to_odd(double value) {
  constexpr double largest = static_cast<double>(std::numeric_limits<float>::max());
  if (value > largest)
    return value > 2 * largest ? std::numeric_limits<float>::infinity()
                               : std::numeric_limits<float>::max();
  if (value < -largest)
    return value < -2 * largest ? -std::numeric_limits<float>::infinity()
                                : -std::numeric_limits<float>::max();
  const float nearest = static_cast<float>(value);
  const double back = nearest;
  if (back == value || value != value) return nearest;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  const bool away_from_zero = value < 0 ? back < value : back > value;
  if (away_from_zero) --bits;
  return std::bit_cast<float>(bits | 1u);
}

/// An integer as f64 rounded to odd.
template <class T>
constexpr double integer_to_odd_double(T value) {
  if constexpr (sizeof(T) < 8) {
    return static_cast<double>(value);
  } else {
    const bool negative = value < 0;
    std::uint64_t magnitude = static_cast<std::uint64_t>(value);
    if (negative) magnitude = ~magnitude + 1;
    int shift = 0;
    std::uint64_t sticky = 0;
    while (magnitude >> 53 != 0) {
      sticky |= magnitude & 1u;
      magnitude >>= 1;
      ++shift;
    }
    double result = static_cast<double>(magnitude | sticky);
    for (; shift > 0; --shift) result *= 2;
    return negative ? -result : result;
  }
}

template <class To, class From>
constexpr To float_to_integer(From value) {
  // Bounds as powers of two are exact in every float type that can reach them.
  constexpr double upper =
      static_cast<double>(std::uint64_t{1} << (std::numeric_limits<To>::digits - 1)) * 2;
  constexpr double lower = std::numeric_limits<To>::is_signed ? -upper : 0.0;
  const double wide = static_cast<double>(value);
  if (wide != wide || wide >= upper) return std::numeric_limits<To>::max();
  if (wide <= lower) return std::numeric_limits<To>::min();
  return static_cast<To>(wide);
}

}  // namespace detail

/// Converts with one rounding. To i1: `!= 0`. Integers keep their low bits. Float to integer
/// truncates, saturates out of range, and gives the largest value for NaN (as RISC-V does).
template <Element To, Element From>
constexpr To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    if constexpr (detail::is_small_float<From>) {
      return static_cast<float>(value) != 0.0f;
    } else {
      return value != From{};
    }
  } else if constexpr (is_float(dtype_v<To>)) {
    if constexpr (!detail::is_small_float<To>) {
      if constexpr (detail::is_small_float<From>) {
        return static_cast<To>(static_cast<float>(value));
      } else {
        return static_cast<To>(value);
      }
    } else if constexpr (std::is_same_v<From, double>) {
      return To(detail::round_to_odd(value));
    } else if constexpr (is_float(dtype_v<From>)) {
      return To(static_cast<float>(value));
    } else {
      return To(detail::round_to_odd(detail::integer_to_odd_double(value)));
    }
  } else if constexpr (detail::is_small_float<From>) {
    return detail::float_to_integer<To>(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<From>) {
    return detail::float_to_integer<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
