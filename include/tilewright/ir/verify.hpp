// Is this a graph at all? The rules of each operation, checked.
#pragma once

#include <cstdint>
#include <initializer_list>

#include <tilewright/config.hpp>
#include <tilewright/detail/on_heap.hpp>
#include <tilewright/ir/graph.hpp>
#include <tilewright/types/promotion.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Rules of a graph; a violated one is the `need` of the diagnostic, the node its `have`.
enum class graph_rule : std::int64_t {
  operand_missing = 1,  ///< an operand that the operation needs is absent
  operand_order = 2,    ///< an operand is no earlier node (phi: its `next` lies in the loop)
  operand_scope = 3,    ///< an operand or a count was computed in a loop that has closed
  element_type = 4,     ///< operand and result types don't fit the operation
  block_shape = 5,      ///< operand and result shapes don't fit the operation
  loop_structure = 6,   ///< loop, induction, phis and end_loop don't match up
  access_record = 7,    ///< a load or store names no access, or the access no scalar nodes
};

namespace detail {

class graph_verifier {
 public:
  constexpr explicit graph_verifier(const graph& g) : g_(g) {}

  constexpr diagnostic run() {
    for (node_id id = 0; id < g_.size() && !failed_; ++id) {
      const node& n = g_[id];
      at_ = id;
      check_operands(n);
      if (failed_) break;
      check_types(n);
      check_shapes(n);
      check_loops(n);
      check_access(n);
      // After its loop a phi names the loop's result, so it belongs to what is around the loop.
      scope_[id] = n.code == op::phi ? scope_[n.operand(2)] : current_;
      if (n.code == op::loop) {
        current_ = id;
        open_[id] = true;
      }
    }
    if (current_ != no_node) {
      at_ = current_;
      require(false, graph_rule::loop_structure);
    }
    return failed_;
  }

 private:
  constexpr void require(bool holds, graph_rule rule) {
    if (holds || failed_) return;
    failed_ = {code::malformed, g_[at_].line, static_cast<std::int64_t>(rule), at_};
  }

  constexpr bool is_optional(const node& n, int slot) const {
    if (n.code == op::load) return slot > 0 || n.value >= 0;
    if (n.code == op::store) return slot == 2 || (slot == 0 && n.value >= 0);
    return false;
  }
  constexpr void check_operands(const node& n) {
    for (int i = 0; i < operand_slots(n); ++i) {
      const node_id used = n.operand(i);
      if (used == no_node) {
        require(is_optional(n, i), graph_rule::operand_missing);
        continue;
      }
      const bool forward = n.code == op::phi && i == 1;
      require(used >= 0 && used < g_.size() && (forward || used < at_), graph_rule::operand_order);
      if (failed_) return;
      const bool names_loop =
          (n.code == op::phi && i == 2) || n.code == op::induction || n.code == op::end_loop;
      if (forward) {
        require(used < g_[n.operand(2)].value, graph_rule::operand_order);
      } else if (!names_loop) {
        require(is_in_scope(used), graph_rule::operand_scope);
      }
    }
    for (const node_id extent : n.extents) {
      if (extent == no_node) continue;
      require(is_count(extent), graph_rule::operand_order);
      require_known(extent);
    }
  }
  /// A scalar i64 that comes earlier.
  constexpr bool is_count(node_id id) const {
    return id >= 0 && id < at_ && g_[id].is_scalar() && g_[id].type == dtype::i64;
  }
  /// Whether the value of an earlier node is known here.
  constexpr bool is_in_scope(node_id id) const {
    return scope_[id] == no_node || open_[scope_[id]];
  }
  constexpr const node& operand(const node& n, int i) const { return g_[n.operand(i)]; }

  constexpr void check_types(const node& n) {
    constexpr graph_rule rule = graph_rule::element_type;
    const op_kind kind = info_of(n.code).kind;
    if (kind != op_kind::structural) {
      const int first = kind == op_kind::select ? 1 : 0;
      const dtype type = operand(n, first).type;
      for (int i = first; i < arity_of(kind); ++i) require(operand(n, i).type == type, rule);
      if (kind == op_kind::select) require(operand(n, 0).type == dtype::i1, rule);
      require(accepts(kind, type) && n.type == result_type(kind, type) && !n.pointer, rule);
      return;
    }
    switch (n.code) {
      case op::broadcast:
      case op::expand_dims:
      case op::copy: return require(n.type == operand(n, 0).type, rule);
      case op::add_pointer:
        return require(n.pointer && operand(n, 0).pointer && operand(n, 1).type == dtype::i64,
                       rule);
      case op::load:
        if (n.operand(1) != no_node) require(operand(n, 1).type == dtype::i1, rule);
        if (n.operand(2) != no_node) require(operand(n, 2).type == n.type, rule);
        if (n.operand(0) != no_node) require(operand(n, 0).pointer, rule);
        return;
      case op::store:
        require(operand(n, 1).type == n.type, rule);
        if (n.operand(2) != no_node) require(operand(n, 2).type == dtype::i1, rule);
        return;
      case op::dot:
        return require(operand(n, 0).type == operand(n, 1).type && operand(n, 2).type == n.type,
                       rule);
      case op::reduce: return require(n.type == reduced_type(n.combine, operand(n, 0).type), rule);
      case op::phi:
        return require(n.type == operand(n, 0).type && n.type == operand(n, 1).type, rule);
      default: return;
    }
  }

