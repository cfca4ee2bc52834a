// Masked lanes hold something that nobody can mistake for data.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/ir/evaluate.hpp>
#include <tilewright/ir/scalar_builder.hpp>
#include <tilewright/passes/rewriter.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// What stands in lanes that no kernel may rely on: a NaN, or an integer unlikely to go unnoticed.
constexpr std::uint64_t poison_bits(dtype type) {
  return is_float(type) ? evaluate_cast(dtype::f32, type, 0x7fc00000u)
                        : evaluate_cast(dtype::u64, type, 0xa5a5a5a5a5a5a5a5u);
}

/// Gives masked loads without `other` poison for it, instead of 0. For graphs as traced.
constexpr graph poison_masked_lanes(const graph& g) {
  if (g.error) return g;
  detail::rewriter rewrite(g);
  for (node_id id = 0; id < g.size(); ++id) {
    const node& n = g[id];
    if (n.code != op::load || n.operand(1) == no_node || n.operand(2) != no_node) {
      rewrite.copy(id);
      continue;
    }
    detail::scalar_builder build{rewrite.to, n.line};
    const node_id other = build.append(op::constant, n.type, no_node, no_node, no_node,
                                       static_cast<std::int64_t>(poison_bits(n.type)));
    rewrite.to[rewrite.copy(id)].operands[2] = other;
  }
  rewrite.finish();
  return rewrite.to;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
