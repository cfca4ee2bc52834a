// From a kernel to its graph.
#pragma once

#include <cstdint>
#include <utility>

#include <tilewright/lang/loop.hpp>
#include <tilewright/lang/operators.hpp>

namespace tilewright {

namespace detail {

/// Rebuilds a traced graph in execution order: phis move to the head of their loops. Offsets of
/// pointers, and comparisons of blocks made from `tl.arange` (masks), are computed in 64 bits from
/// their narrower leaves on, so that no product of an index and a stride can wrap. That holds where
/// the expression turns to i64 on its way, too: an i32 index and an i64 stride or length.
class finisher {
 public:
  constexpr explicit finisher(const graph& traced) : from_(traced) {}

  constexpr graph run() {
    to_.argument_count = from_.argument_count;
    to_.error = from_.error;
    if (to_.error) return to_;
    mark_offsets();
    for (node_id id = 0; id < from_.size(); ++id) {
      if (from_[id].code == op::phi) continue;  // emitted with its loop
      emit(id);
      if (from_[id].code == op::loop) {
        start_loop(id);
        ++id;
      }
    }
    for (node& n : to_.nodes) {  // forward references
      if (n.code == op::phi) n.operands[1] = moved_[n.operand(1)];
      if (n.code == op::loop) n.value = moved_[n.value];
    }
    return to_;
  }

 private:
  /// Operations that give the same number in 64 bits, unless the narrower type would wrap.
  static constexpr bool computes_offsets(op what) {
    switch (what) {
      case op::add:
      case op::sub:
      case op::mul:
      case op::div:
      case op::rem:
      case op::maximum:
      case op::minimum:
      case op::neg:
      case op::where:
      case op::copy:
      case op::broadcast:
      case op::expand_dims:
      case op::constant:
      case op::arange: return true;
      default: return false;
    }
  }

  /// Whether `n` turns an integer to one of 64 bits, as promotion does.
  constexpr bool widens(const node& n) const {
    return n.code == op::cast && is_int(n.type) && size_of(n.type) == 8 &&
           is_int(from_[n.operand(0)].type);
  }

  /// Whether `n` asks for the order of two indices, as masks do.
  constexpr bool orders_indices(const node& n) const {
    const bool order = n.code == op::lt || n.code == op::le || n.code == op::gt || n.code == op::ge;
    return order && (is_index_[n.operand(0)] || is_index_[n.operand(1)]);
  }

  constexpr void mark_offsets() {
    for (node_id id = 0; id < from_.size(); ++id) {
      const node& n = from_[id];
      if (!is_int(n.type)) continue;
      narrow_[id] = n.type != dtype::i64;
      if (!computes_offsets(n.code) && !widens(n)) continue;
      is_index_[id] = n.code == op::arange;
      for (int i = 0; i < operand_slots(n); ++i) {
        is_index_[id] |= is_index_[n.operand(i)];
        narrow_[id] |= narrow_[n.operand(i)];
      }
    }
    for (node_id id = from_.size() - 1; id >= 0; --id) {
      const node& n = from_[id];
      if (n.code == op::add_pointer) want_wide(n.operand(1));
      if (orders_indices(n)) {
        want_wide(n.operand(0));
        want_wide(n.operand(1));
      }
      if (wide_wanted_[id] && (computes_offsets(n.code) || widens(n))) {
        for (int i = 0; i < operand_slots(n); ++i) want_wide(n.operand(i));
      }
    }
  }
  constexpr void want_wide(node_id id) { wide_wanted_[id] = narrow_[id]; }
  /// Whether operand `i` of `n` is used in its 64-bit form.
  constexpr bool uses_wide(const node& n, int i) const {
    if (!wide_wanted_[n.operand(i)]) return false;
    return (n.code == op::add_pointer && i == 1) || orders_indices(n);
  }

  constexpr node_id push(const node& n) {
    if (!to_.nodes.push_back(n)) {
      to_.fail({code::graph_full, n.line, to_.size() + 1, to_.nodes.capacity()});
    }
    return to_.size() - 1;
  }

  constexpr bool is_phi_of(node_id id, node_id loop) const {
    return from_[id].code == op::phi && from_[id].operand(2) == loop;
  }

