// Records nodes while a kernel's body runs, and turns assignments in loops into phis.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/ir/graph.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {

/// The graph under construction. Knows nodes and variables, but no types of the language.
class recorder {
 public:
  constexpr node_id size() const { return graph_.size(); }
  constexpr const node& operator[](node_id id) const { return graph_[id]; }
  constexpr void fail(code what, std::int32_t line) { graph_.fail({what, line}); }

  /// Appends `n`. Past the capacity the error is kept and a harmless id returned.
  constexpr node_id add(const node& n) {
    if (!graph_.nodes.push_back(n)) {
      graph_.fail({code::graph_full, n.line, graph_.size() + 1, graph_.nodes.capacity()});
      return graph_.size() - 1;
    }
    return graph_.size() - 1;
  }
  constexpr void count_argument() { ++graph_.argument_count; }

  /// Opens a loop; returns the node of its running value.
  constexpr node_id open_loop(node loop_node) {
    const node_id loop = add(loop_node);
    node running = loop_node;
    running.code = op::induction;
    running.operands[0] = loop;
    running.operands[1] = running.operands[2] = no_node;
    const node_id induction = add(running);
    frame opened;
    opened.loop = loop;
    if (!frames_.push_back(opened)) {
      graph_.fail({code::graph_full, loop_node.line, frames_.size() + 1, frames_.capacity()});
      ++too_deep_;
    }
    return induction;
  }

  /// A variable that existed before node number `born` is given a new value. In an open loop this
  /// makes it loop-carried; `id` is where the variable keeps its node.
  constexpr void assign(node_id& id, node_id born, node_id value) {
    if (!frames_.empty()) remember(frames_.back(), id, born, id);
    id = value;
  }

  /// A node of its own for a variable that starts with the value of `id`.
  constexpr node_id copy(node_id id) {
    node n = graph_[id];
    n.code = op::copy;
    n.value = 0;
    n.operands[0] = id;
    n.operands[1] = n.operands[2] = n.operands[3] = no_node;
    return add(n);
  }

  /// Closes the innermost loop: each variable that was assigned gets a phi, its earlier value is
  /// replaced by the phi in the body, and the variable then names the phi.
  constexpr void close_loop() {
    if (too_deep_ > 0) {
      --too_deep_;
      return;
    }
    const frame closed = frames_.back();
    frames_.pop_back();
    if (graph_.error.what == code::graph_full) return;  // there is no room for phis
    const node_id first_phi = graph_.size();
    for (std::int32_t i = 0; i < closed.assigned.size(); ++i) {
      phi_of_[closed.assigned[i].initial] = first_phi + i;
    }
    for (node_id id = closed.loop + 1; id < first_phi; ++id) {
      for (node_id& used : graph_[id].operands) {
        if (used != no_node && phi_of_[used] != 0) used = phi_of_[used];
      }
    }
    for (const assignment& a : closed.assigned) {
      phi_of_[a.initial] = 0;
      node phi = graph_[a.initial];
      phi.code = op::phi;
      phi.line = graph_[*a.variable].line;
      phi.value = 0;
      phi.operands[0] = a.initial;
      phi.operands[1] = *a.variable;
      phi.operands[2] = closed.loop;
      const node_id id = add(phi);
      if (!frames_.empty()) remember(frames_.back(), *a.variable, a.born, a.initial);
      *a.variable = id;
    }
    node end = graph_[closed.loop];
    end.code = op::end_loop;
    end.operands[0] = closed.loop;
    end.operands[1] = end.operands[2] = no_node;
    const node_id end_id = add(end);
    graph_[closed.loop].value = end_id;
  }

  /// What was traced, phis still at the end of their loops.
  constexpr graph result() const {
    graph traced = graph_;
    if (!frames_.empty()) traced.fail({code::loop_left_open, graph_[frames_.back().loop].line});
    return traced;
  }

 private:
  struct assignment {
    node_id* variable = nullptr;
    node_id initial = no_node;
    node_id born = 0;
  };
  struct frame {
    node_id loop = no_node;
    inplace_vector<assignment, 64> assigned;
  };

  constexpr void remember(frame& open, node_id& id, node_id born, node_id initial) {
    if (born > open.loop) return;  // declared inside this loop
    for (const assignment& a : open.assigned) {
      if (a.variable == &id) return;
    }
    if (!open.assigned.push_back({&id, initial, born})) {
      graph_.fail({code::graph_full, graph_[initial].line, open.assigned.size() + 1,
                   open.assigned.capacity()});
    }
  }

  graph graph_;
  inplace_vector<frame, 16> frames_;
  std::int32_t too_deep_ = 0;                  // open loops that have no frame
  node_id phi_of_[TILEWRIGHT_MAX_NODES] = {};  // while a loop closes; 0 is none
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
