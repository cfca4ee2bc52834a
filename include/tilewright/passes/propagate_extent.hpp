// Masks become effective extents: how many leading lanes of each dimension matter.
#pragma once

#include <cstdint>

#include <tilewright/analysis/liveness.hpp>
#include <tilewright/analysis/mask_box.hpp>
#include <tilewright/config.hpp>
#include <tilewright/detail/on_heap.hpp>
#include <tilewright/passes/rewriter.hpp>
#include <tilewright/passes/simplify.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

/// First half: the masks of structured accesses that are boxes of leading lanes become the
/// access's extents, and the mask operand goes away.
constexpr graph masks_to_extents(const graph& g) {
  if (g.error) return g;
  const auto rewriting = on_heap([&] { return rewriter(g); });
  rewriter& rewrite = *rewriting;
  const auto known = on_heap([] { return affine_forms(); });
  affine* const forms = known->of;
  const auto known_boxes = on_heap([] { return mask_boxes(); });
  mask_box* const boxes = known_boxes->of;
  for (node_id id = 0; id < g.size(); ++id) {
    const node& n = g[id];
    scalar_builder build{rewrite.to, n.line};
    const int mask_slot = n.code == op::load ? 1 : 2;
    const bool is_access = n.code == op::load || n.code == op::store;
    if (!is_access || n.value < 0 || n.operand(mask_slot) == no_node) {
      const node_id moved = rewrite.copy(id);
      forms[id] = affine_form(g, n, moved, forms, build);
      if (n.type == dtype::i1) boxes[id] = box_of_mask(g, n, moved, forms, boxes, build);
      continue;
    }
    const node_id mask = n.operand(mask_slot);
    const mask_box box = broadcast_box(boxes[mask], g[mask].dims, n.dims);
    const node_id other = n.code == op::load ? n.operand(2) : no_node;
    const bool plain_fill = other == no_node || g[other].code == op::constant;
    if (!box.known || !plain_fill || n.is_scalar()) {
      rewrite.copy(id);
      continue;
    }
    node_id extents[max_rank];
    for (int d = 0; d < max_rank; ++d) extents[d] = box.extents[d];
    if (box.gate != no_node) {
      const node_id all = extents[0] == no_node ? build.constant(n.dims[0]) : extents[0];
      extents[0] = build.append(op::where, dtype::i64, box.gate, all, build.constant(0));
    }
    node& placed = rewrite.to[rewrite.copy(id)];
    placed.operands[mask_slot] = no_node;
    if (n.code == op::load) placed.operands[2] = no_node;
    access& a = rewrite.to.accesses[static_cast<std::int32_t>(n.value)];
    a.masked = false;
    for (int d = 0; d < n.dims.rank; ++d) a.extents[d] = extents[d];
    if (other != no_node) a.fill_bits = g[other].value;
  }
  rewrite.finish();
  return rewrite.to;
}

/// Which lanes of a block somebody looks at, per dimension: nobody yet, the leading ones counted by
/// a scalar node, or all.
struct lanes {
  static constexpr node_id nobody = -2;
  static constexpr node_id all = no_node;
  node_id of[max_rank] = {nobody, nobody, nobody, nobody, nobody};
};

/// Second half: users tell their operands which lanes they look at.
class lane_demand {
 public:
  constexpr explicit lane_demand(graph& g) : g_(g) {}

  constexpr void run() {
    // Demands only grow, from nobody over one count to all, so few rounds reach the fixed point:
    // one for straight code and two more for each level of loops.
    changed_ = true;
    while (changed_) {
      changed_ = false;
      for (node_id id = g_.size() - 1; id >= 0; --id) visit(id);
    }
    for (node_id id = 0; id < g_.size(); ++id) record(id);
  }