  constexpr void check_shapes(const node& n) {
    constexpr graph_rule rule = graph_rule::block_shape;
    switch (n.code) {
      case op::dot: {
        const shape& left = operand(n, 0).dims;
        const shape& right = operand(n, 1).dims;
        require(left.rank == 2 && right.rank == 2 && n.dims.rank == 2 && left[1] == right[0] &&
                    n.dims[0] == left[0] && n.dims[1] == right[1] && operand(n, 2).dims == n.dims,
                rule);
        return;
      }
      case op::reduce: {
        const shape& source = operand(n, 0).dims;
        const auto axis = static_cast<std::int32_t>(n.value);
        require(axis >= 0 && axis < source.rank && n.dims.rank == source.rank - 1, rule);
        for (int d = 0; d < n.dims.rank; ++d) {
          require(n.dims[d] == source[d < axis ? d : d + 1], rule);
        }
        return;
      }
      case op::expand_dims:
        return require(
            n.dims.rank == operand(n, 0).dims.rank + 1 && n.dims[static_cast<int>(n.value)] == 1,
            rule);
      case op::phi:
        return require(n.dims == operand(n, 0).dims && n.dims == operand(n, 1).dims, rule);
      case op::copy: return require(n.dims == operand(n, 0).dims, rule);
      default:
        for (int i = 0; i < operand_slots(n); ++i) {
          if (n.operand(i) != no_node && n.code != op::end_loop) {
            require(broadcasts_to(operand(n, i).dims, n.dims), rule);
          }
        }
    }
  }

  constexpr void check_loops(const node& n) {
    constexpr graph_rule rule = graph_rule::loop_structure;
    switch (n.code) {
      case op::loop:
        return require(at_ + 1 < g_.size() && g_[at_ + 1].code == op::induction && n.value > at_ &&
                           n.value < g_.size() &&
                           g_[static_cast<node_id>(n.value)].code == op::end_loop,
                       rule);
      case op::induction: return require(n.operand(0) == at_ - 1 && current_ == at_ - 1, rule);
      case op::phi: {
        const op before = g_[at_ - 1].code;
        return require((before == op::induction || before == op::phi) && n.operand(2) == current_,
                       rule);
      }
      case op::end_loop:
        require(current_ != no_node && n.operand(0) == current_ && g_[current_].value == at_, rule);
        if (failed_) return;
        open_[current_] = false;
        current_ = scope_[current_];
        return;
      default: return;
    }
  }

  constexpr void check_access(const node& n) {
    constexpr graph_rule rule = graph_rule::access_record;
    if ((n.code != op::load && n.code != op::store) || n.value < 0) return;
    require(n.value < g_.accesses.size(), rule);
    if (failed_) return;
    const access& a = g_.accesses[static_cast<std::int32_t>(n.value)];
    require(a.base >= 0 && a.base < at_ && g_[a.base].code == op::argument && g_[a.base].pointer &&
                is_count(a.offset),
            rule);
    require_known(a.offset);
    for (int d = 0; d < n.dims.rank; ++d) {
      for (const node_id count : {a.strides[d], a.extents[d]}) {
        if (count == no_node) continue;
        require(is_count(count), rule);
        require_known(count);
      }
    }
  }

  constexpr void require_known(node_id id) {
    if (!failed_) require(is_in_scope(id), graph_rule::operand_scope);
  }

  const graph& g_;
  diagnostic failed_{};
  node_id at_ = 0;
  node_id current_ = no_node;
  node_id scope_[TILEWRIGHT_MAX_NODES] = {};
  bool open_[TILEWRIGHT_MAX_NODES] = {};
};

}  // namespace detail

/// Checks every rule of a graph: operands exist, come earlier and are in scope; element types and
/// shapes fit each operation; loops and accesses are well-formed. Returns TW-E004 with the number
/// of the first violated `graph_rule` and the node, or no error.
constexpr diagnostic verify(const graph& g) {
  return detail::on_heap([&] { return detail::graph_verifier(g); })->run();
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
