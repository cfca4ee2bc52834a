// Drops copies, folds integer constants, merges equal nodes, moves loop-invariant scalars out of
// loops and drops what nobody needs.
#pragma once

#include <cstdint>

#include <tilewright/analysis/liveness.hpp>
#include <tilewright/config.hpp>
#include <tilewright/detail/on_heap.hpp>
#include <tilewright/ir/graph.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

class simplifier {
 public:
  constexpr explicit simplifier(const graph& from) : from_(from) {}

  constexpr graph run() {
    graph to;
    to.accesses = from_.accesses;
    to.argument_count = from_.argument_count;
    merge();
    place();
    // Emit live nodes in order, each loop preceded by what was moved out of it.
    const node_flags live = live_nodes(merged_);
    for (node_id id = 0; id < merged_.size(); ++id) {
      if (merged_[id].code == op::loop) {
        for (node_id moved = first_before_[id]; moved != no_node; moved = next_before_[moved]) {
          if (live[moved]) emit(to, moved);
        }
      }
      if (live[id] && !hoisted_[id]) emit(to, id);
    }
    for (node& n : to.nodes) {  // forward references
      if (n.code == op::phi) n.operands[1] = final_[n.operand(1)];
      if (n.code == op::loop) n.value = final_[static_cast<node_id>(n.value)];
    }
    renumber_accesses(to);
    return to;
  }

 private:
  static constexpr int hash_size = 4096;

  /// First phase: every node of `from_` gets a representative; `merged_` is `from_` with operands
  /// replaced by representatives.
  constexpr void merge() {
    merged_ = from_;
    loops_ = enclosing_loops(from_);
    for (node_id id = 0; id < merged_.size(); ++id) {
      node& n = merged_[id];
      same_[id] = id;
      for (int i = 0; i < operand_slots(n); ++i) {
        const bool forward = n.code == op::phi && i == 1;
        if (n.operand(i) != no_node && !forward) n.operands[i] = same_[n.operand(i)];
      }
      for (int d = 0; d < extent_slots(n); ++d) {
        if (n.extents[d] != no_node) n.extents[d] = same_[n.extents[d]];
      }
      if (n.code == op::loop) open_[id] = true;
      if (n.code == op::end_loop) open_[n.operand(0)] = false;
      fold(n);
      if (const node_id known = forwarded(n); known != no_node) {
        same_[id] = known;
      } else if (is_pure(n)) {
        same_[id] = find_or_insert(id);
      }
    }
    for (node& n : merged_.nodes) {
      if (n.code == op::phi) n.operands[1] = next_of_phi(n);
    }
    for (access& a : merged_.accesses) {
      if (a.base == no_node) continue;
      a.base = same_[a.base];
      a.offset = same_[a.offset];
      for (node_id& s : a.strides) s = s == no_node ? s : same_[s];
      for (node_id& e : a.extents) e = e == no_node ? e : same_[e];
    }
  }

  /// A phi that takes the value of another phi of its loop keeps the copy in between: both change
  /// at the same time.
  constexpr node_id next_of_phi(const node& phi) const {
    const node_id next = phi.operand(1);
    const node& value = merged_[same_[next]];
    const bool sibling = value.code == op::phi && value.operand(2) == phi.operand(2);
    return sibling && merged_[next].code == op::copy ? next : same_[next];
  }

  static constexpr bool is_pure(const node& n) {
    switch (n.code) {
      case op::load:
      case op::store:
      case op::loop:
      case op::end_loop:
      case op::induction:
      case op::phi:
      case op::argument: return false;
      default: return true;
    }
  }

  constexpr bool is_constant(node_id id, std::int64_t value) const {
    return merged_[id].code == op::constant && merged_[id].value == value &&
           is_int(merged_[id].type);
  }

