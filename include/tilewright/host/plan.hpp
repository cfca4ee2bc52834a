// How a graph is executed on the host, as data: which values get a tile of scratch memory, which
// are computed inside the loops of whoever uses them, and in what order.
//
// A block value is either *materialised* into a tile of scratch memory at its place in the program,
// or evaluated element by element inside the loop nest of each of its consumers (a store, a
// reduction, another tile). A load may move into a later loop nest only if no store can be executed
// between its place and that nest. A store whose own nest contains loads that may overlap it gets a
// second form, which computes the whole value first; a range check at run time picks one.
#pragma once

#include <cstdint>
#include <tilewright/host/dot_shape.hpp>
#include <tilewright/host/simd.hpp>
#include <tilewright/ir/graph.hpp>

namespace tilewright::detail {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

/// Most values in one loop nest; larger expressions are cut by a tile.
inline constexpr int max_nest_values = 48;
/// A value that several consumers need is materialised when computing it costs more than this.
inline constexpr int recompute_limit = 10;

/// Where a value in a loop nest comes from.
enum class origin : std::uint8_t {
  scalar,   ///< a rank-0 node
  tile,     ///< scratch memory
  compute,  ///< evaluated here
};

/// One value in a loop nest.
struct nest_value {
  node_id id = no_node;
  origin from = origin::compute;
  /// The innermost loop that the value varies with; -1 if it is the same everywhere.
  std::int8_t level = -1;
  /// Per dimension of the node the loop that runs along it, or -1 for an extent of 1.
  std::int8_t axes[max_rank] = {-1, -1, -1, -1, -1};
  std::int16_t operands[max_operands] = {-1, -1, -1, -1};  ///< positions in the same nest
  std::int16_t tile = -1;                                   ///< if from is tile
};

/// Loops, outermost first; the last one runs in steps of a SIMD vector. Dimensions of extent 1 have
/// no loop, but there is always at least one loop.
struct loop_nest {
  std::int32_t first = 0;  ///< position of its first value; values are sorted by level
  std::int16_t count = 0;
  std::int16_t until[max_rank + 1] = {};  ///< values up to here have a level below 0, 1, ...
  std::int8_t depth = 1;
  std::int32_t extents[max_rank] = {1, 1, 1, 1, 1};
  node_id bounds[max_rank] = {no_node, no_node, no_node, no_node, no_node};
  std::int8_t axes[max_rank] = {-1, -1, -1, -1, -1};  ///< of the consumer's dimensions
  std::int16_t value = -1, mask = -1, pointer = -1;   ///< what the consumer takes
  /// Count of leading lanes of the vector loop behind which each row holds one value, or no_node:
  /// computing a single vector there is enough.
  node_id uniform_after = no_node;
};

/// Scratch memory of a value. Element (i, j, ...) lies at the sum of strides times indices; with
/// `panel` > 0, a tile of rank 2 is cut into panels of that many columns, one after the other.
struct tile {
  node_id id = no_node;
  std::int32_t strides[max_rank] = {};
  std::int32_t panel = 0;
  std::int32_t panel_stride = 0;
  std::int32_t elements = 0;
  std::int64_t offset = 0;  ///< bytes
  node_id uniform_after = no_node;  ///< as in the nest that filled it, along its last long dimension
  std::int16_t storage = -1;  ///< the tile whose memory this one shares, itself by default
  node_id first_use = 0, last_use = 0;  ///< live in this span of the program
};

enum class step_code : std::uint8_t { scalar, materialize, store, reduce, dot, loop };

struct plan_step {
  step_code code = step_code::scalar;
  node_id id = no_node;
  std::int16_t nest = -1;        ///< the loops; of a dot those that copy its accumulator
  std::int16_t tile = -1;        ///< result
  std::int16_t safe_value = -1;  ///< of a store that may overlap its loads: loops that compute the
  std::int16_t safe_store = -1;  ///< value first, and loops that then store it
  std::int16_t body = -1;        ///< of a loop: its region
  std::int16_t kept = -1;        ///< of a reduce: tile that its loops fill with what they reduce
  node_id announces = no_node;   ///< a store whose memory is asked for before this step
};

/// Steps that are executed one after the other: order[first], ..., order[first + count - 1].
struct region {
  std::int32_t first = 0;
  std::int32_t count = 0;
  std::int32_t first_phi = 0;
  std::int32_t phi_count = 0;
};

/// A loop-carried variable. A block's nests copy into its tile, scalars have none.
struct phi_plan {
  node_id id = no_node;
  std::int16_t tile = -1;
  std::int16_t initial = -1;    ///< nest, -1 when the value is there already
  std::int16_t next = -1;       ///< nest, -1 when the value is there already
  std::int16_t temporary = -1;  ///< tile that `next` goes to first because it reads another phi
  std::int16_t from_temporary = -1;  ///< nest that then copies it
};

template <int Nodes>
struct plan {
  static constexpr int value_capacity = 6 * Nodes + 2 * max_nest_values;
  nest_value values[static_cast<std::size_t>(value_capacity)]{};
  loop_nest nests[static_cast<std::size_t>(3 * Nodes)]{};
  tile tiles[static_cast<std::size_t>(2 * Nodes)]{};
  plan_step steps[static_cast<std::size_t>(Nodes)]{};
  std::int16_t order[static_cast<std::size_t>(Nodes)]{};
  region regions[static_cast<std::size_t>(Nodes)]{};
  phi_plan phis[static_cast<std::size_t>(Nodes)]{};
  std::int16_t slot_of[static_cast<std::size_t>(Nodes)]{};  ///< scalar slot of a node, or -1
  std::int16_t tile_of[static_cast<std::size_t>(Nodes)]{};  ///< tile of a node, or -1
  node_id plain[static_cast<std::size_t>(Nodes)]{};         ///< the node behind copies
  std::int32_t value_count = 0, nest_count = 0, tile_count = 0, step_count = 0, region_count = 0,
               phi_count = 0, slot_count = 0;
  std::int64_t scratch_bytes = 0;
  bool too_large = false;
};

/// Bytes of an element of node `n` in scratch memory.
constexpr int scratch_size(const node& n) {
  if (n.pointer) return 8;
  return n.type == dtype::f16 || n.type == dtype::bf16 ? 4 : size_of(n.type);
}
constexpr bool is_simd_type(dtype type) {
  return type == dtype::f32 || type == dtype::f16 || type == dtype::bf16 || type == dtype::i32 ||
         type == dtype::u32;
}

template <int Nodes>
class planner {
 public:
  constexpr explicit planner(const graph& g) : g_(g) {}

