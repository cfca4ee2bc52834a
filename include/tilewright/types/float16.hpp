// The 16-bit floating-point element types and their exact conversions.
#pragma once

#include <bit>
#include <cstdint>

#include <tilewright/config.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

/// IEEE binary16 bits of `value`: one rounding, to nearest even; overflow gives infinity; a NaN
/// stays a NaN, made quiet.
constexpr std::uint16_t f16_bits_from_f32(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  }
  if (magnitude >= 0x47800000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // >= 2^16
  std::uint32_t significand = 0;
  std::uint32_t dropped_bits = 13;
  if (magnitude >= 0x38800000u) {  // normal in f16: rebias the exponent from 127 to 15
    significand = magnitude - 0x38000000u;
  } else {
    const std::uint32_t exponent = magnitude >> 23;
    if (exponent < 102) return static_cast<std::uint16_t>(sign);  // below half of 2^-24
    significand = (magnitude & 0x7fffffu) | 0x800000u;
    dropped_bits = 126 - exponent;
  }
  const std::uint32_t kept = significand >> dropped_bits;
  const std::uint32_t rest = significand & ((1u << dropped_bits) - 1);
  const std::uint32_t half = 1u << (dropped_bits - 1);
  const bool up = rest > half || (rest == half && (kept & 1u) != 0);
  // A carry out of the significand lands in the exponent, which is the right result.
  return static_cast<std::uint16_t>(sign | (kept + (up ? 1u : 0u)));
}

/// The f32 with the value of the IEEE binary16 `bits`; exact for every pattern. Without branches, so
/// that loops over it vectorise, and without subnormal operands, which some programs turn off.
constexpr float f32_from_f16_bits(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t magnitude = (bits & 0x7fffu) << 13;  // exponent and fraction in their places
  const std::uint32_t rebias = 112u << 23;
  const bool special = magnitude >= 31u << 23;  // infinity or NaN: the exponent is 255
  const std::uint32_t normal = magnitude + rebias + (special ? rebias : 0u);
  // A subnormal is fraction * 2^-24: (1 + fraction * 2^-10) * 2^-14 less 2^-14.
  const std::uint32_t smallest_normal = 113u << 23;
  const float subnormal =
      std::bit_cast<float>(magnitude + smallest_normal) - std::bit_cast<float>(smallest_normal);
  const std::uint32_t result =
      magnitude < 1u << 23 ? std::bit_cast<std::uint32_t>(subnormal) : normal;
  return std::bit_cast<float>(result | sign);
}

/// bfloat16 bits of `value`: one rounding, to nearest even; a NaN stays a NaN, made quiet.
constexpr std::uint16_t bf16_bits_from_f32(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace detail

/// IEEE binary16. Arithmetic is done in f32 and rounded once, to nearest even.
struct f16 {
  std::uint16_t bits = 0;

  constexpr f16() = default;
  constexpr explicit f16(float value) : bits(detail::f16_bits_from_f32(value)) {}
  constexpr operator float() const { return detail::f32_from_f16_bits(bits); }
  static constexpr f16 from_bits(std::uint16_t pattern) {
    f16 result;
    result.bits = pattern;
    return result;
  }
};

/// bfloat16: the upper half of an f32. Arithmetic is done in f32 and rounded once, nearest even.
struct bf16 {
  std::uint16_t bits = 0;

  constexpr bf16() = default;
  constexpr explicit bf16(float value) : bits(detail::bf16_bits_from_f32(value)) {}
  constexpr operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
  static constexpr bf16 from_bits(std::uint16_t pattern) {
    bf16 result;
    result.bits = pattern;
    return result;
  }
};

}  // namespace tilewright::inline TILEWRIGHT_ABI
