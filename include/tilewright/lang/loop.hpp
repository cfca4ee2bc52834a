// Loops as plain range-for statements.
#pragma once

#include <tilewright/config.hpp>
#include <tilewright/lang/lang.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// What `tl.range` returns: bounds. The loop opens when a range-for takes its first step; its body is
/// traced once, and the loop closes at the `++`.
class loop_range {
 public:
  struct end_marker {};
  class iterator {
   public:
    constexpr iterator(lang& context, node_id induction)
        : context_(&context), induction_(induction) {}
    constexpr i32 operator*() const { return {*context_, induction_}; }
    constexpr iterator& operator++() {
      context_->nodes.close_loop();
      closed_ = true;
      return *this;
    }
    constexpr bool operator!=(end_marker) const { return !closed_; }

   private:
    lang* context_;
    node_id induction_;
    bool closed_ = false;
  };

  constexpr loop_range(lang& context, const node& loop) : context_(&context), loop_(loop) {}
  constexpr iterator begin() const { return {*context_, context_->nodes.open_loop(loop_)}; }
  constexpr end_marker end() const { return {}; }

 private:
  lang* context_;
  node loop_;
};

namespace detail {
/// Whether the values of a bound of `tl.range` are i32 values. Of a literal this is checked when
/// its value is known.
template <class T>
constexpr bool fits_i32() {
  constexpr dtype type = operand_type<T>();
  return is_int_or_bool(type) && (Literal<T> || size_of(type) < 4 || type == dtype::i32);
}
}  // namespace detail

template <Operand First, Operand Last, Operand Step>
constexpr loop_range lang::range(const First& first, const Last& last, const Step& step,
                                 source_line line) {
  static_assert(detail::shape_of<First>().rank == 0 && detail::shape_of<Last>().rank == 0 &&
                    detail::shape_of<Step>().rank == 0,
                "TW-E123: tl.range takes literals and scalars");
  static_assert(detail::fits_i32<First>() && detail::fits_i32<Last>() && detail::fits_i32<Step>(),
                "TW-E124: tl.range takes integers no wider than i32; convert with .to<T>()");
  const node_id from = operand_as<std::int32_t>(first, line);
  const node_id to = operand_as<std::int32_t>(last, line);
  const node_id by = operand_as<std::int32_t>(step, line);
  if (nodes[by].code == op::constant && nodes[by].value == 0) {
    nodes.fail(code::zero_step, line.number());
  }
  return {*this, make_node<i32>(op::loop, line, 0, from, to, by)};
}
template <Operand Last>
constexpr loop_range lang::range(const Last& last, source_line line) {
  return range(0, last, 1, line);
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
