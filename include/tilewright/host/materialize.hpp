// Which block values are materialised into tiles of scratch memory.
#pragma once

#include <cstdint>
#include <tilewright/config.hpp>
#include <tilewright/host/plan.hpp>
#include <tilewright/ir/graph.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

/// What is decided about a node.
struct node_choice {
  std::int32_t cost = 0;       // of evaluating it in place, everything below included
  std::int32_t size = 1;       // values that it adds to a nest
  std::int32_t consumers = 0;  // loop nests in which it is evaluated
  node_id latest = no_node;    // place of the last of them
  node_id loop = no_node;      // the innermost loop around it
  bool needed = false;
  bool tiled = false;
  bool wanted_tile = false;          // somebody needs it as a tile
  bool fixed_loads = false;          // loads below it must be done in their place
  bool repeated = false;             // evaluated in a loop that it is not part of
  bool left = false, right = false;  // operand of a dot
};

/// Goes over a graph of `Nodes` nodes a few times, each time once over all nodes.
template <int Nodes>
class tile_choice {
 public:
  constexpr explicit tile_choice(const graph& g) : g_(g) { run(); }

  node_choice at[static_cast<std::size_t>(Nodes)]{};
  node_id plain[static_cast<std::size_t>(Nodes)]{};  ///< the node behind copies

  constexpr node_id operand(const node& n, int index) const {
    const node_id id = n.operand(index);
    return id == no_node ? no_node : plain[id];
  }
  constexpr bool is_block(node_id id) const { return g_[id].dims.rank > 0; }

  /// Where a value at `id` that is last evaluated at `place` must still be right: the end of the
  /// outermost loop around `place` that isn't around `id`.
  constexpr node_id extended(node_id place, node_id id) const {
    node_id result = place;
    for (node_id loop = at[place].loop; loop != no_node && loop > id; loop = at[loop].loop) {
      result = static_cast<node_id>(g_[loop].value);
    }
    return result;
  }

  /// Whether a reduction streams over its source: along the innermost dimension, in SIMD.
  constexpr bool streams(const node& n) const {
    const node& source = g_[operand(n, 0)];
    return n.value == source.dims.rank - 1 && source.dims.inner() > 1 && is_simd_type(source.type);
  }

 private:
  constexpr void run() {
    strip_copies();
    find_loops();
    estimate_costs();
    choose_tiles();
    limit_sizes();
  }

  constexpr void strip_copies() {
    for (node_id id = 0; id < g_.size(); ++id) {
      plain[id] = g_[id].code == op::copy ? plain[g_[id].operand(0)] : id;
    }
  }

  constexpr void find_loops() {
    node_id loop = no_node;
    node_id store = g_.size();
    for (node_id id = 0; id < g_.size(); ++id) {
      if (g_[id].code == op::end_loop) loop = at[g_[id].operand(0)].loop;
      at[id].loop = loop;
      if (g_[id].code == op::loop) loop = id;
    }
    for (node_id id = g_.size() - 1; id >= 0; --id) {
      store_after_[id] = store;
      if (g_[id].code == op::store) store = id;
    }
  }

  constexpr void estimate_costs() {
    for (node_id id = 0; id < g_.size(); ++id) {
      const node& n = g_[id];
      std::int32_t cost = 0;
      switch (n.code) {
        case op::load: cost = 2; break;
        case op::dot:
        case op::reduce:
        case op::phi: at[id].cost = 2; continue;
        default: cost = is_elementwise(n.code) ? info_of(n.code).cost : 0; break;
      }
      for (int i = 0; i < operand_slots(n); ++i) {
        const node_id used = operand(n, i);
        if (used != no_node && is_block(used)) cost += at[used].cost;
      }
      at[id].cost = cost > 1000 ? 1000 : cost;
    }
  }

