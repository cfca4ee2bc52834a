// Element types: the enumeration that graphs and programs carry, and its C++ counterparts.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <tilewright/config.hpp>
#include <tilewright/types/float16.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// An element type. `none` marks a node without a value.
enum class dtype : std::uint8_t {
  none,
  i1,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f16,
  bf16,
  f32,
  f64
};

/// Name as written in dumps and documentation.
constexpr const char* name_of(dtype type) {
  switch (type) {
    case dtype::none: return "none";
    case dtype::i1: return "i1";
    case dtype::i8: return "i8";
    case dtype::i16: return "i16";
    case dtype::i32: return "i32";
    case dtype::i64: return "i64";
    case dtype::u8: return "u8";
    case dtype::u16: return "u16";
    case dtype::u32: return "u32";
    case dtype::u64: return "u64";
    case dtype::f16: return "f16";
    case dtype::bf16: return "bf16";
    case dtype::f32: return "f32";
    case dtype::f64: return "f64";
  }
  return "?";
}

/// Bytes of one element in memory; an i1 takes one byte, 0 or 1.
constexpr int size_of(dtype type) {
  switch (type) {
    case dtype::none: return 0;
    case dtype::i1:
    case dtype::i8:
    case dtype::u8: return 1;
    case dtype::i16:
    case dtype::u16:
    case dtype::f16:
    case dtype::bf16: return 2;
    case dtype::i32:
    case dtype::u32:
    case dtype::f32: return 4;
    case dtype::i64:
    case dtype::u64:
    case dtype::f64: return 8;
  }
  return 0;
}

constexpr bool is_float(dtype type) { return type >= dtype::f16; }
constexpr bool is_signed_int(dtype type) { return type >= dtype::i8 && type <= dtype::i64; }
constexpr bool is_unsigned_int(dtype type) { return type >= dtype::u8 && type <= dtype::u64; }
/// Integers of at least 8 bits; i1 is not one of them.
constexpr bool is_int(dtype type) { return is_signed_int(type) || is_unsigned_int(type); }
constexpr bool is_int_or_bool(dtype type) { return type == dtype::i1 || is_int(type); }

namespace detail {
// i1 is stored as a byte of value 0 or 1, which is what `bool` is on every supported platform.
template <class T>
struct dtype_of;
template <>
struct dtype_of<bool> : std::integral_constant<dtype, dtype::i1> {};
template <>
struct dtype_of<std::int8_t> : std::integral_constant<dtype, dtype::i8> {};
template <>
struct dtype_of<std::int16_t> : std::integral_constant<dtype, dtype::i16> {};
template <>
struct dtype_of<std::int32_t> : std::integral_constant<dtype, dtype::i32> {};
template <>
struct dtype_of<std::int64_t> : std::integral_constant<dtype, dtype::i64> {};
template <>
struct dtype_of<std::uint8_t> : std::integral_constant<dtype, dtype::u8> {};
template <>
struct dtype_of<std::uint16_t> : std::integral_constant<dtype, dtype::u16> {};
template <>
struct dtype_of<std::uint32_t> : std::integral_constant<dtype, dtype::u32> {};
template <>
struct dtype_of<std::uint64_t> : std::integral_constant<dtype, dtype::u64> {};
template <>
struct dtype_of<f16> : std::integral_constant<dtype, dtype::f16> {};
template <>
struct dtype_of<bf16> : std::integral_constant<dtype, dtype::bf16> {};
template <>
struct dtype_of<float> : std::integral_constant<dtype, dtype::f32> {};
template <>
struct dtype_of<double> : std::integral_constant<dtype, dtype::f64> {};

template <dtype Type>
struct element_of;
template <>
struct element_of<dtype::i1> : std::type_identity<bool> {};
template <>
struct element_of<dtype::i8> : std::type_identity<std::int8_t> {};
template <>
struct element_of<dtype::i16> : std::type_identity<std::int16_t> {};
template <>
struct element_of<dtype::i32> : std::type_identity<std::int32_t> {};
template <>
struct element_of<dtype::i64> : std::type_identity<std::int64_t> {};
template <>
struct element_of<dtype::u8> : std::type_identity<std::uint8_t> {};
template <>
struct element_of<dtype::u16> : std::type_identity<std::uint16_t> {};
template <>
struct element_of<dtype::u32> : std::type_identity<std::uint32_t> {};
template <>
struct element_of<dtype::u64> : std::type_identity<std::uint64_t> {};
template <>
struct element_of<dtype::f16> : std::type_identity<f16> {};
template <>
struct element_of<dtype::bf16> : std::type_identity<bf16> {};
template <>
struct element_of<dtype::f32> : std::type_identity<float> {};
template <>
struct element_of<dtype::f64> : std::type_identity<double> {};
}  // namespace detail

/// A C++ type that can be an element of a block.
template <class T>
concept Element = requires {
  detail::dtype_of<T>::value;
};

/// The dtype of the C++ element type `T`.
template <Element T>
inline constexpr dtype dtype_v = detail::dtype_of<T>::value;

/// The C++ element type of `Type`.
template <dtype Type>
using element_t = typename detail::element_of<Type>::type;

/// Calls `function.template operator()<T>()` with the C++ element type of `type`.
template <class Function>
constexpr decltype(auto) with_element(dtype type, Function&& function) {
  switch (type) {
    case dtype::i1: return function.template operator()<bool>();
    case dtype::i8: return function.template operator()<std::int8_t>();
    case dtype::i16: return function.template operator()<std::int16_t>();
    case dtype::i32: return function.template operator()<std::int32_t>();
    case dtype::i64: return function.template operator()<std::int64_t>();
    case dtype::u8: return function.template operator()<std::uint8_t>();
    case dtype::u16: return function.template operator()<std::uint16_t>();
    case dtype::u32: return function.template operator()<std::uint32_t>();
    case dtype::u64: return function.template operator()<std::uint64_t>();
    case dtype::f16: return function.template operator()<f16>();
    case dtype::bf16: return function.template operator()<bf16>();
    case dtype::f64: return function.template operator()<double>();
    default: return function.template operator()<float>();
  }
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