  /// The node that `n` is just another name for, or no_node.
  constexpr node_id forwarded(const node& n) const {
    const node_id x = n.operand(0);
    const node_id y = n.operand(1);
    switch (n.code) {
      case op::copy: return x;
      case op::broadcast: return merged_[x].dims == n.dims ? x : no_node;
      case op::cast: return merged_[x].type == n.type ? x : no_node;
      case op::add:
        if (is_constant(y, 0) && merged_[x].dims == n.dims) return x;
        if (is_constant(x, 0) && merged_[y].dims == n.dims) return y;
        return no_node;
      case op::sub: return is_constant(y, 0) && merged_[x].dims == n.dims ? x : no_node;
      case op::mul:
        if (is_constant(y, 1) && merged_[x].dims == n.dims) return x;
        if (is_constant(x, 1) && merged_[y].dims == n.dims) return y;
        return no_node;
      case op::div: return is_constant(y, 1) && merged_[x].dims == n.dims ? x : no_node;
      case op::minimum:
      case op::maximum: return x == y ? x : no_node;
      default: return no_node;
    }
  }

  /// Turns a node of integer constants into a constant.
  constexpr void fold(node& n) const {
    if (!is_elementwise(n.code) || n.pointer) return;
    for (int i = 0; i < operand_slots(n); ++i) {
      const node& operand = merged_[n.operand(i)];
      if (operand.code != op::constant || !is_int_or_bool(operand.type)) return;
    }
    if (!is_int_or_bool(n.type)) return;
    const auto bits = [&](int i) {
      return static_cast<std::uint64_t>(merged_[n.operand(i)].value);
    };
    const dtype type = merged_[n.operand(operand_slots(n) - 1)].type;
    std::uint64_t result = 0;
    const auto evaluate = [&]<class T>() {
      const T x = from_bits<T>(bits(0));
      const T y = operand_slots(n) > 1 ? from_bits<T>(bits(1)) : T{};
      switch (n.code) {
        case op::cast: return cast_bits(x, n.type, result);
        case op::add: return keep(scalar_math::add(x, y), result);
        case op::sub: return keep(scalar_math::sub(x, y), result);
        case op::mul: return keep(scalar_math::mul(x, y), result);
        case op::div: return keep(scalar_math::div(x, y), result);
        case op::minimum: return keep(scalar_math::minimum(x, y), result);
        case op::maximum: return keep(scalar_math::maximum(x, y), result);
        case op::lt: return keep(x < y, result);
        case op::eq: return keep(x == y, result);
        default: return false;
      }
    };
    bool folded = false;
    if (type == dtype::i32) folded = evaluate.template operator()<std::int32_t>();
    if (type == dtype::i64) folded = evaluate.template operator()<std::int64_t>();
    if (!folded) return;
    n.code = op::constant;
    n.value = static_cast<std::int64_t>(result);
    for (node_id& operand : n.operands) operand = no_node;
  }
  template <class T>
  static constexpr bool keep(T value, std::uint64_t& result) {
    result = to_bits(value);
    return true;
  }
  template <class T>
  static constexpr bool cast_bits(T value, dtype to, std::uint64_t& result) {
    if (to == dtype::i64) return keep(convert<std::int64_t>(value), result);
    if (to == dtype::i32) return keep(convert<std::int32_t>(value), result);
    return false;
  }

  static constexpr std::uint32_t hash_of(const node& n) {
    std::uint32_t h = static_cast<std::uint32_t>(n.code) * 31u + static_cast<std::uint32_t>(n.type);
    h = h * 0x9e3779b1u + static_cast<std::uint32_t>(n.operands[0]);
    h = h * 0x9e3779b1u + static_cast<std::uint32_t>(n.operands[1]);
    h = h * 0x9e3779b1u + static_cast<std::uint32_t>(n.value);
    return (h ^ (h >> 15)) % hash_size;
  }
  static constexpr bool equal(const node& a, const node& b) {
    return a.code == b.code && a.type == b.type && a.value == b.value && a.combine == b.combine &&
           a.operands[0] == b.operands[0] && a.operands[1] == b.operands[1] &&
           a.operands[2] == b.operands[2] && a.dims == b.dims && same_extents(a, b);
  }
  static constexpr bool same_extents(const node& a, const node& b) {
    for (int d = 0; d < extent_slots(a); ++d) {
      if (a.extents[d] != b.extents[d]) return false;
    }
    return true;
  }
  /// An equal node whose value is known here, or `id` itself, remembered. A value computed in a
  /// loop that has closed is not known.
  constexpr node_id find_or_insert(node_id id) {
    std::uint32_t slot = hash_of(merged_[id]);
    while (table_[slot] != 0) {
      const node_id known = table_[slot] - 1;
      if (equal(merged_[known], merged_[id])) {
        const bool visible = loops_[known] == no_node || open_[loops_[known]];
        if (!visible) table_[slot] = id + 1;
        return visible ? known : id;
      }
      slot = (slot + 1) % hash_size;
    }
    table_[slot] = id + 1;
    return id;
  }

