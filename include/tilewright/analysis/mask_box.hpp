// Masks that select the leading lanes of each dimension.
#pragma once

#include <cstdint>

#include <tilewright/analysis/affine.hpp>
#include <tilewright/config.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// The lanes that a mask selects, if they are a box from lane 0: per dimension a scalar i64 node
/// with their number, already within [0, extent]; no_node is all of them.
struct mask_box {
  bool known = false;
  node_id gate = no_node;  ///< scalar i1 node; no lane at all when it is false
  node_id extents[max_rank] = {no_node, no_node, no_node, no_node, no_node};
};

/// One box a node.
struct mask_boxes {
  mask_box of[TILEWRIGHT_MAX_NODES];
};

namespace detail {

/// `box` of a mask of shape `from`, seen as broadcast to `to`. Dimensions that are repeated have an
/// extent of 1, and so no count (`box_below`).
constexpr mask_box broadcast_box(const mask_box& box, const shape& from, const shape& to) {
  mask_box result;
  result.known = box.known;
  result.gate = box.gate;
  for (int d = 0; d < from.rank; ++d) result.extents[d + to.rank - from.rank] = box.extents[d];
  return result;
}

/// `bound` within 2^62 of 0, so that its distance to an index does not wrap: no lane of a block that
/// lies in memory is further away. Bounds that come from narrower integers are that close already.
constexpr node_id near_indices(node_id bound, scalar_builder& build) {
  constexpr std::int64_t far = std::int64_t{1} << 62;
  if (bound == no_node) return bound;
  const node& n = build.g[bound];
  const bool widened = n.code == op::cast && size_of(build.g[n.operand(0)].type) < 8;
  if (widened || (n.code == op::constant && n.value > -far && n.value < far)) return bound;
  const node_id below = build.append(op::minimum, dtype::i64, bound, build.constant(far));
  return build.append(op::maximum, dtype::i64, below, build.constant(-far));
}

/// `first < last` (or <= when `closed`) for lanes of `dims`, first being affine and last uniform.
constexpr mask_box box_below(const affine& first, const affine& last, bool closed,
                             const shape& dims, scalar_builder& build) {
  mask_box result;
  if (!first.known || !last.known || !last.uniform(dims.rank)) return result;
  int along = -1;
  for (int d = 0; d < dims.rank; ++d) {
    if (first.strides[d] == no_node) continue;
    if (along >= 0 || !build.equals(first.strides[d], 1)) return result;
    along = d;
  }
  if (along < 0) {  // one answer for all lanes
    result.known = true;
    result.gate = build.append(closed ? op::le : op::lt, dtype::i1, build.materialize(first.offset),
                               build.materialize(last.offset));
    return result;
  }
  node_id count = build.sub(near_indices(last.offset, build), first.offset);
  if (closed) count = build.add(count, build.constant(1));
  result.known = true;
  result.extents[along] = build.clamp(count, dims[along]);
  return result;
}

}  // namespace detail

/// The box of the i1 node `n` (new id `id`), given its operands' affine forms and boxes.
/// Recognised: scalar conditions (all lanes or none), index < bound and the like, conjunctions,
/// broadcast and expand_dims.
template <class Forms, class Boxes>
constexpr mask_box box_of_mask(const graph& g, const node& n, node_id id, const Forms& forms,
                               const Boxes& boxes, detail::scalar_builder& build) {
  mask_box result;
  if (n.is_scalar()) {
    result.known = true;
    result.gate = id;
    return result;
  }
  const auto form = [&](int i) {
    return detail::broadcast_affine(forms[n.operand(i)], g[n.operand(i)].dims, n.dims);
  };
  const auto box = [&](int i) {
    return detail::broadcast_box(boxes[n.operand(i)], g[n.operand(i)].dims, n.dims);
  };
  switch (n.code) {
    case op::lt: return detail::box_below(form(0), form(1), false, n.dims, build);
    case op::le: return detail::box_below(form(0), form(1), true, n.dims, build);
    case op::gt: return detail::box_below(form(1), form(0), false, n.dims, build);
    case op::ge: return detail::box_below(form(1), form(0), true, n.dims, build);
    case op::broadcast: return box(0);
    case op::expand_dims: {
      result.known = boxes[n.operand(0)].known;
      result.gate = boxes[n.operand(0)].gate;
      const int axis = static_cast<int>(n.value);
      for (int d = 0; d < n.dims.rank; ++d) {
        if (d != axis) result.extents[d] = boxes[n.operand(0)].extents[d < axis ? d : d - 1];
      }
      return result;
    }
    case op::bit_and: {
      const mask_box x = box(0);
      const mask_box y = box(1);
      result.known = x.known && y.known;
      result.gate = x.gate == no_node || x.gate == y.gate ? y.gate
                    : y.gate == no_node                   ? x.gate
                                        : build.append(op::bit_and, dtype::i1, x.gate, y.gate);
      for (int d = 0; d < n.dims.rank && result.known; ++d) {
        result.extents[d] = x.extents[d] == no_node || x.extents[d] == y.extents[d] ? y.extents[d]
                            : y.extents[d] == no_node
                                ? x.extents[d]
                                : build.append(op::minimum, dtype::i64, x.extents[d], y.extents[d]);
      }
      return result;
    }
    default: return result;
  }
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
