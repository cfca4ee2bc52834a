// From a graph to its plan: loop nests, steps and their order.
#pragma once

#include <cstdint>
#include <tilewright/config.hpp>
#include <tilewright/host/dot_shape.hpp>
#include <tilewright/host/materialize.hpp>
#include <tilewright/host/place_tiles.hpp>
#include <tilewright/host/plan.hpp>
#include <tilewright/ir/graph.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

template <int Nodes>
class planner {
 public:
  constexpr planner(const graph& g, const tile_choice<Nodes>& choice, access_checks checks)
      : g_(g), choice_(choice), checks_(checks) {}

  constexpr plan<Nodes> run() {
    for (node_id id = 0; id < g_.size(); ++id) {
      p_.plain[id] = choice_.plain[id];
      p_.slot_of[id] = p_.tile_of[id] = -1;
    }
    make_steps();
    order_steps();
    find_readers();
    return p_;
  }

 private:
  // ---- loop nests ----

  /// Starts a nest over `dims`, along dimension d no further than bounds[d] says.
  constexpr loop_nest& open_nest(const shape& dims, const node_id* bounds) {
    loop_nest& nest = p_.nests[p_.nest_count];
    nest.first = p_.value_count;
    std::int8_t depth = 0;
    for (int d = 0; d < dims.rank; ++d) {
      const node_id bound = bounds[d] == no_node ? no_node : p_.plain[bounds[d]];
      if (dims[d] == 1) {
        nest.gates[d] = bound;
        continue;
      }
      nest.axes[d] = depth;
      nest.extents[depth] = dims[d];
      nest.bounds[depth] = bound;
      ++depth;
    }
    nest.depth = depth == 0 ? std::int8_t{1} : depth;
    return nest;
  }

  /// The axes of a value of shape `from` that is broadcast to the shape `to` with axes `axes`.
  static constexpr nest_value along(const shape& from, const shape& to, const std::int8_t* axes) {
    nest_value v;
    for (int d = 0; d < from.rank; ++d) {
      v.axes[d] = from[d] == 1 ? std::int8_t{-1} : axes[to.rank - from.rank + d];
    }
    return v;
  }

  constexpr std::int16_t add_value(const loop_nest& nest, nest_value v) {
    v.level = -1;
    for (const std::int8_t axis : v.axes) v.level = axis > v.level ? axis : v.level;
    if (v.from == origin::scalar) v.level = -1;
    for (std::int32_t at = nest.first; at < p_.value_count; ++at) {
      const nest_value& other = p_.values[at];
      bool same = other.id == v.id && other.from == v.from && other.tile == v.tile;
      for (int d = 0; d < max_rank; ++d) same = same && other.axes[d] == v.axes[d];
      if (same) return static_cast<std::int16_t>(at - nest.first);
    }
    if (p_.value_count == plan<Nodes>::value_capacity) {
      p_.too_large = true;
      return 0;
    }
    p_.values[p_.value_count] = v;
    return static_cast<std::int16_t>(p_.value_count++ - nest.first);
  }

  /// Adds node `id`, broadcast to `to`, and all that it is computed from. `forced` evaluates the
  /// node itself even if it has a tile (its own nest does that).
  constexpr std::int16_t add(loop_nest& nest, node_id id, const shape& to, const std::int8_t* axes,
                             node_id place, bool forced = false) {
    if (id == no_node) return -1;
    const node& n = g_[id];
    nest_value v = along(n.dims, to, axes);
    if (n.code == op::constant) v = nest_value{};
    v.id = id;
    if (n.dims.rank == 0) {
      v.from = origin::scalar;
      return add_value(nest, v);
    }
    if (choice_.at[id].tiled && !forced) {
      v.from = origin::tile;
      v.tile = p_.tile_of[id];
      touch(v.tile, choice_.extended(place, id));
      return add_value(nest, v);
    }
    if (n.code == op::broadcast) return add(nest, choice_.operand(n, 0), n.dims, v.axes, place);
    if (n.code == op::expand_dims) {
      std::int8_t inner[max_rank] = {-1, -1, -1, -1, -1};
      for (int d = 0; d + 1 < n.dims.rank; ++d) inner[d] = v.axes[d < n.value ? d : d + 1];
      const node_id source = choice_.operand(n, 0);
      return add(nest, source, g_[source].dims, inner, place);
    }
    const bool structured = n.code == op::load && n.value >= 0;
    for (int i = 0; i < operand_slots(n); ++i) {
      if (structured && i == 0) continue;
      v.operands[i] = add(nest, choice_.operand(n, i), n.dims, v.axes, place);
    }
    return add_value(nest, v);
  }

