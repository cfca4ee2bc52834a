// What an issued command waits for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tilewright/config.hpp>
#include <tilewright/launch/arguments.hpp>
#include <tilewright/model/machine.hpp>
#include <tilewright/model/memory_box.hpp>
#include <tilewright/program/program.hpp>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI::model_detail {

/// Whether two transfers touch the same bytes. Memory without contents has no address; each such
/// argument is memory of its own.
inline bool touch_same(const ordered_transfer& a, const ordered_transfer& b,
                       std::span<const argument> arguments) {
  const auto address = [&](const ordered_transfer& transfer) {
    return arguments[static_cast<std::size_t>(transfer.argument)].address;
  };
  const bool apart = address(a) == nullptr || address(b) == nullptr;
  return (a.argument == b.argument || !apart) && share_a_byte(a.bytes, b.bytes);
}

/// Whether a transfer that its program does earlier touches the same bytes, is not complete, and
/// one of the two is a store. Programs among each other have no order.
inline bool waits_for_memory(const pe_state& element, std::uint32_t id,
                             std::span<const argument> arguments) {
  const auto is_mine = [&](const ordered_transfer& transfer) { return transfer.flight == id; };
  const auto mine = std::find_if(element.ordered.begin(), element.ordered.end(), is_mine);
  return std::any_of(element.ordered.begin(), mine, [&](const ordered_transfer& earlier) {
    return (mine->stores || earlier.stores) && earlier.program == mine->program &&
           touch_same(*mine, earlier, arguments);
  });
}

/// What keeps flight `id`, the next command of a queue, from starting. Its unit is noted where the
/// change that it waits for will be seen.
inline stall waits_for(pe_state& element, const std::vector<flight>& flights, std::uint32_t id,
                       const std::vector<command_facts>& all_facts, const command_program& what,
                       std::span<const argument> arguments) {
  const flight& head = flights[id];
  const command_facts& facts = all_facts[static_cast<std::size_t>(head.command)];
  const std::uint32_t unit_bit = 1u << static_cast<unsigned>(what.commands[head.command].where);
  if (facts.ordered && waits_for_memory(element, id, arguments)) {
    element.order_waiting |= unit_bit;
    return stall::data;
  }
  const auto wait = [&](buffer_state& ring, stall reason) {
    ring.waiting |= unit_bit;
    return reason;
  };
  for (int i = 0; i < facts.use_count; ++i) {
    buffer_state& ring = element.buffers[static_cast<std::size_t>(facts.uses[i].buffer)];
    if (ring.pushed <= head.tiles[i]) return wait(ring, stall::data);
    if (ring.slots.empty()) continue;
    const slot_counts& slot = slot_of(ring, head.tiles[i]);
    if (slot.rewrites_done < head.rewrites_before[i]) return wait(ring, stall::data);
    if (i == facts.rewritten && slot.readers_done < head.readers_before[i]) {
      return wait(ring, stall::space);
    }
  }
  if (facts.output >= 0) {
    buffer_state& ring = element.buffers[static_cast<std::size_t>(facts.output)];
    if (head.output >= ring.popped + what.buffers[facts.output].multiplier) {
      return wait(ring, stall::space);
    }
  }
  return stall::none;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI::model_detail
