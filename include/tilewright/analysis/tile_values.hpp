// Which nodes are tiles in local memory, and which are scalars of the cores.
#pragma once

#include <tilewright/analysis/liveness.hpp>
#include <tilewright/config.hpp>
#include <tilewright/ir/graph.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// The scalars that the cores must know: what addresses, extents, masks of scalar loads and the
/// bounds of loops are computed from.
constexpr node_flags core_scalars(const graph& g) {
  node_flags needed;
  node_map stack;
  std::int32_t depth = 0;
  const auto reach = [&](node_id id) {
    if (id == no_node || needed[id] || g[id].pointer || g[id].code == op::loop) return;
    needed[id] = true;
    stack[depth++] = id;
  };
  for (node_id id = 0; id < g.size(); ++id) {
    const node& n = g[id];
    for (int d = 0; d < extent_slots(n); ++d) reach(n.extents[d]);
    if (n.code == op::loop) {
      for (int i = 0; i < operand_slots(n); ++i) reach(n.operand(i));
    }
    if ((n.code != op::load && n.code != op::store) || n.value < 0) continue;
    const access& a = g.accesses[static_cast<std::int32_t>(n.value)];
    reach(a.offset);
    for (int d = 0; d < n.dims.rank; ++d) {
      reach(a.strides[d]);
      reach(a.extents[d]);
    }
    // DMA moves leading lanes; whether there is a single one is for a core to decide.
    if (n.code == op::load && n.is_scalar() && a.masked) reach(id);
  }
  while (depth > 0) {
    const node& n = g[stack[--depth]];
    if (!n.is_scalar() || n.code == op::reduce) continue;
    for (int i = 0; i < operand_slots(n); ++i) reach(n.operand(i));
  }
  return needed;
}

/// A node is a tile if its value comes from memory or is computed from a tile, and if it is a
/// block that is computed at all. What remains are scalars that the cores compute (arguments,
/// program ids, addresses, loop bounds) or load themselves (`core_scalars`), blocks that are one
/// scalar repeated, and pointers.
constexpr node_flags tile_values(const graph& g) {
  node_flags tile;
  const node_flags on_core = core_scalars(g);
  // A phi is a tile if its `next` is one, which comes later: one more round for each level of loops.
  bool changed = true;
  while (changed) {
    changed = false;
    for (node_id id = 0; id < g.size(); ++id) {
      const node& n = g[id];
      const bool before = tile[id];
      switch (n.code) {
        case op::load: tile[id] = !on_core[id]; break;
        case op::reduce:
        case op::dot:
        case op::arange: tile[id] = true; break;
        case op::argument:
        case op::constant:
        case op::program_id:
        case op::num_programs:
        case op::loop:
        case op::induction:
        case op::end_loop:
        case op::add_pointer:
        case op::store: break;
        case op::broadcast:
        case op::expand_dims: tile[id] = tile[n.operand(0)]; break;
        case op::phi: tile[id] = !n.is_scalar() || tile[n.operand(0)] || tile[n.operand(1)]; break;
        default:
          tile[id] = !n.is_scalar();
          for (int i = 0; i < operand_slots(n); ++i) tile[id] = tile[id] || tile[n.operand(i)];
      }
      changed = changed || tile[id] != before;
    }
  }
  return tile;
}

/// Whether a tile node is only another view of its operand's tile.
constexpr bool is_view(op code) { return code == op::broadcast || code == op::expand_dims; }

}  // namespace tilewright::inline TILEWRIGHT_ABI