  /// Sorts the values of a finished nest by level.
  constexpr std::int16_t close_nest(loop_nest& nest) {
    nest.count = static_cast<std::int16_t>(p_.value_count - nest.first);
    std::int16_t moved[max_nest_values * 2] = {};
    if (nest.count > max_nest_values * 2 ||
        p_.value_count + nest.count > plan<Nodes>::value_capacity) {
      p_.too_large = true;
      return 0;
    }
    nest_value* const sorted = p_.values + p_.value_count;  // free memory, for a moment
    std::int16_t filled = 0;
    for (std::int8_t level = -1; level < nest.depth; ++level) {
      for (std::int16_t i = 0; i < nest.count; ++i) {
        const nest_value& v = p_.values[nest.first + i];
        if (v.level != level) continue;
        moved[i] = filled;
        sorted[filled++] = v;
      }
      nest.until[level + 1] = filled;
    }
    for (std::int16_t i = 0; i < nest.count; ++i) {
      for (std::int16_t& used : sorted[i].operands) {
        if (used >= 0) used = moved[used];
      }
      p_.values[nest.first + i] = sorted[i];
      sorted[i] = nest_value{};
    }
    for (std::int16_t* root : {&nest.value, &nest.mask, &nest.pointer}) {
      if (*root >= 0) *root = moved[*root];
    }
    find_uniform(nest);
    return static_cast<std::int16_t>(p_.nest_count++);
  }

  /// A row of padded loads and of what is computed from them is one value behind their extent.
  constexpr void find_uniform(loop_nest& nest) const {
    const int vector_loop = nest.depth - 1;
    if (nest.bounds[vector_loop] != no_node || nest.mask >= 0 || nest.pointer >= 0) return;
    node_id extent = no_node;
    for (std::int32_t i = nest.until[vector_loop]; i < nest.count; ++i) {
      const nest_value& v = p_.values[nest.first + i];
      const node& n = g_[v.id];
      node_id own = no_node;
      if (v.from == origin::tile) {
        own = p_.tiles[v.tile].uniform_after;
        if (v.axes[n.dims.rank - 1] != vector_loop) return;
      } else if (n.code == op::load) {
        if (n.value < 0 || v.operands[1] >= 0) return;
        const access& a = g_.accesses[static_cast<std::int32_t>(n.value)];
        for (int d = 0; d < n.dims.rank; ++d) {
          if (v.axes[d] == vector_loop && a.extents[d] != no_node) own = p_.plain[a.extents[d]];
        }
      } else if (is_elementwise(n.code)) {
        continue;
      }
      if (own == no_node || (extent != no_node && own != extent)) return;
      extent = own;
    }
    nest.uniform_after = extent;
  }

  /// The nest that computes `id`, broadcast to `dims`, for whoever stands at `place`.
  constexpr std::int16_t value_nest(node_id id, const shape& dims, const node_id* bounds,
                                    node_id place, bool forced) {
    loop_nest& nest = open_nest(dims, bounds);
    nest.value = add(nest, id, dims, nest.axes, place, forced);
    return close_nest(nest);
  }

  // ---- tiles ----

  constexpr void touch(std::int16_t which, node_id place) {
    tile& t = p_.tiles[which];
    if (place > t.last_use) t.last_use = place;
  }

  constexpr std::int16_t add_tile(node_id id, node_id place) {
    const node& n = g_[id];
    tile& t = p_.tiles[p_.tile_count];
    t.id = id;
    t.storage = static_cast<std::int16_t>(p_.tile_count);
    t.first_use = t.last_use = place;
    const int rank = n.dims.rank;
    if (choice_.at[id].right && is_simd_float(n.type)) {
      t.panel = dot_columns(n.dims[1]);
      t.strides[0] = t.panel;
      t.strides[1] = 1;
      // The extra line keeps the panels of one row apart in the sets of the caches.
      t.panel_stride = t.panel * n.dims[0] + 16;
      t.elements = (n.dims[1] + t.panel - 1) / t.panel * t.panel_stride;
    } else {
      std::int32_t stride = 1;
      int inner = rank - 1;
      // Of a vector in disguise, [n, 1], the long dimension is the contiguous one.
      while (inner > 0 && n.dims[inner] == 1 && !choice_.at[id].left && n.code != op::dot) --inner;
      for (int d = rank - 1; d >= 0; --d) {
        if (d > inner) continue;
        t.strides[d] = stride;
        const std::int32_t extent = n.dims[d];
        stride *= d == inner  ? rounded_up(extent, dot_columns(extent))
                  : rank == 2 ? rounded_up(extent, dot_rows(extent))
                              : extent;
      }
      t.elements = stride;
    }
    t.elements += 16;  // whole registers may be read at the last element of a strided view
    p_.tile_of[id] = static_cast<std::int16_t>(p_.tile_count);
    return static_cast<std::int16_t>(p_.tile_count++);
  }
  static constexpr bool is_simd_float(dtype type) {
    return type == dtype::f32 || type == dtype::f16 || type == dtype::bf16;
  }

