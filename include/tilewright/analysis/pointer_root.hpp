// Where pointers come from.
#pragma once

#include <tilewright/config.hpp>
#include <tilewright/ir/graph.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// What the pointers of node `id` are offsets from: a pointer argument, or the phi of a loop that
/// carries pointers. All pointers of a block come from one.
constexpr node_id pointer_root(const graph& g, node_id id) {
  while (g[id].code != op::argument && g[id].code != op::phi) id = g[id].operand(0);
  return id;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
