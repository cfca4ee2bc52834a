// How elements are held while they are computed with, and how they get in and out of memory.
//
// f32, i32 and u32 are SIMD vectors, i1 a mask, f16 and bf16 f32 vectors whose values the narrow
// type has. Every other type, and addresses, are plain arrays with one element a lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tilewright/config.hpp>
#include <tilewright/host/simd.hpp>
#include <tilewright/types/convert.hpp>
#include <tilewright/types/dtype.hpp>
#include <type_traits>

namespace tilewright::inline TILEWRIGHT_ABI::detail {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

/// One element a lane.
template <class T>
struct lane_array {
  T at[simd::lane_count];
};

template <class T>
struct register_of {
  using type = lane_array<T>;
};
template <>
struct register_of<float> {
  using type = simd::vf;
};
template <>
struct register_of<f16> {
  using type = simd::vf;
};
template <>
struct register_of<bf16> {
  using type = simd::vf;
};
template <>
struct register_of<std::int32_t> {
  using type = simd::vi;
};
template <>
struct register_of<std::uint32_t> {
  using type = simd::vu;
};
template <>
struct register_of<bool> {
  using type = simd::mask;
};
/// What holds `lanes` elements of type `T`.
template <class T>
using register_t = typename register_of<T>::type;

template <class T>
struct scratch_element {
  using type = T;
};
template <>
struct scratch_element<f16> {
  using type = float;
};
template <>
struct scratch_element<bf16> {
  using type = float;
};
template <>
struct scratch_element<bool> {
  using type = std::uint8_t;
};
/// What an element of type `T` is in scratch memory.
template <class T>
using scratch_t = typename scratch_element<T>::type;

template <class T>
inline constexpr bool is_word =
    std::is_same_v<T, float> || std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t>;

/// The first `count` lanes of a mask as truth values; all of them by default.
struct mask_lanes {
  std::uint8_t at[simd::lane_count < 16 ? 16 : simd::lane_count];
  TILEWRIGHT_INLINE explicit mask_lanes(simd::mask value) { simd::store_bytes(at, value); }
};

/// A register with `value` in every lane.
template <class T>
TILEWRIGHT_INLINE register_t<T> splat(T value) {
  if constexpr (is_small_float<T>) {
    return simd::set(static_cast<float>(value));
  } else if constexpr (is_word<T> || std::is_same_v<T, bool>) {
    return simd::set(value);
  } else {
    lane_array<T> result;
    for (T& element : result.at) element = value;
    return result;
  }
}

/// A register as an array of its elements.
template <class T>
TILEWRIGHT_INLINE lane_array<T> to_lanes(const register_t<T>& value) {
  lane_array<T> result;
  if constexpr (is_word<T>) {
    simd::store(result.at, value);
  } else if constexpr (is_small_float<T>) {
    std::uint16_t bits[simd::lane_count];
    simd::store_16(bits, std::is_same_v<T, f16> ? simd::narrow_exact_f16(value)
                                                : simd::narrow_exact_bf16(value));
    for (int lane = 0; lane < simd::lanes; ++lane) result.at[lane] = T::from_bits(bits[lane]);
  } else if constexpr (std::is_same_v<T, bool>) {
    const mask_lanes bytes(value);
    for (int lane = 0; lane < simd::lanes; ++lane) result.at[lane] = bytes.at[lane] != 0;
  } else {
    result = value;
  }
  return result;
}
/// The inverse of `to_lanes`.
template <class T>
TILEWRIGHT_INLINE register_t<T> from_lanes(const lane_array<T>& value) {
  if constexpr (is_word<T>) {
    return simd::load(value.at);
  } else if constexpr (is_small_float<T>) {
    std::uint16_t bits[simd::lane_count];
    for (int lane = 0; lane < simd::lanes; ++lane) bits[lane] = value.at[lane].bits;
    return std::is_same_v<T, f16> ? simd::widen_f16(simd::load_16(bits))
                                  : simd::widen_bf16(simd::load_16(bits));
  } else if constexpr (std::is_same_v<T, bool>) {
    std::uint8_t bytes[simd::lane_count];
    for (int lane = 0; lane < simd::lanes; ++lane) bytes[lane] = value.at[lane] ? 1 : 0;
    return simd::load_bytes(bytes);
  } else {
    return value;
  }
}

// ---- scratch memory: whole registers, always padded ----

template <class T>
TILEWRIGHT_INLINE register_t<T> load_scratch(const scratch_t<T>* from) {
  if constexpr (is_small_float<T> || is_word<T>) {
    return simd::load(from);
  } else if constexpr (std::is_same_v<T, bool>) {
    return simd::load_bytes(from);
  } else {
    lane_array<T> result;
    std::memcpy(result.at, from, sizeof(result));
    return result;
  }
}
template <class T>
TILEWRIGHT_INLINE void store_scratch(scratch_t<T>* to, const register_t<T>& value) {
  if constexpr (is_small_float<T> || is_word<T>) {
    simd::store(to, value);
  } else if constexpr (std::is_same_v<T, bool>) {
    simd::store_bytes(to, value);
  } else {
    std::memcpy(to, value.at, sizeof(value));
  }
}
/// One element of scratch memory as a register with it in every lane.
template <class T>
TILEWRIGHT_INLINE register_t<T> splat_scratch(const scratch_t<T>* from) {
  if constexpr (is_small_float<T>) {
    return simd::set(*from);
  } else if constexpr (std::is_same_v<T, bool>) {
    return simd::set(*from != 0);
  } else {
    return splat<T>(*from);
  }
}

// ---- the user's memory: exactly the elements asked for ----

/// An element of the user's memory; a byte that is neither 0 nor 1 reads as a true i1.
template <class T>
TILEWRIGHT_INLINE T load_one(const T* from) {
  if constexpr (std::is_same_v<T, bool>) {
    unsigned char byte;
    std::memcpy(&byte, from, 1);
    return byte != 0;
  } else {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  }
}

/// Elements from[0], ..., from[lanes - 1].
template <class T>
TILEWRIGHT_INLINE register_t<T> load_all(const T* from) {
  if constexpr (is_word<T>) {
    return simd::load(from);
  } else if constexpr (is_small_float<T>) {
    const simd::vu16 bits = simd::load_16(reinterpret_cast<const std::uint16_t*>(from));
    return std::is_same_v<T, f16> ? simd::widen_f16(bits) : simd::widen_bf16(bits);
  } else if constexpr (std::is_same_v<T, bool>) {
    return simd::load_bytes(reinterpret_cast<const std::uint8_t*>(from));
  } else {
    lane_array<T> result;
    std::memcpy(result.at, from, sizeof(result));
    return result;
  }
}
/// Elements from[0], ..., from[count - 1]; `fill` in the other lanes. Clamps `count`.
template <class T>
TILEWRIGHT_INLINE register_t<T> load_first(const T* from, std::int64_t count, T fill) {
  if (count >= simd::lanes) return load_all(from);
  const int some = count < 0 ? 0 : static_cast<int>(count);
  if constexpr (is_word<T>) {
    const simd::mask inside = simd::first_lanes(some);
    const register_t<T> loaded = simd::load_masked(from, inside);
    return to_bits(fill) == 0 ? loaded : simd::select(inside, loaded, simd::set(fill));
  } else if constexpr (is_small_float<T>) {
    const simd::vu16 bits = simd::load_first_16(reinterpret_cast<const std::uint16_t*>(from), some);
    return simd::select(simd::first_lanes(some),
                        std::is_same_v<T, f16> ? simd::widen_f16(bits) : simd::widen_bf16(bits),
                        splat(fill));
  } else {
    lane_array<T> result;
    for (int lane = 0; lane < simd::lanes; ++lane) {
      result.at[lane] = lane < some ? load_one(from + lane) : fill;
    }
    return from_lanes<T>(result);
  }
}
template <class T>
TILEWRIGHT_INLINE void store_all(T* to, const register_t<T>& value) {
  if constexpr (is_word<T>) {
    simd::store(to, value);
  } else if constexpr (is_small_float<T>) {
    simd::store_16(reinterpret_cast<std::uint16_t*>(to), std::is_same_v<T, f16>
                                                             ? simd::narrow_exact_f16(value)
                                                             : simd::narrow_exact_bf16(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    simd::store_bytes(reinterpret_cast<std::uint8_t*>(to), value);
  } else {
    std::memcpy(to, value.at, sizeof(value));
  }
}
/// Writes the first `count` lanes (0 to `lanes`) and nothing else.
template <class T>
TILEWRIGHT_INLINE void store_first(T* to, const register_t<T>& value, int count) {
  if constexpr (is_word<T>) {
    simd::store_masked(to, value, simd::first_lanes(count));
  } else if constexpr (is_small_float<T>) {
    simd::store_first_16(
        reinterpret_cast<std::uint16_t*>(to),
        std::is_same_v<T, f16> ? simd::narrow_exact_f16(value) : simd::narrow_exact_bf16(value),
        count);
  } else {
    const lane_array<T> elements = to_lanes<T>(value);
    std::memcpy(to, elements.at, static_cast<std::size_t>(count) * sizeof(T));
  }
}

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
