// What the back passes work on: the graph with its buffers and its commands in program order.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/ir/graph.hpp>
#include <tilewright/program/program.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// One entry of the schedule. Loops of the graph appear as matching pairs.
struct step {
  enum class kind : std::uint8_t { loop, end_loop, command, release };
  kind what = kind::command;
  node_id at = no_node;        ///< the graph node that it belongs to; never decreases
  command work{};              ///< until `lower`, its registers are node ids
  buffer_index released = -1;  ///< of a release
  std::int8_t core = 0;        ///< set by split_cores
};

/// A graph, the circular buffers that its tiles live in, and the steps in program order.
struct schedule {
  graph source{};
  detail::inplace_vector<buffer, 48> buffers;
  detail::inplace_vector<step, 320> steps;
  diagnostic error{};

  constexpr void fail(const diagnostic& what) {
    if (!error) error = what;
  }
  constexpr void add(const step& s) {
    if (!steps.push_back(s)) {
      fail({code::program_full, s.work.line, steps.size() + 1, steps.capacity()});
    }
  }
};

/// A schedule that could not be made.
constexpr schedule failed_schedule(const diagnostic& why) {
  schedule failed;
  failed.error = why;
  return failed;
}

/// Whether command `c` reads (or pops) buffer `b`.
constexpr bool reads(const command& c, buffer_index b) {
  for (const operand& input : c.inputs) {
    if (input.from == operand::source::buffer && input.index == b) return true;
  }
  return false;
}
constexpr bool writes(const command& c, buffer_index b) {
  return c.output.from == operand::source::buffer && c.output.index == b;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
