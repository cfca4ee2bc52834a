// The operations that host execution needs from a SIMD instruction set. This header, simd_math.hpp
// and simd_target.hpp, which includes it, are the only ones that know Highway.
//
// A vector has `lanes` elements of 32 bits: vf (f32), vi (i32), vu (u32); `mask` has a truth value
// for each. Nothing here reads or writes memory outside the lanes that it is told to touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tilewright/config.hpp>
#include <tilewright/host/simd_target.hpp>
#include <tilewright/types/float16.hpp>

// Whether masked loads and stores of 32-bit (16-bit) lanes leave the other lanes alone. Elsewhere
// Highway reads whole vectors and blends.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define TILEWRIGHT_SIMD_MASKED_MEMORY 1
#else
#define TILEWRIGHT_SIMD_MASKED_MEMORY 0
#endif
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define TILEWRIGHT_SIMD_MASKED_MEMORY_16 1
#else
#define TILEWRIGHT_SIMD_MASKED_MEMORY_16 0
#endif

namespace tilewright::inline TILEWRIGHT_ABI::simd {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most 16 lanes, as many as the reduction tree has.
using df = hn::CappedTag<float, 16>;
using di = hn::CappedTag<std::int32_t, 16>;
using du = hn::CappedTag<std::uint32_t, 16>;
using du16 = hn::Rebind<std::uint16_t, df>;
using du8 = hn::Rebind<std::uint8_t, df>;

using vf = hn::Vec<df>;
using vi = hn::Vec<di>;
using vu = hn::Vec<du>;
using vu16 = hn::Vec<du16>;
using mask = hn::Mask<di>;

/// Lanes of a vector: a power of two up to 16.
inline constexpr int lanes = static_cast<int>(hn::MaxLanes(df{}));
inline constexpr std::size_t lane_count = static_cast<std::size_t>(lanes);
/// Whether `mul_add` rounds once. Without it, it multiplies and then adds.
#if HWY_NATIVE_FMA || (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && defined(__FMA__))
inline constexpr bool has_fma = true;
#else
inline constexpr bool has_fma = false;
#endif
/// Architectural vector registers that a kernel may count on.
inline constexpr int registers = (HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3) ? 16 : 32;

/// Name of the instruction set that this translation unit was compiled for.
inline const char* target_name() { return hwy::TargetName(HWY_TARGET); }

// ---- keeping operations apart ----

// GCC fuses a multiplication with a later addition, even across intrinsics, which would round once
// where the language rounds twice. An empty asm statement between them forbids it at no cost.
#if defined(__GNUC__) && !defined(__clang__)
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define TILEWRIGHT_ROUNDED(value) asm("" : "+v"((value).raw))
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
#define TILEWRIGHT_ROUNDED(value) asm("" : "+x"((value).raw))
#elif HWY_ARCH_ARM_A64 && HWY_TARGET == HWY_NEON
#define TILEWRIGHT_ROUNDED(value) asm("" : "+w"((value).raw))
#else
#define TILEWRIGHT_ROUNDED(value) asm("" : "+m"(value))
#endif
#else
#define TILEWRIGHT_ROUNDED(value) static_cast<void>(value)
#endif

/// `value`, in a way that no later operation can be fused with the one that made it.
TILEWRIGHT_INLINE vf rounded(vf value) {
  TILEWRIGHT_ROUNDED(value);
  return value;
}
template <class T>
TILEWRIGHT_INLINE T rounded_scalar(T value) {
#if defined(__GNUC__) && !defined(__clang__)
#if HWY_ARCH_X86
  asm("" : "+x"(value));
#elif HWY_ARCH_ARM_A64
  asm("" : "+w"(value));
#else
  asm("" : "+m"(value));
#endif
#endif
  return value;
}

// ---- making vectors ----

TILEWRIGHT_INLINE vf set(float value) { return hn::Set(df{}, value); }
TILEWRIGHT_INLINE vi set(std::int32_t value) { return hn::Set(di{}, value); }
TILEWRIGHT_INLINE vu set(std::uint32_t value) { return hn::Set(du{}, value); }
TILEWRIGHT_INLINE mask set(bool value) {
  return hn::Ne(hn::Set(di{}, value ? 1 : 0), hn::Zero(di{}));
}
/// first, first + 1, ...
TILEWRIGHT_INLINE vi iota(std::int32_t first) { return hn::Iota(di{}, first); }
/// True in the first `count` lanes (0 to `lanes`).
TILEWRIGHT_INLINE mask first_lanes(int count) {
  return hn::Lt(hn::Iota(di{}, 0), hn::Set(di{}, count));
}

// ---- reinterpreting ----

TILEWRIGHT_INLINE vi bits_i(vf value) { return hn::BitCast(di{}, value); }
TILEWRIGHT_INLINE vi bits_i(vu value) { return hn::BitCast(di{}, value); }
TILEWRIGHT_INLINE vu bits_u(vf value) { return hn::BitCast(du{}, value); }
TILEWRIGHT_INLINE vu bits_u(vi value) { return hn::BitCast(du{}, value); }
TILEWRIGHT_INLINE vf bits_f(vu value) { return hn::BitCast(df{}, value); }
TILEWRIGHT_INLINE vf bits_f(vi value) { return hn::BitCast(df{}, value); }

/// `yes` where `where` holds, else `no`.
TILEWRIGHT_INLINE vf select(mask where, vf yes, vf no) {
  return hn::IfThenElse(hn::RebindMask(df{}, where), yes, no);
}
TILEWRIGHT_INLINE vi select(mask where, vi yes, vi no) { return hn::IfThenElse(where, yes, no); }
TILEWRIGHT_INLINE vu select(mask where, vu yes, vu no) {
  return hn::IfThenElse(hn::RebindMask(du{}, where), yes, no);
}
TILEWRIGHT_INLINE mask select(mask where, mask yes, mask no) {
  return hn::Or(hn::And(where, yes), hn::AndNot(where, no));
}

// ---- comparing ----

template <class V>
TILEWRIGHT_INLINE mask lt(V x, V y) {
  return hn::RebindMask(di{}, hn::Lt(x, y));
}
template <class V>
TILEWRIGHT_INLINE mask le(V x, V y) {
  return hn::RebindMask(di{}, hn::Le(x, y));
}
template <class V>
TILEWRIGHT_INLINE mask eq(V x, V y) {
  return hn::RebindMask(di{}, hn::Eq(x, y));
}
TILEWRIGHT_INLINE mask both(mask x, mask y) { return hn::And(x, y); }
TILEWRIGHT_INLINE mask either(mask x, mask y) { return hn::Or(x, y); }
TILEWRIGHT_INLINE mask differ(mask x, mask y) { return hn::Xor(x, y); }
TILEWRIGHT_INLINE mask negate(mask x) { return hn::Not(x); }
TILEWRIGHT_INLINE bool none(mask x) { return hn::AllFalse(di{}, x); }
TILEWRIGHT_INLINE bool all(mask x) { return hn::AllTrue(di{}, x); }
// Not `x != x`: Highway 1.0.3's Ne is false for NaN on AVX3.
TILEWRIGHT_INLINE mask is_number(vf x) { return hn::RebindMask(di{}, hn::Eq(x, x)); }
TILEWRIGHT_INLINE mask is_nan(vf x) { return hn::Not(is_number(x)); }

// ---- computing ----

/// x * y + z; one rounding when `has_fma`, else two, whatever the compiler would fuse.
TILEWRIGHT_INLINE vf mul_add(vf x, vf y, vf z) {
  if constexpr (!has_fma) return hn::Add(rounded(hn::Mul(x, y)), z);
#if HWY_ARCH_X86 && HWY_TARGET == HWY_AVX2 && !HWY_NATIVE_FMA && defined(__FMA__)
  return vf{_mm256_fmadd_ps(x.raw, y.raw, z.raw)};  // Highway uses FMA only together with BMI2
#else
  return hn::MulAdd(x, y, z);
#endif
}

/// y > x ? y : x, for an x without NaN
TILEWRIGHT_INLINE vf maximum_of_numbers(vf x, vf y) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
  return hn::Max(y,
                 x);  // the instruction gives its second operand when either is NaN, and in a tie
#else
  return select(lt(x, y), y, x);
#endif
}
/// y < x ? y : x, for an x without NaN
TILEWRIGHT_INLINE vf minimum_of_numbers(vf x, vf y) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
  return hn::Min(y, x);
