// Which nodes matter, and in which loop each one lies.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/ir/graph.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// One flag a node.
struct node_flags {
  bool set[TILEWRIGHT_MAX_NODES] = {};
  constexpr bool& operator[](node_id id) { return set[static_cast<std::size_t>(id)]; }
  constexpr bool operator[](node_id id) const { return set[static_cast<std::size_t>(id)]; }
};

/// One node id a node.
struct node_map {
  node_id to[TILEWRIGHT_MAX_NODES] = {};
  constexpr node_id& operator[](node_id id) { return to[static_cast<std::size_t>(id)]; }
  constexpr node_id operator[](node_id id) const { return to[static_cast<std::size_t>(id)]; }
};

/// Calls `visit(id)` for each node that `n` refers to: operands, extents, and the scalars of its
/// access.
template <class Visit>
constexpr void for_each_reference(const graph& g, const node& n, Visit&& visit) {
  for (int i = 0; i < operand_slots(n); ++i) {
    if (n.operand(i) != no_node) visit(n.operand(i));
  }
  for (int d = 0; d < extent_slots(n); ++d) {
    if (n.extents[d] != no_node) visit(n.extents[d]);
  }
  if ((n.code == op::load || n.code == op::store) && n.value >= 0) {
    const access& a = g.accesses[static_cast<std::int32_t>(n.value)];
    visit(a.base);
    visit(a.offset);
    for (int d = 0; d < n.dims.rank; ++d) {
      if (a.strides[d] != no_node) visit(a.strides[d]);
      if (a.extents[d] != no_node) visit(a.extents[d]);
    }
  }
}

/// The nodes that stores, loops and arguments need.
constexpr node_flags live_nodes(const graph& g) {
  node_flags live;
  node_map stack;
  std::int32_t depth = 0;
  const auto reach = [&](node_id id) {
    if (live[id]) return;
    live[id] = true;
    stack[depth++] = id;
  };
  for (node_id id = 0; id < g.size(); ++id) {
    if (has_effect(g[id].code) || g[id].code == op::argument || g[id].code == op::induction) {
      reach(id);
    }
  }
  while (depth > 0) {
    const node_id id = stack[--depth];
    for_each_reference(g, g[id], reach);
  }
  return live;
}

/// For each node the innermost loop around it, as the id of its `loop` node, or no_node. A loop
/// node itself lies in the loop around it.
constexpr node_map enclosing_loops(const graph& g) {
  node_map loops;
  node_id current = no_node;
  for (node_id id = 0; id < g.size(); ++id) {
    loops[id] = current;
    if (g[id].code == op::loop) current = id;
    if (g[id].code == op::end_loop) {
      current = loops[g[id].operand(0)];
      loops[id] = current;
    }
  }
  return loops;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