  constexpr plan<Nodes> run() {
    strip_copies();
    find_loops();
    estimate_costs();
    choose_tiles();
    limit_sizes();
    make_steps();
    order_steps();
    announce_stores();
    share_storage();
    place_tiles();
    return p_;
  }

 private:
  struct info {
    std::int32_t cost = 0;       // of evaluating it in place, everything below included
    std::int32_t size = 1;       // values that it adds to a nest
    std::int32_t consumers = 0;  // loop nests in which it is evaluated
    node_id latest = no_node;    // place of the last of them
    node_id loop = no_node;      // the innermost loop around it
    bool needed = false;
    bool tiled = false;
    bool wanted_tile = false;    // somebody needs it as a tile
    bool fixed_loads = false;    // loads below it must be done in their place
    bool repeated = false;       // evaluated in a loop that it is not part of
    bool left = false, right = false;  // operand of a dot
  };

  constexpr node_id operand(const node& n, int index) const {
    const node_id id = n.operand(index);
    return id == no_node ? no_node : p_.plain[id];
  }
  constexpr bool is_block(node_id id) const { return g_[id].dims.rank > 0; }

  constexpr void strip_copies() {
    for (node_id id = 0; id < g_.size(); ++id) {
      p_.plain[id] = g_[id].code == op::copy ? p_.plain[g_[id].operand(0)] : id;
      p_.slot_of[id] = p_.tile_of[id] = -1;
    }
  }