#else
  return select(lt(y, x), y, x);
#endif
}
/// y > x || isnan(x) ? y : x
TILEWRIGHT_INLINE vf maximum(vf x, vf y) {
  return select(is_number(x), maximum_of_numbers(x, y), y);
}
/// y < x || isnan(x) ? y : x
TILEWRIGHT_INLINE vf minimum(vf x, vf y) {
  return select(is_number(x), minimum_of_numbers(x, y), y);
}

// ---- 32-bit elements in memory ----

namespace detail {
template <class T>
struct tag_of;
template <>
struct tag_of<float> {
  using type = df;
};
template <>
struct tag_of<std::int32_t> {
  using type = di;
};
template <>
struct tag_of<std::uint32_t> {
  using type = du;
};
}  // namespace detail
/// The vector type of 32-bit elements `T`.
template <class T>
using vec = hn::Vec<typename detail::tag_of<T>::type>;

template <class T>
TILEWRIGHT_INLINE vec<T> load(const T* from) {
  return hn::LoadU(typename detail::tag_of<T>::type{}, from);
}
template <class T>
TILEWRIGHT_INLINE void store(T* to, vec<T> value) {
  hn::StoreU(value, typename detail::tag_of<T>::type{}, to);
}
/// Writes past the caches; `to` is aligned to the size of a vector.
template <class T>
TILEWRIGHT_INLINE void stream(T* to, vec<T> value) {
  hn::Stream(value, typename detail::tag_of<T>::type{}, to);
}
/// Makes streamed writes visible in order.
TILEWRIGHT_INLINE void stream_fence() { hwy::FlushStream(); }