  /// The running value and the phis follow their loop at once.
  constexpr void start_loop(node_id loop) {
    place(loop + 1);
    node_id first = static_cast<node_id>(from_[loop].value);
    const node_id last = first;
    while (is_phi_of(first - 1, loop)) --first;
    for (node_id phi = first; phi < last; ++phi) place(phi);
    for (node_id phi = first; phi < last; ++phi) widen(phi);
    widen(loop + 1);
  }

  constexpr void emit(node_id id) {
    place(id);
    widen(id);
  }
  constexpr void widen(node_id id) {
    if (!wide_wanted_[id]) return;
    const node& n = from_[id];
    wide_[id] = widens(n) ? wide_[n.operand(0)] : push(widened(id));
  }
  constexpr void place(node_id id) {
    node n = from_[id];
    for (int i = 0; i < operand_slots(n); ++i) {
      const bool forward = n.code == op::phi && i == 1;
      if (n.operand(i) == no_node || forward) continue;
      n.operands[i] =
          uses_wide(from_[id], i) ? wide_[from_[id].operand(i)] : moved_[from_[id].operand(i)];
    }
    moved_[id] = push(n);
    if (n.code == op::end_loop) {
      // The widened phis in the loop hold values of its last iteration; users behind the loop need
      // the results.
      const node_id loop = from_[id].operand(0);
      for (node_id phi = id - 1; is_phi_of(phi, loop); --phi) {
        if (wide_wanted_[phi]) wide_[phi] = push(widened(phi));
      }
    }
  }

  constexpr node widened(node_id id) {
    node n = from_[id];
    if (computes_offsets(n.code)) {
      for (int i = 0; i < operand_slots(n); ++i) {
        const node_id used = n.operand(i);
        n.operands[i] = wide_wanted_[used] ? wide_[used] : moved_[used];
      }
      if (n.code == op::constant) n.value = constant_value(n);
    } else {
      n = node{};
      n.code = op::cast;
      n.line = from_[id].line;
      n.dims = from_[id].dims;
      n.operands[0] = moved_[id];
    }
    n.type = dtype::i64;
    return n;
  }

  static constexpr std::int64_t constant_value(const node& n) {
    return with_element(n.type, [&]<class T>() {
      return convert<std::int64_t>(from_bits<T>(static_cast<std::uint64_t>(n.value)));
    });
  }

  const graph& from_;
  graph to_{};
  node_id moved_[TILEWRIGHT_MAX_NODES] = {};
  node_id wide_[TILEWRIGHT_MAX_NODES] = {};
  bool narrow_[TILEWRIGHT_MAX_NODES] = {};  ///< has another form in 64 bits
  bool wide_wanted_[TILEWRIGHT_MAX_NODES] = {};
  bool is_index_[TILEWRIGHT_MAX_NODES] = {};
};

template <class Body>
struct body_of;
template <class... Parameters>
struct body_of<void (*)(lang&, Parameters...)> {
  static constexpr int parameter_count = sizeof...(Parameters);

  /// Calls `function.template operator()<Parameters...>()`.
  template <class Function>
  static constexpr decltype(auto) with_parameters(Function&& function) {
    return function.template operator()<Parameters...>();
  }

  template <std::size_t... Index>
  static constexpr void call(void (*body)(lang&, Parameters...), lang& tl,
                             std::index_sequence<Index...>) {
    // In a braced list, since the order in which a call's arguments are evaluated is not defined.
    [[maybe_unused]] const node_id ids[] = {
        tl.parameter<Parameters>(static_cast<int>(Index)).id()..., no_node};
    body(tl, Parameters(tl, ids[Index])...);
  }
  static constexpr void call(void (*body)(lang&, Parameters...), lang& tl) {
    call(body, tl, std::index_sequence_for<Parameters...>{});
  }
};

}  // namespace detail

/// A class with `static constexpr void body(lang& tl, parameters...)`, its parameters handles taken
/// by value.
template <class T>
concept Kernel = requires {
  detail::body_of<decltype(&T::body)>::parameter_count;
};

/// Runs `body` once on handles and returns the graph of what it did, in execution order. Works in
/// constant expressions and at run time. Errors: TW-E001 to TW-E007, in `graph::error`.
template <Kernel K>
constexpr graph trace() {
  lang tl;
  detail::body_of<decltype(&K::body)>::call(&K::body, tl);
  return detail::finisher(tl.nodes.result()).run();
}

}  // namespace tilewright