  constexpr void find_loops() {
    node_id loop = no_node;
    node_id store = g_.size();
    for (node_id id = 0; id < g_.size(); ++id) {
      if (g_[id].code == op::end_loop) loop = at_[g_[id].operand(0)].loop;
      at_[id].loop = loop;
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
        case op::phi: at_[id].cost = 2; continue;
        default: cost = is_elementwise(n.code) ? info_of(n.code).cost : 0; break;
      }
      for (int i = 0; i < operand_slots(n); ++i) {
        const node_id used = operand(n, i);
        if (used != no_node && is_block(used)) cost += at_[used].cost;
      }
      at_[id].cost = cost > 1000 ? 1000 : cost;
    }
  }

  /// Where a value at `id` that is last evaluated at `place` must still be right: the end of the
  /// outermost loop around `place` that isn't around `id`.
  constexpr node_id extended(node_id place, node_id id) const {
    node_id result = place;
    for (node_id loop = at_[place].loop; loop != no_node && loop > id; loop = at_[loop].loop) {
      result = static_cast<node_id>(g_[loop].value);
    }
    return result;
  }

  constexpr void use(node_id id, std::int32_t consumers, node_id place, bool fixed_loads) {
    info& used = at_[id];
    used.needed = true;
    used.consumers += consumers;
    const node_id until = extended(place, id);
    if (until != place) used.repeated = true;
    if (until > used.latest) used.latest = until;
    used.fixed_loads = used.fixed_loads || fixed_loads;
  }