  // ---- steps ----

  constexpr plan_step& add_step(step_code code, node_id id, std::int16_t in_region) {
    plan_step& s = p_.steps[p_.step_count];
    s.code = code;
    s.id = id;
    region_of_[p_.step_count++] = in_region;
    return s;
  }
  constexpr void add_slot(node_id id) {
    p_.slot_of[id] = static_cast<std::int16_t>(p_.slot_count++);
  }

  constexpr void make_steps() {
    std::int16_t open[64] = {};  // regions
    int depth = 0;
    p_.region_count = 1;
    for (node_id id = 0; id < g_.size(); ++id) {
      const node& n = g_[id];
      const node_choice& what = choice_.at[id];
      if (n.code == op::end_loop) {
        close_phis(n.operand(0), open[depth]);
        --depth;
        continue;
      }
      if (!what.needed || n.code == op::copy) continue;
      if (checks_ == access_checks::on && (n.code == op::load || n.code == op::store)) {
        make_check(id, open[depth]);
      }
      if (n.code == op::loop) {
        add_step(step_code::loop, id, open[depth]).body =
            static_cast<std::int16_t>(p_.region_count);
        open[++depth] = static_cast<std::int16_t>(p_.region_count++);
        p_.regions[open[depth]].first_phi = p_.phi_count;
      } else if (n.code == op::phi) {
        open_phi(id, open[depth]);
      } else if (n.code == op::induction) {
        add_slot(id);
      } else if (n.code == op::store) {
        make_store(id, open[depth]);
      } else if (n.code == op::reduce) {
        make_reduce(id, open[depth]);
      } else if (n.dims.rank == 0) {
        if (n.code == op::constant) continue;
        add_slot(id);
        add_step(step_code::scalar, id, open[depth]);
      } else if (n.code == op::dot) {
        make_dot(id, open[depth]);
      } else if (what.tiled) {
        plan_step& s = add_step(step_code::materialize, id, open[depth]);
        s.nest = value_nest(id, n.dims, n.extents, id, true);
        s.tile = add_tile(id, id);
        if (n.dims.inner() > 1) p_.tiles[s.tile].uniform_after = p_.nests[s.nest].uniform_after;
      }
    }
  }

  /// The check of load or store `id`: loops over its lanes if there is a mask or a pointer for each.
  constexpr void make_check(node_id id, std::int16_t in) {
    const node& n = g_[id];
    const bool structured = n.value >= 0;
    const node_id mask = choice_.operand(n, n.code == op::load ? 1 : 2);
    plan_step& s = add_step(step_code::check, id, in);
    if (structured && mask == no_node) return;
    const access limits = structured ? g_.accesses[static_cast<std::int32_t>(n.value)] : access{};
    loop_nest& nest = open_nest(n.dims, limits.extents);
    nest.mask = add(nest, mask, n.dims, nest.axes, id);
    if (!structured) nest.pointer = add(nest, choice_.operand(n, 0), n.dims, nest.axes, id);
    s.nest = close_nest(nest);
  }

  constexpr void make_dot(node_id id, std::int16_t in) {
    const node& n = g_[id];
    plan_step& s = add_step(step_code::dot, id, in);
    for (int i = 0; i < 2; ++i) {
      const node_id used = choice_.operand(n, i);
      touch(p_.tile_of[used], choice_.extended(id, used));
    }
    s.nest = value_nest(choice_.operand(n, 2), n.dims, n.extents, id, false);
    s.tile = add_tile(id, id);
  }

