// Saying why a program cannot advance.
#pragma once

#include <cstdint>
#include <string>
#include <tilewright/config.hpp>
#include <tilewright/model/machine.hpp>
#include <tilewright/program/program.hpp>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI::model_detail {

/// Whether the cores have ended and all queues are empty.
inline bool finished(const pe_state& element) {
  for (const core_state& core : element.cores) {
    if (core.is != core_state::status::ended) return false;
  }
  for (const unit_state& state : element.units) {
    for (const flight_queue& queue : state.queues) {
      if (!queue.empty()) return false;
    }
  }
  return true;
}

/// "buffer 3 (line 12): 5 pushed, 4 popped, room for 1"
inline std::string fill_of(const command_program& what, const pe_state& element,
                           buffer_index which) {
  const buffer_state& ring = element.buffers[static_cast<std::size_t>(which)];
  return "buffer " + std::to_string(which) + " (line " + std::to_string(what.buffers[which].line) +
         "): " + std::to_string(ring.pushed) + " pushed, " + std::to_string(ring.popped) +
         " popped, room for " + std::to_string(what.buffers[which].multiplier);
}

/// What the command waits for, in words.
inline std::string reason_of(const command_program& what, const pe_state& element,
                             const command_facts& facts, const flight& head) {
  for (int i = 0; i < facts.use_count; ++i) {
    const tile_use& use = facts.uses[i];
    const buffer_state& ring = element.buffers[static_cast<std::size_t>(use.buffer)];
    const std::string tile =
        "tile " + std::to_string(head.tiles[i]) + " of buffer " + std::to_string(use.buffer);
    if (ring.pushed <= head.tiles[i]) return "waits for " + tile;
  }
  if (facts.output >= 0) {
    const buffer_state& ring = element.buffers[static_cast<std::size_t>(facts.output)];
    if (head.output >= ring.popped + what.buffers[facts.output].multiplier) {
      return "waits for space in buffer " + std::to_string(facts.output);
    }
  }
  return "waits for commands on its tiles or memory that were issued before";
}

/// The message for a run in which nothing can happen any more: the elements that stand still (the
/// first of them in full), each core, each unit's next commands and each buffer's fill.
inline std::string deadlock_message(const command_program& what, const std::vector<pe_state>& pes,
                                    const std::vector<flight>& flights,
                                    const std::vector<command_facts>& facts) {
  std::string text = "model: the command program cannot advance";
  bool described = false;
  int others = 0;
  for (std::size_t pe = 0; pe < pes.size(); ++pe) {
    const pe_state& element = pes[pe];
    if (finished(element)) continue;
    if (described) {
      ++others;
      continue;
    }
    described = true;
    text += "\nPE " + std::to_string(pe) + ":";
    for (int c = 0; c < max_cores; ++c) {
      const core_state& core = element.cores[c];
      text += "\n  core " + std::to_string(c) + ": ";
      if (core.is == core_state::status::ended) {
        text += "has ended";
        continue;
      }
      text += core.is == core_state::status::queue_full
                  ? std::string("waits for room in the queue of ") + name_of(core.full_unit)
                  : std::string("does vector work");
      // A core that does vector work has stepped past its issue.
      const std::int32_t at = core.is == core_state::status::at_work ? core.at - 1 : core.at;
      text += ", at line " + std::to_string(what.cores[c][at].line);
      text += ", program " + std::to_string(core.program);
    }
    for (std::size_t u = 0; u < element.units.size(); ++u) {
      for (const flight_queue& queue : element.units[u].queues) {
        if (queue.empty()) continue;
        const flight& head = flights[queue.front()];
        const command& next = what.commands[head.command];
        text += std::string("\n  ") + name_of(static_cast<unit>(u)) + ": " + name_of(next.code) +
                " of line " + std::to_string(next.line) + " (core " + std::to_string(head.core) +
                ", program " + std::to_string(head.program) + ") " +
                reason_of(what, element, facts[static_cast<std::size_t>(head.command)], head);
      }
    }
    for (buffer_index b = 0; b < what.buffers.size(); ++b) {
      text += "\n  " + fill_of(what, element, b);
    }
  }
  if (others > 0)
    text += "\nand " + std::to_string(others) + " more PEs in the same state or alike";
  return text;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI::model_detail
