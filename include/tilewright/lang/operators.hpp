// C++ operators of blocks. They take no line argument, so the result inherits the latest line among
// its operands.
#pragma once

#include <tilewright/config.hpp>
#include <tilewright/lang/lang.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

template <class X, class Y>
constexpr lang& context_of(const X& x, const Y& y) {
  if constexpr (Block<X>) {
    return x.context();
  } else {
    return y.context();
  }
}
template <class X>
constexpr source_line line_of(const X& x) {
  if constexpr (Block<X>) {
    return source_line(x.context().nodes[x.id()].line);
  } else {
    return source_line(0);
  }
}
template <class X, class Y>
constexpr source_line line_of(const X& x, const Y& y) {
  return line_of(x).number() > line_of(y).number() ? line_of(x) : line_of(y);
}

}  // namespace detail

#define TILEWRIGHT_OPERATOR(symbol, name)                              \
  template <class X, class Y>                                          \
  requires detail::operands<X, Y>                                      \
  constexpr auto operator symbol(const X& x, const Y& y) {             \
    return detail::context_of(x, y).name(x, y, detail::line_of(x, y)); \
  }
TILEWRIGHT_OPERATOR(+, add)
TILEWRIGHT_OPERATOR(-, sub)
TILEWRIGHT_OPERATOR(*, mul)
TILEWRIGHT_OPERATOR(/, div)
TILEWRIGHT_OPERATOR(%, rem)
TILEWRIGHT_OPERATOR(<, lt)
TILEWRIGHT_OPERATOR(<=, le)
TILEWRIGHT_OPERATOR(>, gt)
TILEWRIGHT_OPERATOR(>=, ge)
TILEWRIGHT_OPERATOR(==, eq)
TILEWRIGHT_OPERATOR(!=, ne)
TILEWRIGHT_OPERATOR(&, bit_and)
TILEWRIGHT_OPERATOR(|, bit_or)
TILEWRIGHT_OPERATOR(^, bit_xor)
TILEWRIGHT_OPERATOR(<<, shl)
TILEWRIGHT_OPERATOR(>>, shr)
#undef TILEWRIGHT_OPERATOR

template <NumberBlock X>
constexpr auto operator-(const X& x) {
  return x.context().neg(x, detail::line_of(x));
}
template <NumberBlock X>
constexpr auto operator~(const X& x) {
  return x.context().bit_not(x, detail::line_of(x));
}

// Logical operators on i1 blocks: both sides are always evaluated.
template <NumberBlock X, NumberBlock Y>
constexpr auto operator&&(const X& x, const Y& y) {
  static_assert(std::same_as<typename X::element, bool> && std::same_as<typename Y::element, bool>,
                "TW-E126: && and || take blocks of element type i1");
  return x.context().bit_and(x, y, detail::line_of(x, y));
}
template <NumberBlock X, NumberBlock Y>
constexpr auto operator||(const X& x, const Y& y) {
  static_assert(std::same_as<typename X::element, bool> && std::same_as<typename Y::element, bool>,
                "TW-E126: && and || take blocks of element type i1");
  return x.context().bit_or(x, y, detail::line_of(x, y));
}
template <NumberBlock X>
constexpr auto operator!(const X& x) {
  static_assert(std::same_as<typename X::element, bool>, "TW-E127: ! takes a block of i1");
  return x.context().bit_not(x, detail::line_of(x));
}

namespace detail {
/// An offset in elements as i64: of what type it is does not matter for how far a pointer moves.
template <class Offset>
constexpr auto offset_of(lang& tl, const Offset& offset, source_line line) {
  static_assert(is_int(operand_type<Offset>()), "TW-E128: a pointer moves by an integer offset");
  using wide = block_t<std::int64_t, broadcast_shape<Offset>>;
  return wide(tl, tl.operand_as<std::int64_t>(offset, line));
}
template <class Pointer, class Offset>
constexpr auto moved(const Pointer& pointer, const Offset& offset, source_line line) {
  using common = broadcast_shape<Pointer, Offset>;
  static_assert(common::value.rank >= 0, "TW-E118: the operands' shapes do not broadcast");
  using result = block_t<typename Pointer::element, common>;
  return pointer.context().template emit<result>(op::add_pointer, line, 0, pointer.id(),
                                                 offset.id());
}
}  // namespace detail

/// Pointer plus an integer offset in elements; addresses are computed in 64 bits.
template <PointerBlock Pointer, Operand Offset>
constexpr auto operator+(const Pointer& pointer, const Offset& offset) {
  const source_line line = detail::line_of(pointer, offset);
  return detail::moved(pointer, detail::offset_of(pointer.context(), offset, line), line);
}
template <Operand Offset, PointerBlock Pointer>
constexpr auto operator+(const Offset& offset, const Pointer& pointer) {
  return pointer + offset;
}
/// Pointer minus an integer offset in elements.
template <PointerBlock Pointer, Operand Offset>
constexpr auto operator-(const Pointer& pointer, const Offset& offset) {
  lang& tl = pointer.context();
  const source_line line = detail::line_of(pointer, offset);
  return detail::moved(pointer, tl.neg(detail::offset_of(tl, offset, line), line), line);
}

template <class X, class Y>
requires detail::operands<X, Y>
constexpr auto lang::cdiv(const X& x, const Y& y, source_line line) {
  static_assert(is_int(detail::promoted_type<op::div, X, Y>()), "TW-E129: tl.cdiv takes integers");
  const auto is_negative = [&](const auto& value) {
    if constexpr (Literal<std::remove_cvref_t<decltype(value)>>) {
      return constant<i1>(value < 0, line);
    } else {
      return lt(value, 0, line);
    }
  };
  // Truncation toward zero is the ceiling already where the quotient is negative.
  const auto inexact = ne(rem(x, y, line), 0, line);
  const auto positive = eq(is_negative(x), is_negative(y), line);
  return add(div(x, y, line), where(bit_and(inexact, positive, line), 1, 0, line), line);
}

#define TILEWRIGHT_ASSIGNMENT(kind, symbol, binary) \
  template <kind X, Operand Y>                      \
  constexpr X& operator symbol(X& x, const Y& y) {  \
    x = x binary y;                                 \
    return x;                                       \
  }
TILEWRIGHT_ASSIGNMENT(Block, +=, +)
TILEWRIGHT_ASSIGNMENT(Block, -=, -)
TILEWRIGHT_ASSIGNMENT(NumberBlock, *=, *)
TILEWRIGHT_ASSIGNMENT(NumberBlock, /=, /)
#undef TILEWRIGHT_ASSIGNMENT

}  // namespace tilewright::inline TILEWRIGHT_ABI
