// Appending scalar i64 arithmetic to a graph, with the obvious foldings.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/ir/graph.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {

/// Appends scalar i64 nodes to `g`. In operands, no_node stands for 0.
struct scalar_builder {
  graph& g;
  std::int32_t line = 0;

  constexpr node_id append(op what, dtype type, node_id x = no_node, node_id y = no_node,
                           node_id z = no_node, std::int64_t value = 0) {
    node n;
    n.code = what;
    n.type = type;
    n.line = line;
    n.value = value;
    n.operands[0] = x;
    n.operands[1] = y;
    n.operands[2] = z;
    if (!g.nodes.push_back(n)) g.fail({code::graph_full, line, g.size() + 1, g.nodes.capacity()});
    return g.size() - 1;
  }
  constexpr node_id constant(std::int64_t value) {
    return append(op::constant, dtype::i64, no_node, no_node, no_node, value);
  }
  constexpr bool is_constant(node_id x, std::int64_t& value) const {
    if (x == no_node) {
      value = 0;
      return true;
    }
    value = g[x].value;
    return g[x].code == op::constant;
  }
  constexpr bool equals(node_id x, std::int64_t value) const {
    std::int64_t have = 0;
    return is_constant(x, have) && have == value;
  }
  /// A node for `x` where 0 may not be left out.
  constexpr node_id materialize(node_id x) { return x == no_node ? constant(0) : x; }

  constexpr node_id add(node_id x, node_id y) {
    if (x == no_node) return y;
    if (y == no_node) return x;
    return append(op::add, dtype::i64, x, y);
  }
  constexpr node_id sub(node_id x, node_id y) {
    if (y == no_node) return x;
    return append(op::sub, dtype::i64, materialize(x), y);
  }
  constexpr node_id mul(node_id x, node_id y) {
    if (x == no_node || y == no_node) return no_node;
    if (equals(x, 1)) return y;
    if (equals(y, 1)) return x;
    return append(op::mul, dtype::i64, x, y);
  }
  /// x limited to [0, limit].
  constexpr node_id clamp(node_id x, std::int64_t limit) {
    const node_id positive = append(op::maximum, dtype::i64, materialize(x), constant(0));
    return append(op::minimum, dtype::i64, positive, constant(limit));
  }
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
