// Scalar meanings that need more than an expression: wrapping integers, RISC-V division, IEEE
// minimum and maximum, correctly rounded functions.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tilewright/config.hpp>
#include <tilewright/types/convert.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::scalar_math {

/// Applies `function` in the type that `T` computes in: f32 for the 16-bit floats, else `T`; the
/// result is rounded once to `T`.
template <class T, class Function>
constexpr T compute(T x, T y, Function function) {
  if constexpr (detail::is_small_float<T>) {
    return T(function(static_cast<float>(x), static_cast<float>(y)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return function(x, y);
  } else if constexpr (std::is_same_v<T, bool>) {
    return (function(std::uint64_t{x}, std::uint64_t{y}) & 1u) != 0;
  } else {
    return static_cast<T>(function(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y)));
  }
}

template <class T>
constexpr T add(T x, T y) {
  return compute(x, y, [](auto a, auto b) { return a + b; });
}
template <class T>
constexpr T sub(T x, T y) {
  return compute(x, y, [](auto a, auto b) { return a - b; });
}
template <class T>
constexpr T mul(T x, T y) {
  return compute(x, y, [](auto a, auto b) { return a * b; });
}

/// Floats divide; integers truncate toward zero, x / 0 has all bits one, MIN / -1 is MIN.
template <class T>
constexpr T div(T x, T y) {
  if constexpr (is_float(dtype_v<T>)) {
    return compute(x, y, [](auto a, auto b) { return a / b; });
  } else if constexpr (std::is_same_v<T, bool>) {
    return y ? x : true;
  } else {
    if (y == T{0}) return static_cast<T>(~std::uint64_t{0});
    if constexpr (std::is_signed_v<T>) {
      if (y == T{-1}) return sub(T{0}, x);
    }
    return static_cast<T>(x / y);
  }
}

/// Remainder with the sign of the dividend; x % 0 is x, MIN % -1 is 0; `fmod` for floats.
template <class T>
constexpr T rem(T x, T y) {
  if constexpr (is_float(dtype_v<T>)) {
    return compute(x, y, [](auto a, auto b) { return std::fmod(a, b); });
  } else if constexpr (std::is_same_v<T, bool>) {
    return y ? false : x;
  } else {
    if (y == T{0}) return x;
    if constexpr (std::is_signed_v<T>) {
      if (y == T{-1}) return T{0};
    }
    return static_cast<T>(x % y);
  }
}

/// Shifts take the amount modulo the width; right shifts of signed values are arithmetic.
template <class T>
constexpr T shl(T x, T y) {
  constexpr unsigned width = sizeof(T) * 8;
  const unsigned amount = static_cast<unsigned>(static_cast<std::uint64_t>(y)) % width;
  return static_cast<T>(static_cast<std::uint64_t>(x) << amount);
}
template <class T>
constexpr T shr(T x, T y) {
  constexpr unsigned width = sizeof(T) * 8;
  const unsigned amount = static_cast<unsigned>(static_cast<std::uint64_t>(y)) % width;
  return static_cast<T>(x >> amount);
}

template <class T>
constexpr bool is_nan(T x) {
  if constexpr (is_float(dtype_v<T>)) {
    const auto wide = static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(x);
    return wide != wide;
  } else {
    return false;
  }
}

/// The larger value; a number wins over NaN; `x` wins a tie.
template <class T>
constexpr T maximum(T x, T y) {
  return y > x || is_nan(x) ? y : x;
}
/// The smaller value; a number wins over NaN; `x` wins a tie.
template <class T>
constexpr T minimum(T x, T y) {
  return y < x || is_nan(x) ? y : x;
}

/// Sign flip for floats (so -0 is kept apart), wrapping 0 - x for integers.
template <class T>
constexpr T neg(T x) {
  if constexpr (detail::is_small_float<T>) {
    return T::from_bits(static_cast<std::uint16_t>(x.bits ^ 0x8000u));
  } else if constexpr (std::is_floating_point_v<T>) {
    return -x;
  } else {
    return sub(T{}, x);
  }
}

template <class T>
constexpr T abs(T x) {
  if constexpr (detail::is_small_float<T>) {
    return T::from_bits(static_cast<std::uint16_t>(x.bits & 0x7fffu));
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::fabs(x);
  } else if constexpr (std::is_same_v<T, bool> || std::is_unsigned_v<T>) {
    return x;
  } else {
    return x < T{0} ? sub(T{}, x) : x;
  }
}

template <class T>
constexpr T bit_not(T x) {
  if constexpr (std::is_same_v<T, bool>) {
    return !x;
  } else {
    return static_cast<T>(~x);
  }
}

/// A function of f64 evaluated there and rounded to `T`: within 0.5000001 ulp for f32.
template <class T, class Function>
T through_double(T x, Function function) {
  return convert<T>(function(convert<double>(x)));
}
template <class T>
T exp(T x) {
  return through_double(x, [](double v) { return std::exp(v); });
}
template <class T>
T log(T x) {
  return through_double(x, [](double v) { return std::log(v); });
}
template <class T>
T sqrt(T x) {
  return through_double(x, [](double v) { return std::sqrt(v); });
}

/// x * y + z: rounded once for floats, wrapping for integers. `T` is an accumulator type.
template <class T>
T fused_multiply_add(T x, T y, T z) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fma(x, y, z);
  } else {
    return add(mul(x, y), z);
  }
}

}  // namespace tilewright::inline TILEWRIGHT_ABI::scalar_math
