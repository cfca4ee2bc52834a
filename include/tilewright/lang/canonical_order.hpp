// One order for the nodes of a kernel, however the compiler evaluated its expressions.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/ir/graph.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {

/// C++ leaves open in which order the operands of an operator and the arguments of a call are
/// evaluated, so that one kernel may record its nodes in different orders. This puts them in one:
/// what has a place of its own (arguments, loops, phis, stores) keeps it, and what is recorded
/// between two of these is sorted by where a walk meets it that goes through all of them and visits
/// operands from left to right, operands first. What nobody needs is left out.
class canonical_order {
 public:
  constexpr explicit canonical_order(const graph& from) : from_(from) {}

  constexpr graph run() {
    rank_all();
    place_all();
    graph to;
    to.accesses = from_.accesses;
    to.argument_count = from_.argument_count;
    to.error = from_.error;
    for (node_id at = 0; at < placed_; ++at) to.nodes.push_back(from_[node_at_[at]]);
    for (node& n : to.nodes) {
      for (int i = 0; i < operand_slots(n); ++i) {
        if (n.operand(i) != no_node) n.operands[i] = place_of_[n.operand(i)];
      }
      if (n.code == op::loop) n.value = place_of_[n.value];
    }
    return to;
  }

 private:
  static constexpr bool has_own_place(op code) {
    return code == op::argument || code == op::induction || code == op::phi || has_effect(code);
  }

  /// Numbers the nodes that are needed in the order of the walk.
  constexpr void rank_all() {
    for (node_id id = 0; id < from_.size(); ++id) {
      const node& n = from_[id];
      if (!has_own_place(n.code)) continue;
      // What a phi takes next is computed by the end of its loop.
      if (n.code == op::end_loop) {
        for_each_phi(from_, n.operand(0), [&](node_id phi) { walk(from_[phi].operand(1)); });
      }
      const int known = n.code == op::phi ? 1 : operand_slots(n);
      for (int i = 0; i < known; ++i) walk(n.operand(i));
    }
  }

  constexpr bool is_new(node_id id) const {
    return id != no_node && !met_[id] && !has_own_place(from_[id].code);
  }
  constexpr void walk(node_id root) {
    if (!is_new(root)) return;
    std::int32_t depth = 0;
    enter(root, depth);
    while (depth > 0) {
      const node_id id = open_[depth - 1];
      const node& n = from_[id];
      int& next = next_operand_[depth - 1];
      while (next < operand_slots(n) && !is_new(n.operand(next))) ++next;
      if (next < operand_slots(n)) {
        enter(n.operand(next), depth);
      } else {
        by_rank_[ranked_++] = id;
        --depth;
      }
    }
  }
  constexpr void enter(node_id id, std::int32_t& depth) {
    met_[id] = true;
    open_[depth] = id;
    next_operand_[depth++] = 0;
  }

  /// Fills each stretch of nodes between two that have a place of their own by rank.
  constexpr void place_all() {
    // The stretch that a node lies in is named by the node with a place of its own that ends it.
    node_id end = no_node;
    for (node_id id = from_.size() - 1; id >= 0; --id) {
      if (has_own_place(from_[id].code)) end = id;
      end_of_[id] = end;
    }
    // How long each is, then where it starts, then where its next node goes.
    for (std::int32_t rank = 0; rank < ranked_; ++rank) ++next_place_[end_of_[by_rank_[rank]]];
    for (node_id id = 0; id < from_.size(); ++id) {
      if (!has_own_place(from_[id].code)) continue;
      const node_id length = next_place_[id];
      next_place_[id] = placed_;
      placed_ += length;
      place(id, placed_++);
    }
    for (std::int32_t rank = 0; rank < ranked_; ++rank) {
      place(by_rank_[rank], next_place_[end_of_[by_rank_[rank]]]++);
    }
  }
  constexpr void place(node_id id, node_id at) {
    place_of_[id] = at;
    node_at_[at] = id;
  }

  const graph& from_;
  bool met_[TILEWRIGHT_MAX_NODES] = {};
  node_id open_[TILEWRIGHT_MAX_NODES] = {};
  int next_operand_[TILEWRIGHT_MAX_NODES] = {};
  node_id by_rank_[TILEWRIGHT_MAX_NODES] = {};
  std::int32_t ranked_ = 0;
  node_id place_of_[TILEWRIGHT_MAX_NODES] = {};
  node_id node_at_[TILEWRIGHT_MAX_NODES] = {};
  node_id placed_ = 0;
  node_id end_of_[TILEWRIGHT_MAX_NODES] = {};
  node_id next_place_[TILEWRIGHT_MAX_NODES] = {};  // by the node that ends a stretch
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