  constexpr void make_reduce(node_id id, std::int16_t in) {
    const node& n = g_[id];
    const node_id source = choice_.operand(n, 0);
    std::int16_t nest = -1, kept = -1;
    if (choice_.streams(n)) {
      // The axis is the innermost dimension, and comes last among the extents too.
      const std::int32_t filled = step_that_fills(source, n.extents, in);
      if (filled >= 0) {
        nest = p_.steps[filled].nest;
        kept = p_.steps[filled].tile;
        remove_step(filled);
        touch(kept, id);
        for (std::int32_t i = 0; i < p_.nests[nest].count; ++i) {  // read later than planned
          const nest_value& v = p_.values[p_.nests[nest].first + i];
          if (v.from == origin::tile) touch(v.tile, id);
        }
      } else {
        nest = value_nest(source, g_[source].dims, n.extents, id, false);
      }
    } else {
      touch(p_.tile_of[source], choice_.extended(id, source));
    }
    plan_step& s = add_step(step_code::reduce, id, in);
    s.nest = nest;
    s.kept = kept;
    if (n.dims.rank == 0) {
      add_slot(id);
    } else {
      s.tile = add_tile(id, id);
    }
  }
  /// The step that has just materialised `source` as far as `bounds`, or -1: a reduction can do that
  /// in its own loops.
  constexpr std::int32_t step_that_fills(node_id source, const node_id* bounds,
                                         std::int16_t in) const {
    std::int32_t last = p_.step_count - 1;
    while (last >= 0 && region_of_[last] == in && p_.steps[last].code == step_code::scalar) --last;
    if (last < 0 || region_of_[last] != in || p_.steps[last].id != source ||
        p_.steps[last].code != step_code::materialize) {
      return -1;
    }
    for (int d = 0; d < g_[source].dims.rank; ++d) {
      if (g_[source].extents[d] != bounds[d]) return -1;
    }
    return last;
  }
  constexpr void remove_step(std::int32_t which) {
    --p_.step_count;
    for (std::int32_t s = which; s < p_.step_count; ++s) {
      p_.steps[s] = p_.steps[s + 1];
      region_of_[s] = region_of_[s + 1];
    }
    p_.steps[p_.step_count] = plan_step{};
  }

  constexpr void make_store(node_id id, std::int16_t in) {
    const node& n = g_[id];
    plan_step& s = add_step(step_code::store, id, in);
    s.nest = store_nest(id, -1);
    if (!may_overlap_itself(n, p_.nests[s.nest])) return;
    const node_id value = choice_.operand(n, 1);
    const node_id* bounds = g_.accesses[static_cast<std::int32_t>(n.value)].extents;
    s.safe_value = value_nest(value, n.dims, bounds, id, false);
    const std::int16_t kept = p_.tile_of[value];
    s.tile = add_tile_for(n, value, id);
    p_.tile_of[value] = kept;
    s.safe_store = store_nest(id, s.tile);
  }
  /// A tile of the store's shape for its value.
  constexpr std::int16_t add_tile_for(const node& store, node_id value, node_id place) {
    const std::int16_t which = add_tile(value, place);
    tile& t = p_.tiles[which];
    t.panel = 0;
    std::int32_t stride = 1;
    for (int d = store.dims.rank - 1; d >= 0; --d) {
      t.strides[d] = store.dims[d] == 1 ? 0 : stride;
      if (store.dims[d] != 1) stride *= stride == 1 ? rounded_up(store.dims[d], 16) : store.dims[d];
    }
    t.elements = stride + 16;
    return which;
  }

  constexpr std::int16_t store_nest(node_id id, std::int16_t from_tile) {
    const node& n = g_[id];
    const bool structured = n.value >= 0;
    loop_nest& nest = open_nest(
        n.dims, structured ? g_.accesses[static_cast<std::int32_t>(n.value)].extents : n.extents);
    if (from_tile >= 0) {
      nest_value v = along(n.dims, n.dims, nest.axes);
      v.id = p_.tiles[from_tile].id;
      v.from = origin::tile;
      v.tile = from_tile;
      nest.value = add_value(nest, v);
    } else {
      nest.value = add(nest, choice_.operand(n, 1), n.dims, nest.axes, id);
    }
    nest.mask = add(nest, choice_.operand(n, 2), n.dims, nest.axes, id);
    if (!structured) nest.pointer = add(nest, choice_.operand(n, 0), n.dims, nest.axes, id);
    return close_nest(nest);
  }