/// The lanes where `where` holds; 0 elsewhere, where memory is not read.
template <class T>
TILEWRIGHT_INLINE vec<T> load_masked(const T* from, mask where) {
  constexpr typename detail::tag_of<T>::type d{};
#if TILEWRIGHT_SIMD_MASKED_MEMORY
  return hn::MaskedLoad(hn::RebindMask(d, where), d, from);
#else
  alignas(64) std::int32_t wanted[lane_count];
  alignas(64) T buffer[lane_count];
  hn::StoreU(hn::VecFromMask(di{}, where), di{}, wanted);
  for (int lane = 0; lane < lanes; ++lane) buffer[lane] = wanted[lane] != 0 ? from[lane] : T{0};
  return hn::LoadU(d, buffer);
#endif
}
/// Writes the lanes where `where` holds, and nothing else.
template <class T>
TILEWRIGHT_INLINE void store_masked(T* to, vec<T> value, mask where) {
  constexpr typename detail::tag_of<T>::type d{};
#if TILEWRIGHT_SIMD_MASKED_MEMORY
  hn::BlendedStore(value, hn::RebindMask(d, where), d, to);
#else
  alignas(64) std::int32_t wanted[lane_count];
  alignas(64) T buffer[lane_count];
  hn::StoreU(hn::VecFromMask(di{}, where), di{}, wanted);
  hn::StoreU(value, d, buffer);
  for (int lane = 0; lane < lanes; ++lane) {
    if (wanted[lane] != 0) to[lane] = buffer[lane];
  }
#endif
}

// ---- masks and lanes ----

TILEWRIGHT_INLINE float first_lane(vf value) { return hn::GetLane(value); }
TILEWRIGHT_INLINE std::int32_t first_lane(vi value) { return hn::GetLane(value); }
TILEWRIGHT_INLINE std::uint32_t first_lane(vu value) { return hn::GetLane(value); }
#if HWY_TARGET != HWY_SCALAR
/// The first Count lanes of the result are the Count lanes behind them; Count is a power of two.
template <int Count, class V>
TILEWRIGHT_INLINE V lanes_down(V value) {
  static_assert(2 * Count <= lanes);
#if HWY_TARGET != HWY_SCALAR  // which has neither a second lane nor these functions
  if constexpr (2 * Count == lanes) {
    return hn::ConcatUpperUpper(hn::DFromV<V>{}, value, value);
  } else if constexpr (Count == 4) {
    return hn::SwapAdjacentBlocks(value);
  } else if constexpr (Count == 2) {
    return hn::Shuffle1032(value);
  } else {
    return hn::Shuffle2301(value);
  }
#else
  return value;
#endif
}
#else
/// A single lane has none behind it.
template <int Count, class V>
TILEWRIGHT_INLINE V lanes_down(V value) {
  return value;
}
#endif
/// One byte for each lane, 0 or 1.
TILEWRIGHT_INLINE void store_bytes(std::uint8_t* to, mask value) {
  const vi ones = hn::IfThenElseZero(value, hn::Set(di{}, 1));
  hn::StoreU(hn::U8FromU32(hn::BitCast(du{}, ones)), du8{}, to);
}
TILEWRIGHT_INLINE mask load_bytes(const std::uint8_t* from) {
  const vu wide = hn::PromoteTo(du{}, hn::LoadU(du8{}, from));
  return hn::RebindMask(di{}, hn::Ne(wide, hn::Zero(du{})));
}

