// Pointer arithmetic becomes access descriptors: base, offset and strides per dimension.
#pragma once

#include <cstdint>

#include <tilewright/analysis/affine.hpp>
#include <tilewright/passes/rewriter.hpp>
#include <tilewright/passes/simplify.hpp>

namespace tilewright {

namespace detail {

/// The pass but for the pointer arithmetic that it leaves dead.
constexpr graph pointers_to_accesses(const graph& g) {
  if (g.error) return g;
  rewriter rewrite(g);
  affine forms[TILEWRIGHT_MAX_NODES];  // by old id, of new nodes
  for (node_id id = 0; id < g.size(); ++id) {
    const node& n = g[id];
    const node_id moved = rewrite.copy(id);
    scalar_builder build{rewrite.to, n.line};
    if (n.code != op::load && n.code != op::store) {
      forms[id] = affine_form(g, n, moved, forms, build);
      continue;
    }
    const node_id pointers = n.operand(0);
    if (n.value >= 0 || !forms[pointers].known) continue;
    const affine form = broadcast_affine(forms[pointers], g[pointers].dims, n.dims);
    access found;
    found.base = form.base;
    for (int d = 0; d < n.dims.rank; ++d) found.strides[d] = form.strides[d];
    found.offset = form.offset;
    if (found.offset == no_node) {
      // The scalar must come before the access, so the access is copied once more after it.
      rewrite.to.nodes.pop_back();
      found.offset = build.constant(0);
      rewrite.copy(id);
    }
    found.masked = n.operand(n.code == op::load ? 1 : 2) != no_node;
    node& placed = rewrite.to[rewrite.moved[id]];
    placed.value = rewrite.to.accesses.size();
    placed.operands[0] = no_node;
    if (!rewrite.to.accesses.push_back(found)) {
      rewrite.to.fail({code::too_many_accesses, n.line, rewrite.to.accesses.size() + 1,
                       rewrite.to.accesses.capacity()});
    }
  }
  rewrite.finish();
  return rewrite.to;
}

}  // namespace detail

/// Gives each load and store whose pointers are affine in the block's indices an `access`; the
/// pointers are then no longer an operand. Others keep their pointers: a gather or scatter.
constexpr graph find_structured_access(const graph& g) {
  return simplify(detail::pointers_to_accesses(g));
}

}  // namespace tilewright
