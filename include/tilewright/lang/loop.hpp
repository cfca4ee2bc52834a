// Loops as plain range-for statements, and the handles' members that need the whole language.
#pragma once

#include <tilewright/lang/lang.hpp>

namespace tilewright {

/// What `tl.range` returns. The body of the range-for is traced once; the loop closes at its `++`.
class loop_range {
 public:
  struct end_marker {};
  class iterator {
   public:
    constexpr explicit iterator(const loop_range& range) : range_(&range) {}
    constexpr i32 operator*() const { return {*range_->context_, range_->induction_}; }
    constexpr iterator& operator++() {
      range_->context_->nodes.close_loop();
      closed_ = true;
      return *this;
    }
    constexpr bool operator!=(end_marker) const { return !closed_; }

   private:
    const loop_range* range_;
    bool closed_ = false;
  };

  constexpr loop_range(lang& context, node_id induction)
      : context_(&context), induction_(induction) {}
  constexpr iterator begin() const { return iterator(*this); }
  constexpr end_marker end() const { return {}; }

 private:
  lang* context_;
  node_id induction_;
};

template <Operand First, Operand Last, Operand Step>
constexpr loop_range lang::range(const First& first, const Last& last, const Step& step, int line) {
  static_assert(detail::shape_of<First>().rank == 0 && detail::shape_of<Last>().rank == 0 &&
                    detail::shape_of<Step>().rank == 0,
                "TW-E123: tl.range takes literals and scalars");
  static_assert(is_int_or_bool(detail::operand_type<First>()) &&
                    is_int_or_bool(detail::operand_type<Last>()) &&
                    is_int_or_bool(detail::operand_type<Step>()),
                "TW-E124: tl.range takes integers");
  const node_id from = operand_as<std::int32_t>(first, line);
  const node_id to = operand_as<std::int32_t>(last, line);
  const node_id by = operand_as<std::int32_t>(step, line);
  if (nodes[by].code == op::constant && nodes[by].value == 0) {
    nodes.fail(code::zero_step, line);
  }
  return {*this, nodes.open_loop(make_node<i32>(op::loop, line, 0, from, to, by))};
}
template <Operand Last>
constexpr loop_range lang::range(const Last& last, int line) {
  return range(0, last, 1, line);
}

template <class T, int... Dims>
constexpr block<T, Dims...>::block(lang& context, node_id id)
    : context_(&context), id_(id), born_(context.nodes.size()) {}

template <class T, int... Dims>
constexpr block<T, Dims...>::block(const block& other)
    : block(*other.context_, other.context_->nodes.copy(other.id_)) {}

template <class T, int... Dims>
constexpr block<T, Dims...>& block<T, Dims...>::operator=(const block& other) {
  context_->nodes.assign(id_, born_, context_->nodes.copy(other.id_));
  return *this;
}
template <class T, int... Dims>
template <Literal Number>
constexpr block<T, Dims...>& block<T, Dims...>::operator=(Number value) {
  return *this = context_->template constant<block>(value, context_->nodes[id_].line);
}

template <class T, int... Dims>
template <Element To>
constexpr block<To, Dims...> block<T, Dims...>::to(int line) const {
  static_assert(!std::is_pointer_v<T>, "TW-E125: pointers do not convert");
  if constexpr (std::same_as<T, To>) {
    return *this;  // a node of its own, as for every copy: the two variables may part in a loop
  } else {
    return context_->template emit<block<To, Dims...>>(op::cast, line, 0, id_);
  }
}

}  // namespace tilewright