 private:
  /// Somebody looks at `count` lanes of `id`.
  constexpr void want(node_id id, int dim, node_id count) {
    if (count >= 0 && !is_known(count, id)) count = lanes::all;
    node_id& have = demand_[id].of[dim];
    const node_id joined = count == lanes::nobody || have == count ? have
                           : have == lanes::nobody                 ? count
                                                                   : lanes::all;
    if (joined == have) return;
    have = joined;
    changed_ = true;
  }
  /// Whether `count` is known when node `id` is computed. The value of a phi is computed for an
  /// iteration before that begins, so only a count from before its loop will do.
  constexpr bool is_known(node_id count, node_id id) const {
    return count < (g_[id].code == op::phi ? g_[id].operand(2) : id);
  }
  constexpr void want_all(node_id id) {
    for (int d = 0; d < g_[id].dims.rank; ++d) want(id, d, lanes::all);
  }
  /// The user looks at `counts` of a block of shape `dims` to which operand `id` broadcasts.
  constexpr void want_broadcast(node_id id, const node_id* counts, const shape& dims) {
    const shape& own = g_[id].dims;
    for (int d = 0; d < own.rank; ++d) {
      const int target = d + dims.rank - own.rank;
      want(id, d, own[d] == dims[target] ? counts[target] : lanes::all);
    }
  }

  constexpr void visit(node_id id) {
    const node& n = g_[id];
    const node_id* counts = demand_[id].of;
    if (n.code == op::store) return visit_store(n);
    if (n.is_scalar() && n.code != op::reduce && n.code != op::load) {
      for (int i = 0; i < operand_slots(n); ++i) {
        if (n.operand(i) != no_node) want_all(n.operand(i));
      }
      return;
    }
    if (n.code == op::load) {
      for (int i = 0; i < 3; ++i) {
        if (n.operand(i) != no_node) want_all(n.operand(i));
      }
      return;
    }
    switch (n.code) {
      case op::reduce: return visit_reduce(n, counts);
      case op::dot: return visit_dot(n, counts);
      case op::expand_dims:
        for (int d = 0; d < n.dims.rank; ++d) {
          const int axis = static_cast<int>(n.value);
          if (d != axis) want(n.operand(0), d < axis ? d : d - 1, counts[d]);
        }
        return;
      case op::phi:
        want_broadcast(n.operand(0), counts, n.dims);
        want_broadcast(n.operand(1), counts, n.dims);
        return;
      default:
        for (int i = 0; i < operand_slots(n); ++i) {
          if (n.operand(i) != no_node) want_broadcast(n.operand(i), counts, n.dims);
        }
    }
  }

  constexpr void visit_store(const node& n) {
    if (n.operand(0) != no_node) want_all(n.operand(0));
    if (n.operand(2) != no_node) want_all(n.operand(2));
    if (n.value < 0) return want_all(n.operand(1));
    want_broadcast(n.operand(1), g_.accesses[static_cast<std::int32_t>(n.value)].extents, n.dims);
  }

  /// The access of a load whose padding is one known value, or nullptr.
  constexpr const access* padded_load(node_id id) const {
    const node& n = g_[id];
    if (n.code != op::load || n.value < 0) return nullptr;
    const access& a = g_.accesses[static_cast<std::int32_t>(n.value)];
    return a.masked ? nullptr : &a;
  }

  static constexpr bool is_zero(dtype type, std::int64_t bits) {
    if (bits == 0) return true;
    // -0 as an element of a float.
    return is_float(type) && static_cast<std::uint64_t>(bits) == std::uint64_t{1}
                                                                     << (size_of(type) * 8 - 1);
  }

  /// A reduction may stop at the operand's extent if what lies behind is one value that can be
  /// combined afterwards: zero for a sum; for max and min any but a zero of a float, since 0 and -0
  /// tie, and the tree then keeps the one that it meets first.
  constexpr void visit_reduce(const node& n, const node_id* counts) {
    const node_id source = n.operand(0);
    const int axis = static_cast<int>(n.value);
    for (int d = 0; d < g_[source].dims.rank; ++d) {
      if (d != axis) want(source, d, counts[d < axis ? d : d - 1]);
    }
    want(source, axis, reduced_lanes(n));
  }
  constexpr node_id reduced_lanes(const node& n) const {
    const access* a = padded_load(n.operand(0));
    if (a == nullptr) return lanes::all;
    const dtype type = g_[n.operand(0)].type;
    const bool zero = is_zero(type, a->fill_bits);
    const bool combines_once = n.combine == op::add ? zero : !(is_float(type) && zero);
    return combines_once ? a->extents[static_cast<int>(n.value)] : lanes::all;
  }

