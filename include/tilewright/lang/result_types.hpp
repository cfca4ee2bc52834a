// Types of results: element types by promotion, shapes by broadcasting.
#pragma once

#include <cstddef>
#include <utility>

#include <tilewright/config.hpp>
#include <tilewright/lang/block.hpp>
#include <tilewright/types/promotion.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {

// A block type from a class with a `static constexpr shape value`. (A shape as a template argument
// by value crashes GCC 12.) Shapes that don't broadcast, already reported, give a scalar, so that
// no other error follows.
template <class T, class Shape,
          class = std::make_index_sequence<static_cast<std::size_t>(
              Shape::value.rank < 0 ? 0 : Shape::value.rank)>>
struct block_from;
template <class T, class Shape, std::size_t... D>
struct block_from<T, Shape, std::index_sequence<D...>> {
  using type = block<T, Shape::value.extents[D]...>;
};
template <class T, class Shape>
using block_t = typename block_from<T, Shape>::type;

/// Stands for an argument that was left out.
struct absent {};

template <class T>
constexpr bool is_mask() {
  if constexpr (Block<T>) {
    return std::same_as<typename T::element, bool>;
  } else {
    return false;
  }
}
template <class T>
concept mask_or_absent = std::same_as<T, absent> || is_mask<T>();

template <class T>
constexpr shape shape_of() {
  if constexpr (Block<T>) {
    return T::dims;
  } else {
    return shape{};
  }
}

/// The shape that the operands broadcast to. `rank` is -1 if they don't.
template <class... Operands>
struct broadcast_shape {
  static constexpr shape value = [] {
    shape result{};
    ((result = result.rank < 0 ? result : broadcast(result, shape_of<Operands>())), ...);
    return result;
  }();
};

/// Element type of a block or literal; an f64 literal counts as f32, an integer literal as i32 or
/// i64 by its size.
template <class T>
constexpr dtype operand_type() {
  if constexpr (Block<T>) {
    return dtype_v<typename T::element>;
  } else if constexpr (std::same_as<T, double>) {
    return dtype::f32;
  } else if constexpr (std::is_integral_v<T> && !std::same_as<T, bool>) {
    return sizeof(T) > 4 ? dtype::i64 : dtype::i32;
  } else {
    return dtype_v<T>;
  }
}

/// Type in which two operands of `Code` are computed, literals being weak.
template <op Code, class Left, class Right>
constexpr dtype promoted_type() {
  constexpr bool divides = Code == op::div || Code == op::rem;
  dtype left = operand_type<Left>();
  dtype right = operand_type<Right>();
  if constexpr (!Block<Left>) left = weak_literal(left, right);
  if constexpr (!Block<Right>) right = weak_literal(right, left);
  return promote(left, right, divides);
}

/// Whether `/` or `%` would mix signed and unsigned integers.
template <op Code, class Left, class Right>
constexpr bool mixes_signs() {
  if constexpr ((Code == op::div || Code == op::rem) && Block<Left> && Block<Right>) {
    constexpr dtype left = operand_type<Left>();
    constexpr dtype right = operand_type<Right>();
    return is_int(left) && is_int(right) && is_signed_int(left) != is_signed_int(right);
  } else {
    return false;
  }
}

/// A literal as a value that `convert` takes: plain C++ integer types that are no element type
/// (long long, char, ...) by their size.
template <class Number>
constexpr auto literal(Number value) {
  if constexpr (Element<Number>) {
    return value;
  } else if constexpr (std::is_floating_point_v<Number>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_signed_v<Number>) {
    return static_cast<std::int64_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

/// Whether an integer literal lies in the range of the integer type `T` that it becomes.
template <class T, class Number>
constexpr bool holds(Number value) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<Number> && !std::same_as<T, bool> &&
                !std::same_as<Number, bool>) {
    return std::in_range<T>(literal(value));
  } else {
    return true;
  }
}

template <class X, int Axis>
struct expanded_shape {
  static constexpr shape value = [] {
    shape result{};
    result.rank = X::dims.rank + 1;
    for (int d = 0; d < result.rank; ++d) {
      // An axis past the end is reported elsewhere.
      const int source = d < Axis ? d : d - 1;
      result[d] = d == Axis || source >= X::dims.rank ? 1 : X::dims[source];
    }
    return result;
  }();
};

template <class X, int Axis>
struct reduced_shape {
  static constexpr shape value = [] {
    shape result{};
    for (int d = 0; d < X::dims.rank; ++d) {
      if (d != Axis) result[result.rank++] = X::dims[d];
    }
    return result;
  }();
};

/// Accumulator of a product of blocks of element type `T`.
constexpr dtype dot_accumulator(dtype type) {
  return type == dtype::f64 ? dtype::f64 : is_int(type) ? dtype::i32 : dtype::f32;
}
template <class Left, class Right>
using dot_t = block<element_t<dot_accumulator(dtype_v<typename Left::element>)>, Left::dims[0],
                    Right::dims[1]>;

}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