// ---- 16-bit floats ----
//
// In registers an f16 or bf16 is an f32 with a value that the narrow type has.

namespace detail {

/// The f32 values of f16 bits in the low halves of `bits`: exact, NaN payloads kept.
TILEWRIGHT_INLINE vf f32_from_f16_integers(vu bits) {
  const vu magnitude = hn::And(bits, hn::Set(du{}, 0x7fffu));
  const vu sign = hn::ShiftLeft<16>(hn::Xor(bits, magnitude));
  const vu shifted = hn::ShiftLeft<13>(magnitude);
  const vu normal = hn::Add(shifted, hn::Set(du{}, 112u << 23));
  const vu special = hn::Or(shifted, hn::Set(du{}, 0x7f800000u));
  // A subnormal is its fraction times 2^-24; both factors and the product are exact.
  const vf subnormal = hn::Mul(hn::ConvertTo(df{}, hn::BitCast(di{}, magnitude)),
                               hn::Set(df{}, 5.9604644775390625e-08f));
  const vi m = hn::BitCast(di{}, magnitude);
  vu result = hn::IfThenElse(hn::RebindMask(du{}, hn::Lt(m, hn::Set(di{}, 0x0400))),
                             hn::BitCast(du{}, subnormal), normal);
  result = hn::IfThenElse(hn::RebindMask(du{}, hn::Gt(m, hn::Set(di{}, 0x7bff))), special, result);
  return hn::BitCast(df{}, hn::Or(result, sign));
}

/// f16 bits of `value`, one rounding to nearest even, NaN made quiet.
TILEWRIGHT_INLINE vu f16_from_f32_integers(vf value) {
  const vu bits = hn::BitCast(du{}, value);
  const vu magnitude = hn::And(bits, hn::Set(du{}, 0x7fffffffu));
  const vu sign = hn::ShiftRight<16>(hn::Xor(bits, magnitude));
  const vi m = hn::BitCast(di{}, magnitude);
  // Normal: rebias, then add half of the last place kept, less one when that place is even.
  const vu odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du{}, 1u));
  const vu rounded_up = hn::Add(hn::Sub(magnitude, hn::Set(du{}, 0x38000000u - 0xfffu)), odd);
  vu result = hn::ShiftRight<13>(rounded_up);
  // Subnormal: an addition aligns the last place kept with that of 0.5, and rounds in hardware.
  const vf aligned = hn::Add(hn::BitCast(df{}, magnitude), hn::Set(df{}, 0.5f));
  const vu subnormal = hn::Sub(hn::BitCast(du{}, aligned), hn::Set(du{}, 0x3f000000u));
  result =
      hn::IfThenElse(hn::RebindMask(du{}, hn::Lt(m, hn::Set(di{}, 0x38800000))), subnormal, result);
  result = hn::IfThenElse(hn::RebindMask(du{}, hn::Gt(m, hn::Set(di{}, 0x477fffff))),
                          hn::Set(du{}, 0x7c00u), result);
  const vu payload = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du{}, 0x3ffu));
  result = hn::IfThenElse(hn::RebindMask(du{}, hn::Gt(m, hn::Set(di{}, 0x7f800000))),
                          hn::Or(payload, hn::Set(du{}, 0x7e00u)), result);
  return hn::Or(result, sign);
}

/// The low halves of `wide`, whose upper halves are zero.
TILEWRIGHT_INLINE vu16 narrow(vu wide) { return hn::DemoteTo(du16{}, hn::BitCast(di{}, wide)); }

}  // namespace detail

