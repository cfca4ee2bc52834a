// Pointer arithmetic becomes access descriptors: base, offset and strides per dimension.
#pragma once

#include <cstdint>

#include <tilewright/analysis/affine.hpp>
#include <tilewright/config.hpp>
#include <tilewright/detail/on_heap.hpp>
#include <tilewright/passes/rewriter.hpp>
#include <tilewright/passes/simplify.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

/// Forms of blocks that are computed in a loop, but from nothing that changes in it: asked for before
/// the loop's body has been walked. Scalars of that kind stand in front of the loop already.
struct invariant_forms {
  const graph& g;
  node_id loop;
  const affine* before;
  scalar_builder& build;

  constexpr affine operator[](node_id id) const {
    if (id < loop) return before[id];
    if (g[id].is_scalar()) return {};
    return affine_form(g, g[id], no_node, *this, build);
  }
};

/// The form, in the body of its loop, of a pointer that each iteration moves by one and the same
/// offset: its initial value plus the number of iterations before this one times that offset.
/// Unknown if it moves in another way. `forms` are by old id, of new nodes.
constexpr affine moved_pointer(const graph& g, node_id phi, const affine* forms,
                               rewriter& rewrite) {
  const node& n = g[phi];
  const node_id loop = n.operand(2);
  const affine& initial = forms[n.operand(0)];
  if (!n.pointer || !initial.known) return {};
  scalar_builder build{rewrite.to, n.line};
  affine step;
  // Pointers broadcast to their sums and the phi has the shape of the last one, so that all on the
  // way from the phi to it have one shape.
  for (node_id at = n.operand(1); at != phi; at = g[at].operand(0)) {
    if (g[at].code != op::add_pointer) return {};
    const node_id offset = g[at].operand(1);
    const affine form = invariant_forms{g, loop, forms, build}[offset];
    if (!form.known) return {};
    const affine moved = broadcast_affine(form, g[offset].dims, n.dims);
    step.offset = build.add(step.offset, moved.offset);
    for (int d = 0; d < n.dims.rank; ++d) {
      step.strides[d] = build.add(step.strides[d], moved.strides[d]);
    }
  }
  const auto wide = [&](node_id id) {
    return build.append(op::cast, dtype::i64, rewrite.moved[id]);
  };
  const node_id distance =
      build.append(op::sub, dtype::i64, wide(loop + 1), wide(g[loop].operand(0)));
  const node_id done = build.append(op::div, dtype::i64, distance, wide(g[loop].operand(2)));
  affine result = initial;
  result.offset = build.add(initial.offset, build.mul(done, step.offset));
  for (int d = 0; d < n.dims.rank; ++d) {
    result.strides[d] = build.add(initial.strides[d], build.mul(done, step.strides[d]));
  }
  return result;
}

/// The pass but for the pointer arithmetic that it leaves dead.
constexpr graph pointers_to_accesses(const graph& g) {
  if (g.error) return g;
  const auto rewriting = on_heap([&] { return rewriter(g); });
  rewriter& rewrite = *rewriting;
  const auto known = on_heap([] { return affine_forms(); });
  affine* const forms = known->of;  // by old id, of new nodes
  for (node_id id = 0; id < g.size(); ++id) {
    const node& n = g[id];
    if (n.code != op::phi && id > 0 && g[id - 1].code == op::phi) {
      for_each_phi(g, g[id - 1].operand(2),
                   [&](node_id phi) { forms[phi] = moved_pointer(g, phi, forms, rewrite); });
    }
    if (n.code == op::end_loop) {  // behind it, its phis hold what they held last
      for_each_phi(g, n.operand(0), [&](node_id phi) { forms[phi] = affine{}; });
    }
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
  return simplify(*detail::on_heap([&] { return detail::pointers_to_accesses(g); }));
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
