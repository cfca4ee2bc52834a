// The graph of a kernel: nodes in program order, with loops as matching pairs of nodes.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/detail/inplace_vector.hpp>
#include <tilewright/ir/diagnostic.hpp>
#include <tilewright/ir/op_table.hpp>
#include <tilewright/types/shape.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Index of a node in its graph. Operands come before their users, except a phi's `next`.
using node_id = std::int32_t;
inline constexpr node_id no_node = -1;
inline constexpr int max_operands = 4;
/// While a kernel is traced, `node::value` of a cast that promotion asked for, not the author.
inline constexpr std::int64_t by_promotion = 1;

/// One operation. What `operands` and `value` hold depends on `code`:
///
/// | code | operands | value |
/// |---|---|---|
/// | constant | | bit pattern (`to_bits`) |
/// | argument | | position among the kernel's parameters |
/// | program_id, num_programs | | axis |
/// | arange | | first value |
/// | expand_dims | source | dimension that is new |
/// | add_pointer | pointer, offset in elements | |
/// | load | pointer, mask or none, other or none | index of its access, or -1 |
/// | store | pointer, value, mask or none | index of its access, or -1 |
/// | dot | left [m, k], right [k, n], accumulator [m, n] | |
/// | reduce | source | axis |
/// | loop | first, last (excluded), step | node id of its `end_loop` |
/// | induction, end_loop | the loop | |
/// | phi | initial, next, the loop | |
struct node {
  op code = op::constant;
  op combine = op::add;      ///< of a reduce
  dtype type = dtype::none;  ///< element type; of a pointer, what it points to
  bool pointer = false;      ///< elements are pointers to `type`
  bool writable = false;     ///< of a pointer argument: stores may go through it
  unit where = unit::core;   ///< set by assign_units
  std::int32_t line = 0;     ///< source line
  node_id operands[max_operands] = {no_node, no_node, no_node, no_node};
  std::int64_t value = 0;
  shape dims{};
  /// Per dimension: a scalar i64 node with the number of leading lanes that matter, or no_node for
  /// all of them. Set by propagate_extent.
  node_id extents[max_rank] = {no_node, no_node, no_node, no_node, no_node};

  constexpr node_id operand(int index) const { return operands[static_cast<std::size_t>(index)]; }
  constexpr bool is_scalar() const { return dims.rank == 0; }
};

/// A structured access: element (i0, i1, ...) lives at base + offset + sum of strides[d] * i_d, in
/// elements. All quantities are scalar i64 nodes.
struct access {
  node_id base = no_node;    ///< argument node
  node_id offset = no_node;  ///< scalar i64 node
  node_id strides[max_rank] = {no_node, no_node, no_node, no_node, no_node};
  /// Per dimension the number of leading lanes that are accessed; no_node means all of them.
  node_id extents[max_rank] = {no_node, no_node, no_node, no_node, no_node};
  bool masked = false;         ///< a mask remains that the extents don't express
  bool fill = false;           ///< of a load: lanes outside the extents must hold `other`
  std::int64_t fill_bits = 0;  ///< pattern of `other`
};

/// A traced kernel. A loop node is followed by its induction and then by its phis; its body ends
/// with the `end_loop`. Passes take a graph and return a changed one; an error stops later passes.
struct graph {
  detail::inplace_vector<node, TILEWRIGHT_MAX_NODES> nodes;
  detail::inplace_vector<access, 64> accesses;
  std::int32_t argument_count = 0;
  diagnostic error{};

  constexpr node& operator[](node_id id) { return nodes[id]; }
  constexpr const node& operator[](node_id id) const { return nodes[id]; }
  constexpr node_id size() const { return nodes.size(); }
  constexpr void fail(const diagnostic& what) {
    if (!error) error = what;
  }
};

/// Calls `visit(id)` for each phi of `loop`.
template <class Visit>
constexpr void for_each_phi(const graph& g, node_id loop, Visit&& visit) {
  for (node_id id = loop + 2; g[id].code == op::phi; ++id) visit(id);
}

/// How many entries of `operands` the node has room for (entries may still be absent).
constexpr int operand_slots(const node& n) {
  switch (n.code) {
    case op::constant:
    case op::argument:
    case op::program_id:
    case op::num_programs:
    case op::arange: return 0;
    case op::broadcast:
    case op::expand_dims:
    case op::cast:
    case op::copy:
    case op::reduce:
    case op::induction:
    case op::end_loop: return 1;
    case op::add_pointer: return 2;
    case op::load:
    case op::store:
    case op::dot:
    case op::loop:
    case op::phi: return 3;
    default: return arity_of(info_of(n.code).kind);
  }
}

/// How many entries of `extents` the node may use: one a dimension, and one more for the k of a dot
/// and the axis of a reduce.
constexpr int extent_slots(const node& n) {
  return n.dims.rank + (n.code == op::dot || n.code == op::reduce ? 1 : 0);
}

constexpr bool has_effect(op code) {
  return code == op::store || code == op::loop || code == op::end_loop;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