/// Exact f32 values of f16 bits.
TILEWRIGHT_INLINE vf widen_f16(vu16 bits) {
#if defined(__F16C__) && HWY_TARGET <= HWY_AVX2
  // The instruction is exact but for signalling NaNs, which it makes quiet.
  using d16 = hn::Rebind<hwy::float16_t, df>;
  const vf fast = hn::PromoteTo(df{}, hn::BitCast(d16{}, bits));
  if (all(is_number(fast))) return fast;
#endif
  return detail::f32_from_f16_integers(hn::PromoteTo(du{}, bits));
}
/// Exact f32 values of bf16 bits.
TILEWRIGHT_INLINE vf widen_bf16(vu16 bits) {
  return hn::BitCast(df{}, hn::ShiftLeft<16>(hn::PromoteTo(du{}, bits)));
}
/// f16 bits of `value`: one rounding to nearest even, NaN made quiet.
TILEWRIGHT_INLINE vu16 narrow_f16(vf value) {
#if defined(__F16C__) && HWY_TARGET <= HWY_AVX2
  return hn::BitCast(du16{}, hn::DemoteTo(hn::Rebind<hwy::float16_t, df>{}, value));
#else
  return detail::narrow(detail::f16_from_f32_integers(value));
#endif
}
/// bf16 bits of `value`: one rounding to nearest even, NaN made quiet.
TILEWRIGHT_INLINE vu16 narrow_bf16(vf value) {
  const vu bits = hn::BitCast(du{}, value);
  const vu odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du{}, 1u));
  const vu nearest = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(du{}, 0x7fffu))));
  const vu quiet = hn::Or(hn::ShiftRight<16>(bits), hn::Set(du{}, 0x40u));
  return detail::narrow(hn::IfThenElse(hn::RebindMask(du{}, is_number(value)), nearest, quiet));
}
/// f16 bits of a value that f16 has, signalling NaNs included.
TILEWRIGHT_INLINE vu16 narrow_exact_f16(vf value) {
  const mask number = is_number(value);
  if (all(number)) return narrow_f16(value);
  const vu bits = hn::BitCast(du{}, value);
  const vu sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(du{}, 0x8000u));
  const vu payload = hn::And(hn::ShiftRight<13>(bits), hn::Set(du{}, 0x3ffu));
  const vu kept = hn::Or(hn::Or(sign, payload), hn::Set(du{}, 0x7c00u));
  return detail::narrow(
      hn::IfThenElse(hn::RebindMask(du{}, number), detail::f16_from_f32_integers(value), kept));
}
/// bf16 bits of a value that bf16 has.
TILEWRIGHT_INLINE vu16 narrow_exact_bf16(vf value) {
  return detail::narrow(hn::ShiftRight<16>(hn::BitCast(du{}, value)));
}

TILEWRIGHT_INLINE vu16 load_16(const std::uint16_t* from) { return hn::LoadU(du16{}, from); }
TILEWRIGHT_INLINE void store_16(std::uint16_t* to, vu16 value) { hn::StoreU(value, du16{}, to); }
/// The first `count` lanes; the others are 0 and not read.
TILEWRIGHT_INLINE vu16 load_first_16(const std::uint16_t* from, int count) {
#if TILEWRIGHT_SIMD_MASKED_MEMORY_16
  return hn::MaskedLoad(hn::FirstN(du16{}, static_cast<std::size_t>(count)), du16{}, from);
#else
  alignas(64) std::uint16_t buffer[lane_count < 8 ? 8 : lane_count] = {};
  std::memcpy(buffer, from, static_cast<std::size_t>(count) * sizeof(std::uint16_t));
  return hn::LoadU(du16{}, buffer);
#endif
}
TILEWRIGHT_INLINE void store_first_16(std::uint16_t* to, vu16 value, int count) {
#if TILEWRIGHT_SIMD_MASKED_MEMORY_16
  hn::BlendedStore(value, hn::FirstN(du16{}, static_cast<std::size_t>(count)), du16{}, to);
#else
  alignas(64) std::uint16_t buffer[lane_count < 8 ? 8 : lane_count];
  hn::StoreU(value, du16{}, buffer);
  std::memcpy(to, buffer, static_cast<std::size_t>(count) * sizeof(std::uint16_t));
#endif
}

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace tilewright::inline TILEWRIGHT_ABI::simd