  /// Products of padding may be left out if both operands end at the same k in zeros and adding a
  /// +0 would not change the accumulator, that is, if it can't be -0.
  constexpr void visit_dot(const node& n, const node_id* counts) {
    want(n.operand(0), 0, counts[0]);
    want(n.operand(1), 1, counts[1]);
    want(n.operand(2), 0, counts[0]);
    want(n.operand(2), 1, counts[1]);
    const node_id k = inner_lanes(n);
    want(n.operand(0), 1, k);
    want(n.operand(1), 0, k);
  }
  constexpr node_id inner_lanes(const node& n) const {
    const access* left = padded_load(n.operand(0));
    const access* right = padded_load(n.operand(1));
    if (left == nullptr || right == nullptr) return lanes::all;
    const bool zeros = left->fill_bits == 0 && right->fill_bits == 0;
    return zeros && left->extents[1] == right->extents[0] && starts_at_plus_zero(n.operand(2))
               ? left->extents[1]
               : lanes::all;
  }
  constexpr bool starts_at_plus_zero(node_id accumulator) const {
    // A sum that starts at +0 never becomes -0 when rounding to nearest.
    const node& n = g_[accumulator];
    if (n.code == op::constant) return n.value == 0;
    if (n.code != op::phi) return false;
    const node& next = g_[n.operand(1)];
    return g_[n.operand(0)].code == op::constant && g_[n.operand(0)].value == 0 &&
           next.code == op::dot && next.operand(2) == accumulator;
  }

  static constexpr node_id count_or_all(node_id demand) { return demand >= 0 ? demand : no_node; }

  constexpr void record(node_id id) {
    node& n = g_[id];
    if (n.code == op::store) {
      if (n.value < 0) return;
      const access& a = g_.accesses[static_cast<std::int32_t>(n.value)];
      for (int d = 0; d < n.dims.rank; ++d) n.extents[d] = a.extents[d];
      return;
    }
    for (int d = 0; d < n.dims.rank; ++d) n.extents[d] = count_or_all(demand_[id].of[d]);
    if (n.code == op::dot) n.extents[2] = inner_lanes(n);
    if (n.code == op::reduce) n.extents[n.dims.rank] = reduced_lanes(n);
    if (n.code == op::load && n.value >= 0) {
      access& a = g_.accesses[static_cast<std::int32_t>(n.value)];
      a.fill = false;
      for (int d = 0; d < n.dims.rank; ++d) {
        // Lanes past the count that all users agree on are never seen.
        const bool limited = a.extents[d] != no_node;
        if (limited && n.extents[d] != a.extents[d]) a.fill = true;
      }
    }
  }

  graph& g_;
  lanes demand_[TILEWRIGHT_MAX_NODES];
  bool changed_ = false;
};

constexpr graph demand_lanes(const graph& g) {
  graph result = g;
  if (!g.error) on_heap([&] { return lane_demand(result); })->run();
  return result;
}

}  // namespace detail

/// Turns masks into extents (see `access::extents` and `node::extents`), tells each node how many
/// leading lanes its users look at, and clears `access::fill` where nobody sees the padding.
///
/// Beside the dimensions of its result, a dot has the extent of k in `extents[2]` and a reduce that
/// of its axis in `extents[rank of the result]`: the products and elements behind it are left out;
/// a reduce combines the source's padding (`access::fill_bits`) once instead.
constexpr graph propagate_extent(const graph& g) {
  // The counts that several masks share are one node only after the second round: the first moves
  // them out of their loops.
  const auto limited = detail::on_heap([&] { return detail::masks_to_extents(g); });
  const auto tidied = detail::on_heap([&] { return simplify(*limited); });
  const auto merged = detail::on_heap([&] { return simplify(*tidied); });
  return detail::demand_lanes(*merged);
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
