// Copies a graph node by node into a new one, so that a pass can put scalars in between.
#pragma once

#include <cstdint>

#include <tilewright/analysis/liveness.hpp>
#include <tilewright/config.hpp>
#include <tilewright/ir/graph.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {

/// The new graph under construction. A pass walks the old one in order and calls `copy` for each
/// node; between those calls it may append nodes of its own to `to`.
struct rewriter {
  const graph& from;
  graph to{};
  node_map moved{};  ///< old id -> new id

  constexpr explicit rewriter(const graph& old) : from(old) {
    to.accesses = old.accesses;
    to.argument_count = old.argument_count;
  }

  /// Appends node `id` of the old graph, its references renumbered; returns its new id.
  constexpr node_id copy(node_id id) {
    node n = from[id];
    for (int i = 0; i < operand_slots(n); ++i) {
      const bool forward = n.code == op::phi && i == 1;
      if (n.operand(i) != no_node && !forward) n.operands[i] = moved[n.operand(i)];
    }
    for (int d = 0; d < extent_slots(n); ++d) {
      if (n.extents[d] != no_node) n.extents[d] = moved[n.extents[d]];
    }
    if ((n.code == op::load || n.code == op::store) && n.value >= 0) {
      access& a = to.accesses[static_cast<std::int32_t>(n.value)];
      a.base = moved[a.base];
      a.offset = moved[a.offset];
      for (node_id& s : a.strides) s = s == no_node ? s : moved[s];
      for (node_id& e : a.extents) e = e == no_node ? e : moved[e];
    }
    if (!to.nodes.push_back(n)) {
      to.fail({code::graph_full, n.line, to.size() + 1, to.nodes.capacity()});
    }
    moved[id] = to.size() - 1;
    return moved[id];
  }

  /// Call once after the last node.
  constexpr void finish() {
    for (node& n : to.nodes) {
      if (n.code == op::phi) n.operands[1] = moved[n.operand(1)];
      if (n.code == op::loop) n.value = moved[static_cast<node_id>(n.value)];
    }
  }
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