  constexpr void use(node_id id, std::int32_t consumers, node_id place, bool fixed_loads) {
    node_choice& used = at[id];
    used.needed = true;
    used.consumers += consumers;
    const node_id until = extended(place, id);
    if (until != place) used.repeated = true;
    if (until > used.latest) used.latest = until;
    used.fixed_loads = used.fixed_loads || fixed_loads;
  }

  constexpr bool must_be_tile(node_id id) const {
    const node& n = g_[id];
    const node_choice& what = at[id];
    switch (n.code) {
      case op::reduce:
      case op::dot:
      case op::phi: return true;
      case op::constant:
      case op::arange:
      case op::broadcast:
      case op::expand_dims: return what.wanted_tile;
      case op::load:
        return what.wanted_tile || n.value < 0 || what.fixed_loads ||
               store_after_[id] < what.latest;
      default:
        return what.wanted_tile ||
               ((what.consumers > 1 || what.repeated) && what.cost > recompute_limit);
    }
  }

  constexpr void choose_tiles() {
    // A phi's next value is defined after its phi, so this use has to be noted first.
    for (node_id id = 0; id < g_.size(); ++id) {
      const node& n = g_[id];
      if (n.code != op::phi) continue;
      const node_id next = operand(n, 1);
      use(next, 1, static_cast<node_id>(g_[n.operand(2)].value) - 1, false);
      const op code = g_[next].code;
      at[next].wanted_tile = code != op::constant && code != op::arange;
    }
    for (node_id id = g_.size() - 1; id >= 0; --id) {
      const node& n = g_[id];
      node_choice& what = at[id];
      if (n.code == op::copy) continue;
      if (has_effect(n.code)) what.needed = true;
      if (!what.needed) continue;
      const bool block = is_block(id);
      what.tiled = block && n.code != op::store && must_be_tile(id);
      const bool consumer = what.tiled || n.code == op::store || n.code == op::reduce || !block;
      for (int i = 0; i < operand_slots(n); ++i) {
        const node_id used = operand(n, i);
        if (used == no_node || (n.code == op::phi && i == 1)) continue;
        bool fixed = !consumer && what.fixed_loads;
        if (n.code == op::store) fixed = n.value < 0 || i == 2;
        const node_id place = n.code == op::phi ? n.operand(2) : consumer ? id : what.latest;
        use(used, consumer ? 1 : what.consumers, place, fixed);
        if (n.code == op::dot && i < 2) {
          at[used].wanted_tile = true;
          (i == 0 ? at[used].left : at[used].right) = true;
        }
        if (n.code == op::reduce && !streams(n)) at[used].wanted_tile = true;
      }
      for (const node_id extent : n.extents) {
        if (extent != no_node) at[plain[extent]].needed = true;
      }
      if ((n.code == op::load || n.code == op::store) && n.value >= 0) need_access(n);
    }
  }

  constexpr void need_access(const node& n) {
    const access& a = g_.accesses[static_cast<std::int32_t>(n.value)];
    for (const node_id id : {a.base, a.offset}) {
      if (id != no_node) at[plain[id]].needed = true;
    }
    for (int d = 0; d < max_rank; ++d) {
      if (a.strides[d] != no_node) at[plain[a.strides[d]]].needed = true;
      if (a.extents[d] != no_node) at[plain[a.extents[d]]].needed = true;
    }
  }

  constexpr void limit_sizes() {
    for (node_id id = 0; id < g_.size(); ++id) {
      const node& n = g_[id];
      if (!at[id].needed || !is_block(id)) continue;
      std::int32_t size = 1;
      for (int i = 0; i < operand_slots(n); ++i) {
        const node_id used = operand(n, i);
        if (used == no_node || (n.code == op::phi && i == 1)) continue;
        size += !is_block(used) || at[used].tiled ? 1 : at[used].size;
      }
      at[id].size = size;
      if (size > max_nest_values / 3 && n.code != op::store && n.code != op::constant &&
          n.code != op::arange) {
        at[id].tiled = true;
      }
    }
  }

  const graph& g_;
  node_id store_after_[static_cast<std::size_t>(Nodes)]{};  // the next store in program order
};

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