  constexpr bool must_be_tile(node_id id) const {
    const node& n = g_[id];
    const info& what = at_[id];
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

  /// Whether a reduction streams over its source: along the innermost dimension, in SIMD.
  constexpr bool streams(const node& n) const {
    const node& source = g_[operand(n, 0)];
    return n.value == source.dims.rank - 1 && source.dims.inner() > 1 && is_simd_type(source.type);
  }

  constexpr void choose_tiles() {
    // A phi's next value is defined after its phi, so this use has to be noted first.
    for (node_id id = 0; id < g_.size(); ++id) {
      const node& n = g_[id];
      if (n.code != op::phi) continue;
      const node_id next = operand(n, 1);
      use(next, 1, static_cast<node_id>(g_[n.operand(2)].value) - 1, false);
      const op code = g_[next].code;
      at_[next].wanted_tile = code != op::constant && code != op::arange;
    }
    for (node_id id = g_.size() - 1; id >= 0; --id) {
      const node& n = g_[id];
      info& what = at_[id];
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
          at_[used].wanted_tile = true;
          (i == 0 ? at_[used].left : at_[used].right) = true;
        }
        if (n.code == op::reduce && !streams(n)) at_[used].wanted_tile = true;
      }
      for (const node_id extent : n.extents) {
        if (extent != no_node) at_[p_.plain[extent]].needed = true;
      }
      if ((n.code == op::load || n.code == op::store) && n.value >= 0) need_access(n);
    }
  }

  constexpr void need_access(const node& n) {
    const access& a = g_.accesses[static_cast<std::int32_t>(n.value)];
    for (const node_id id : {a.base, a.offset}) {
      if (id != no_node) at_[p_.plain[id]].needed = true;
    }
    for (int d = 0; d < max_rank; ++d) {
      if (a.strides[d] != no_node) at_[p_.plain[a.strides[d]]].needed = true;
      if (a.extents[d] != no_node) at_[p_.plain[a.extents[d]]].needed = true;
    }
  }

  constexpr void limit_sizes() {
    for (node_id id = 0; id < g_.size(); ++id) {
      const node& n = g_[id];
      if (!at_[id].needed || !is_block(id)) continue;
      std::int32_t size = 1;
      for (int i = 0; i < operand_slots(n); ++i) {
        const node_id used = operand(n, i);
        if (used == no_node || (n.code == op::phi && i == 1)) continue;
        size += !is_block(used) || at_[used].tiled ? 1 : at_[used].size;
      }
      at_[id].size = size;
      if (size > max_nest_values / 3 && n.code != op::store && n.code != op::constant &&
          n.code != op::arange) {
        at_[id].tiled = true;
      }
    }
  }

  // ---- loop nests ----

  /// Starts a nest over `dims`, along dimension d no further than bounds[d] says.
  constexpr loop_nest& open_nest(const shape& dims, const node_id* bounds) {
    loop_nest& nest = p_.nests[p_.nest_count];
    nest.first = p_.value_count;
    std::int8_t depth = 0;
    for (int d = 0; d < dims.rank; ++d) {
      if (dims[d] == 1) continue;
      nest.axes[d] = depth;
      nest.extents[depth] = dims[d];
      nest.bounds[depth] = bounds[d] == no_node ? no_node : p_.plain[bounds[d]];
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
    if (at_[id].tiled && !forced) {
      v.from = origin::tile;
      v.tile = p_.tile_of[id];
      touch(v.tile, extended(place, id));
      return add_value(nest, v);
    }
    if (n.code == op::broadcast) return add(nest, operand(n, 0), n.dims, v.axes, place);
    if (n.code == op::expand_dims) {
      std::int8_t inner[max_rank] = {-1, -1, -1, -1, -1};
      for (int d = 0; d + 1 < n.dims.rank; ++d) inner[d] = v.axes[d < n.value ? d : d + 1];
      const node_id source = operand(n, 0);
      return add(nest, source, g_[source].dims, inner, place);
    }
    const bool structured = n.code == op::load && n.value >= 0;
    for (int i = 0; i < operand_slots(n); ++i) {
      if (structured && i == 0) continue;
      v.operands[i] = add(nest, operand(n, i), n.dims, v.axes, place);
    }
    return add_value(nest, v);
  }

  /// Sorts the values of a finished nest by level.
  constexpr std::int16_t close_nest(loop_nest& nest) {
    nest.count = static_cast<std::int16_t>(p_.value_count - nest.first);
    nest_value sorted[max_nest_values * 2]{};
    std::int16_t moved[max_nest_values * 2]{};
    if (nest.count > max_nest_values * 2) {
      p_.too_large = true;
      return 0;
    }
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
    if (at_[id].right && is_simd_float(n.type)) {
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
      while (inner > 0 && n.dims[inner] == 1 && !at_[id].left && n.code != op::dot) --inner;
      for (int d = rank - 1; d >= 0; --d) {
        if (d > inner) continue;
        t.strides[d] = stride;
        const std::int32_t extent = n.dims[d];
        stride *= d == inner ? rounded_up(extent, dot_columns(extent))
                  : rank == 2 ? rounded_up(extent, dot_rows(extent)) : extent;
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
      const info& what = at_[id];
      if (n.code == op::end_loop) {
        close_phis(n.operand(0), open[depth]);
        --depth;
        continue;
      }
      if (!what.needed || n.code == op::copy) continue;
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

  constexpr void make_dot(node_id id, std::int16_t in) {
    const node& n = g_[id];
    plan_step& s = add_step(step_code::dot, id, in);
    for (int i = 0; i < 2; ++i) {
      const node_id used = operand(n, i);
      touch(p_.tile_of[used], extended(id, used));
    }
    s.nest = value_nest(operand(n, 2), n.dims, n.extents, id, false);
    s.tile = add_tile(id, id);
  }

  constexpr void make_reduce(node_id id, std::int16_t in) {
    const node& n = g_[id];
    const node_id source = operand(n, 0);
    std::int16_t nest = -1, kept = -1;
    if (streams(n)) {
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
      touch(p_.tile_of[source], extended(id, source));
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
    const node_id value = operand(n, 1);
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
      nest.value = add(nest, operand(n, 1), n.dims, nest.axes, id);
    }
    nest.mask = add(nest, operand(n, 2), n.dims, nest.axes, id);
    if (!structured) nest.pointer = add(nest, operand(n, 0), n.dims, nest.axes, id);
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
    if (n.dims.rank == 0) {
      add_slot(id);
      return;
    }
    const node_id loop = n.operand(2);
    const node_id none[max_rank] = {no_node, no_node, no_node, no_node, no_node};
    phi.initial = value_nest(operand(n, 0), n.dims, none, loop, false);
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
      const node_id next = operand(n, 1);
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

  // ---- memory ----

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

  /// A short row is written all at once; asking for its memory before the work that leads to it
  /// starts hides the time that takes.
  constexpr void announce_stores() {
    for (std::int32_t s = 0; s < p_.step_count; ++s) {
      const node& n = g_[p_.steps[s].id];
      if (n.code != op::store || n.value < 0 || n.dims.rank != 1) continue;
      if (n.dims[0] * size_of(n.type) > 16384) continue;
      const access& a = g_.accesses[static_cast<std::int32_t>(n.value)];
      node_id known = a.base;
      for (const node_id id : {a.offset, a.strides[0], a.extents[0]}) {
        if (id != no_node && p_.plain[id] > known) known = p_.plain[id];
      }
      for (std::int32_t k = 0; k < s; ++k) {
        plan_step& first = p_.steps[k];
        if (first.id < known || region_of_[k] != region_of_[s] || first.announces != no_node ||
            (first.code != step_code::reduce && first.code != step_code::materialize)) {
          continue;
        }
        first.announces = p_.steps[s].id;
        break;
      }
    }
  }

  constexpr bool same_layout(const tile& a, const tile& b) const {
    bool same = a.elements == b.elements && a.panel == b.panel &&
                scratch_size(g_[a.id]) == scratch_size(g_[b.id]);
    for (int d = 0; d < max_rank; ++d) same = same && a.strides[d] == b.strides[d];
    return same;
  }

  /// Lets a phi's next value be computed in the phi's own tile where nobody reads the old value
  /// later, so that nothing is copied at the end of an iteration. Inner loops first.
  constexpr void share_storage() {
    for (std::int32_t i = p_.phi_count - 1; i >= 0; --i) {
      phi_plan& phi = p_.phis[i];
      if (phi.next < 0 || phi.temporary >= 0) continue;
      const node& n = g_[phi.id];
      const node_id loop = n.operand(2);
      const node_id next = operand(n, 1);
      const std::int16_t from = p_.tile_of[next];
      if (from < 0 || next < loop || p_.tiles[from].storage != from) continue;
      if (!same_layout(p_.tiles[from], p_.tiles[phi.tile])) continue;
      // The place where the shared memory is first overwritten.
      const node_id written = g_[next].code == op::phi ? g_[next].operand(2) : next;
      if (!read_only_in_place_until(phi, loop, next, written)) continue;
      p_.tiles[from].storage = phi.tile;
      phi.next = -1;
      for (std::int32_t k = 0; k < p_.phi_count; ++k) {  // an inner phi that starts with this one
        phi_plan& inner = p_.phis[k];
        if (inner.id == next && operand(g_[next], 0) == phi.id) inner.initial = -1;
      }
      for (std::int32_t s = 0; s < p_.step_count; ++s) {  // a dot that accumulates into it
        plan_step& dot = p_.steps[s];
        if (dot.code == step_code::dot && dot.id == next && operand(g_[next], 2) == phi.id) {
          dot.nest = -1;
        }
      }
    }
  }

  /// Whether every read of the phi inside its loop comes before `written`, or is part of computing
  /// the value at `written` and reads only the element being written.
  constexpr bool read_only_in_place_until(const phi_plan& phi, node_id loop, node_id next,
                                          node_id written) const {
    const node_id end = static_cast<node_id>(g_[loop].value);
    for (std::int32_t s = 0; s < p_.step_count; ++s) {
      const plan_step& reader = p_.steps[s];
      if (reader.id <= loop || reader.id >= end || reader.id < written) continue;
      if (reader.code == step_code::scalar || reader.code == step_code::loop) continue;
      const bool writer = reader.id == written;
      for (const std::int16_t nest : {reader.nest, reader.safe_value, reader.safe_store}) {
        if (nest >= 0 && !reads_allowed(p_.nests[nest], phi.tile, writer)) return false;
      }
      // Tiles that a step reads without a nest.
      if (reader.code == step_code::dot &&
          (operand(g_[reader.id], 0) == phi.id || operand(g_[reader.id], 1) == phi.id)) {
        return false;
      }
      if (reader.code == step_code::reduce && reader.nest < 0 &&
          operand(g_[reader.id], 0) == phi.id) {
        return false;
      }
    }
    for (std::int32_t k = 0; k < p_.phi_count; ++k) {
      const phi_plan& other = p_.phis[k];
      if (other.id == phi.id || other.tile < 0) continue;
      const node_id other_loop = g_[other.id].operand(2);
      const node_id other_end = static_cast<node_id>(g_[other_loop].value);
      // Started at the head of a loop further on (where only the phi that shares the memory may
      // read it, element by element), or copied at the end of this or a further loop.
      if (other.initial >= 0 && other_loop >= written && other_loop < end &&
          !reads_allowed(p_.nests[other.initial], phi.tile, other.id == next)) {
        return false;
      }
      if (other.next >= 0 && other_end >= written && other_end <= end &&
          !reads_allowed(p_.nests[other.next], phi.tile, false)) {
        return false;
      }
    }
    return true;
  }
  constexpr bool reads_allowed(const loop_nest& nest, std::int16_t which, bool in_place) const {
    for (std::int32_t i = 0; i < nest.count; ++i) {
      const nest_value& v = p_.values[nest.first + i];
      if (v.from != origin::tile || v.tile != which) continue;
      if (!in_place) return false;
      for (int d = 0; d < max_rank; ++d) {
        if (v.axes[d] != nest.axes[d]) return false;
      }
    }
    return true;
  }

  /// Gives each tile an offset; tiles that are not alive at the same time may share memory.
  constexpr void place_tiles() {
    for (std::int32_t i = 0; i < p_.tile_count; ++i) {
      const std::int16_t owner = owner_of(i);
      p_.tiles[i].storage = owner;
      tile& t = p_.tiles[owner];
      if (p_.tiles[i].first_use < t.first_use) t.first_use = p_.tiles[i].first_use;
      if (p_.tiles[i].last_use > t.last_use) t.last_use = p_.tiles[i].last_use;
    }
    for (std::int32_t i = 0; i < p_.tile_count; ++i) {
      tile& t = p_.tiles[i];
      if (t.storage != i) continue;
      const std::int64_t size = bytes_of(t);
      std::int64_t offset = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (std::int32_t k = 0; k < i; ++k) {
          const tile& other = p_.tiles[k];
          if (other.storage != k || other.last_use < t.first_use || other.first_use > t.last_use) {
            continue;
          }
          if (other.offset < offset + size && offset < other.offset + bytes_of(other)) {
            offset = other.offset + bytes_of(other);
            moved = true;
          }
        }
      }
      t.offset = offset;
      if (offset + size > p_.scratch_bytes) p_.scratch_bytes = offset + size;
    }
    for (std::int32_t i = 0; i < p_.tile_count; ++i) {
      p_.tiles[i].offset = p_.tiles[p_.tiles[i].storage].offset;
    }
  }
  constexpr std::int16_t owner_of(std::int32_t which) const {
    std::int16_t owner = static_cast<std::int16_t>(which);
    while (p_.tiles[owner].storage != owner) owner = p_.tiles[owner].storage;
    return owner;
  }
  constexpr std::int64_t bytes_of(const tile& t) const {
    return (static_cast<std::int64_t>(t.elements) * scratch_size(g_[t.id]) + 63) / 64 * 64;
  }

  const graph& g_;
  plan<Nodes> p_{};
  info at_[static_cast<std::size_t>(Nodes)]{};
  node_id store_after_[static_cast<std::size_t>(Nodes)]{};  // the next store in program order
  std::int16_t region_of_[static_cast<std::size_t>(Nodes)]{};
};

/// The plan of `g`, which has `Nodes` nodes and no error.
template <int Nodes>
constexpr plan<Nodes> make_plan(const graph& g) {
  return planner<Nodes>(g).run();
}

}  // inline namespace
}  // namespace tilewright::detail
