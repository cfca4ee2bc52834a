// Affine blocks: offset + sum of strides[d] * index_d.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/ir/graph.hpp>
#include <tilewright/ir/scalar_builder.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Element (i0, i1, ...) of an integer block is offset + sum strides[d] * i_d; of a pointer block,
/// the pointer argument `base` plus that many elements. Quantities are scalar i64 nodes, no_node
/// being 0.
struct affine {
  bool known = false;
  node_id base = no_node;
  node_id offset = no_node;
  node_id strides[max_rank] = {no_node, no_node, no_node, no_node, no_node};

  constexpr bool uniform(int rank) const {
    for (int d = 0; d < rank; ++d) {
      if (strides[d] != no_node) return false;
    }
    return true;
  }
};

/// One form a node.
struct affine_forms {
  affine of[TILEWRIGHT_MAX_NODES];
};

namespace detail {

/// `form` of a block of shape `from`, seen as broadcast to `to`.
constexpr affine broadcast_affine(const affine& form, const shape& from, const shape& to) {
  affine result = form;
  for (int d = 0; d < max_rank; ++d) result.strides[d] = no_node;
  for (int d = 0; d < from.rank; ++d) {
    if (from[d] != 1) result.strides[d + to.rank - from.rank] = form.strides[d];
  }
  return result;
}

}  // namespace detail

/// The affine form of node `n` of graph `g`, given the forms of its operands (by node id of `g`).
/// Scalars that it needs are appended through `build`. Recognised: scalars, arange, constants,
/// broadcast, expand_dims, sums, differences, products with something uniform, and pointers.
template <class Forms>
constexpr affine affine_form(const graph& g, const node& n, node_id id, const Forms& forms,
                             detail::scalar_builder& build) {
  affine result;
  if (!n.pointer && n.type != dtype::i64) return result;
  if (n.pointer && n.code == op::argument) {
    result.known = true;
    result.base = id;
    return result;
  }
  if (n.is_scalar() && !n.pointer) {
    result.known = true;
    result.offset = id;
    if (n.code == op::constant && n.value == 0) result.offset = no_node;
    return result;
  }
  const auto seen = [&](int i) {
    return detail::broadcast_affine(forms[n.operand(i)], g[n.operand(i)].dims, n.dims);
  };
  switch (n.code) {
    case op::constant:
      result.known = true;
      if (n.value != 0) result.offset = build.constant(n.value);
      return result;
    case op::arange:
      result.known = true;
      if (n.value != 0) result.offset = build.constant(n.value);
      if (n.dims[0] != 1) result.strides[0] = build.constant(1);
      return result;
    case op::broadcast: return seen(0);
    case op::expand_dims: {
      const affine& source = forms[n.operand(0)];
      result = source;
      const int axis = static_cast<int>(n.value);
      for (int d = 0; d < n.dims.rank; ++d) {
        result.strides[d] = d < axis    ? source.strides[d]
                            : d == axis ? no_node
                                        : source.strides[d - 1];
      }
      return result;
    }
    case op::add:
    case op::sub:
    case op::add_pointer: {
      const affine x = seen(0);
      const affine y = seen(1);
      if (!x.known || !y.known) return result;
      const bool minus = n.code == op::sub;
      result.known = true;
      result.base = x.base;
      result.offset = minus ? build.sub(x.offset, y.offset) : build.add(x.offset, y.offset);
      for (int d = 0; d < n.dims.rank; ++d) {
        result.strides[d] =
            minus ? build.sub(x.strides[d], y.strides[d]) : build.add(x.strides[d], y.strides[d]);
      }
      return result;
    }
    case op::mul: {
      affine x = seen(0);
      affine y = seen(1);
      if (!x.known || !y.known) return result;
      if (x.uniform(n.dims.rank)) {
        const affine swapped = x;
        x = y;
        y = swapped;
      }
      if (!y.uniform(n.dims.rank)) return result;
      result.known = true;
      result.offset = build.mul(x.offset, y.offset);
      for (int d = 0; d < n.dims.rank; ++d) result.strides[d] = build.mul(x.strides[d], y.offset);
      return result;
    }
    default: return result;
  }
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