  /// Second phase: scalars whose operands come from outside a loop move in front of it.
  constexpr void place() {
    for (node_id id = 0; id < merged_.size(); ++id) {
      first_before_[id] = last_before_[id] = next_before_[id] = no_node;
      home_[id] = loops_[id];
    }
    for (node_id id = 0; id < merged_.size(); ++id) {
      const node& n = merged_[id];
      if (same_[id] != id || !n.is_scalar() || !is_pure(n) || n.code == op::add_pointer ||
          n.code == op::reduce || n.code == op::copy) {
        continue;
      }
      // The innermost loop that an operand is computed in: loops are nested, so the latest wins.
      node_id needed = no_node;
      for (int i = 0; i < operand_slots(n); ++i) {
        const node_id home = home_around(n.operand(i), id);
        if (home > needed) needed = home;
      }
      if (needed == home_[id]) continue;
      node_id outermost_left = home_[id];
      while (loops_[outermost_left] != needed) outermost_left = loops_[outermost_left];
      home_[id] = needed;
      hoisted_[id] = true;
      if (first_before_[outermost_left] == no_node) {
        first_before_[outermost_left] = id;
      } else {
        next_before_[last_before_[outermost_left]] = id;
      }
      last_before_[outermost_left] = id;
    }
  }

  /// The loop around both `operand` and `user` that the operand is computed in. A phi that is used
  /// after its loop counts as computed around it.
  constexpr node_id home_around(node_id operand, node_id user) const {
    node_id home = home_[operand];
    while (home != no_node && user > merged_[home].value) home = loops_[home];
    return home;
  }

  constexpr void emit(graph& to, node_id id) {
    if (same_[id] != id && merged_[id].code != op::copy) return;
    node n = merged_[id];
    for (int i = 0; i < operand_slots(n); ++i) {
      const bool forward = n.code == op::phi && i == 1;
      if (n.operand(i) != no_node && !forward) n.operands[i] = final_[n.operand(i)];
    }
    for (int d = 0; d < extent_slots(n); ++d) {
      if (n.extents[d] != no_node) n.extents[d] = final_[n.extents[d]];
    }
    final_[id] = to.size();
    to.nodes.push_back(n);
  }

  constexpr void renumber_accesses(graph& to) const {
    for (access& a : to.accesses) {
      if (a.base == no_node) continue;
      a = merged_.accesses[static_cast<std::int32_t>(&a - to.accesses.begin())];
      a.base = final_[a.base];
      a.offset = final_[a.offset];
      for (node_id& s : a.strides) s = s == no_node ? s : final_[s];
      for (node_id& e : a.extents) e = e == no_node ? e : final_[e];
    }
  }

  const graph& from_;
  graph merged_{};
  node_map loops_{};
  node_map same_{};
  node_map final_{};
  node_map home_{};
  node_map first_before_{};  // per loop: list of scalars moved in front of it
  node_map last_before_{};
  node_map next_before_{};
  node_flags open_{};
  node_flags hoisted_{};
  node_id table_[hash_size] = {};
};

}  // namespace detail

/// Graph in, equivalent graph out. Floating-point arithmetic is left as written.
constexpr graph simplify(const graph& g) {
  if (g.error) return g;
  return detail::on_heap([&] { return detail::simplifier(g); })->run();
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