  /// Whether the nest of structured store `n` has a load that may read what the store writes, other
  /// than the very element that is written.
  constexpr bool may_overlap_itself(const node& n, const loop_nest& nest) const {
    if (n.value < 0 || elements_of(n.dims) == 1) return false;
    for (std::int32_t i = 0; i < nest.count; ++i) {
      const nest_value& v = p_.values[nest.first + i];
      if (v.from == origin::compute && g_[v.id].code == op::load) return true;
    }
    return false;
  }

  // ---- loop-carried variables ----

  constexpr void open_phi(node_id id, std::int16_t in) {
    const node& n = g_[id];
    phi_plan& phi = p_.phis[p_.phi_count++];
    phi.id = id;
    ++p_.regions[in].phi_count;
    if (checks_ == access_checks::on && n.pointer) {
      phi.origin = static_cast<std::int16_t>(p_.slot_count++);
    }
    if (n.dims.rank == 0) {
      add_slot(id);
      return;
    }
    const node_id loop = n.operand(2);
    const node_id none[max_rank] = {no_node, no_node, no_node, no_node, no_node};
    phi.initial = value_nest(choice_.operand(n, 0), n.dims, none, loop, false);
    phi.tile = add_tile(id, loop);
    touch(phi.tile, static_cast<node_id>(g_[loop].value));
  }

  constexpr void close_phis(node_id loop, std::int16_t in) {
    const node_id end = static_cast<node_id>(g_[loop].value);
    const node_id none[max_rank] = {no_node, no_node, no_node, no_node, no_node};
    const region& body = p_.regions[in];
    for (std::int32_t i = 0; i < body.phi_count; ++i) {
      phi_plan& phi = p_.phis[body.first_phi + i];
      if (phi.tile < 0) continue;
      const node& n = g_[phi.id];
      const node_id next = choice_.operand(n, 1);
      if (next == phi.id) continue;  // unchanged
      phi.next = value_nest(next, n.dims, none, end, false);
      if (g_[next].code == op::phi && g_[next].operand(2) == loop) {
        const std::int16_t kept = p_.tile_of[phi.id];
        phi.temporary = add_tile(phi.id, end);
        p_.tile_of[phi.id] = phi.temporary;
        phi.from_temporary = value_nest(phi.id, n.dims, none, end, false);
        p_.tile_of[phi.id] = kept;
      }
    }
  }

  // ---- order ----

  constexpr void order_steps() {
    std::int32_t filled = 0;
    for (std::int32_t r = 0; r < p_.region_count; ++r) {
      p_.regions[r].first = filled;
      for (std::int32_t s = 0; s < p_.step_count; ++s) {
        if (region_of_[s] == r) p_.order[filled++] = static_cast<std::int16_t>(s);
      }
      p_.regions[r].count = filled - p_.regions[r].first;
    }
  }

  /// Who reads a tile no further than its rows vary does not need the rest of it.
  constexpr void find_readers() {
    for (std::int32_t k = 0; k < p_.nest_count; ++k) {
      const loop_nest& nest = p_.nests[k];
      for (std::int32_t i = 0; i < nest.count; ++i) {
        const nest_value& v = p_.values[nest.first + i];
        if (v.from != origin::tile) continue;
        tile& t = p_.tiles[v.tile];
        const int loop = v.axes[g_[t.id].dims.rank - 1];
        if (loop < 0 || nest.bounds[loop] != t.uniform_after) t.read_behind = true;
      }
    }
    for (std::int32_t s = 0; s < p_.step_count; ++s) {
      const plan_step& step = p_.steps[s];
      const bool whole_tiles =
          step.code == step_code::dot || (step.code == step_code::reduce && step.nest < 0);
      for (int i = 0; whole_tiles && i < operand_slots(g_[step.id]); ++i) {
        const node_id used = choice_.operand(g_[step.id], i);
        if (used != no_node && p_.tile_of[used] >= 0) p_.tiles[p_.tile_of[used]].read_behind = true;
      }
    }
  }

  const graph& g_;
  const tile_choice<Nodes>& choice_;
  access_checks checks_;
  plan<Nodes> p_{};
  std::int16_t region_of_[static_cast<std::size_t>(Nodes)]{};
};

/// The plan of `g`, which has at most `Nodes` nodes (with checks, half as many) and no error.
template <int Nodes>
constexpr plan<Nodes> make_plan(const graph& g, const tile_choice<Nodes>& choice,
                                access_checks checks = access_checks::off) {
  plan<Nodes> result = planner<Nodes>(g, choice, checks).run();
  tile_placer<Nodes>(g, result).run();
  return result;
}

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
