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
#include <tilewright/config.hpp>
#include <tilewright/host/simd.hpp>
#include <tilewright/ir/graph.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {
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
  std::int16_t tile = -1;                                  ///< if from is tile
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
  /// Counts of lanes of the dimensions that have no loop: the nest runs if none of them is 0.
  node_id gates[max_rank] = {no_node, no_node, no_node, no_node, no_node};
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
  /// As in the nest that fills it, along its last long dimension.
  node_id uniform_after = no_node;
  bool read_behind = false;   ///< whether anyone reads elements behind that count
  std::int16_t storage = -1;  ///< the tile whose memory this one shares, itself by default
  node_id first_use = 0, last_use = 0;  ///< live in this span of the program
};

enum class step_code : std::uint8_t { scalar, materialize, store, reduce, dot, loop, check };

struct plan_step {
  step_code code = step_code::scalar;
  node_id id = no_node;
  /// The loops; of a dot those that copy its accumulator. A check without loops is one of a box.
  std::int16_t nest = -1;
  std::int16_t tile = -1;        ///< result
  std::int16_t safe_value = -1;  ///< of a store that may overlap its loads: loops that compute the
  std::int16_t safe_store = -1;  ///< value first, and loops that then store it
  std::int16_t body = -1;        ///< of a loop: its region
  std::int16_t kept = -1;        ///< of a reduce: tile that its loops fill with what they reduce
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
  std::int16_t origin = -1;  ///< in checked code, of pointers: slot of their argument's position
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

/// Whether a plan checks that loads and stores stay inside of their arguments.
enum class access_checks : std::uint8_t { off, on };

/// Bytes of an element of node `n` in scratch memory.
constexpr int scratch_size(const node& n) {
  if (n.pointer) return 8;
  return n.type == dtype::f16 || n.type == dtype::bf16 ? 4 : size_of(n.type);
}
constexpr bool is_simd_type(dtype type) {
  return type == dtype::f32 || type == dtype::f16 || type == dtype::bf16 || type == dtype::i32 ||
         type == dtype::u32;
}

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
