// What an issued command waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tilewright/launch/arguments.hpp>
#include <tilewright/model/machine.hpp>
#include <tilewright/program/program.hpp>
#include <vector>

namespace tilewright::model_detail {

/// Whether two transfers touch the same bytes, as far as their lowest and highest element tell.
inline bool touch_same(const flight& a, const flight& b, const command_program& what,
                       std::span<const argument> arguments) {
  if (a.bytes == 0 || b.bytes == 0) return false;
  const command& first = what.commands[a.command];
  const command& second = what.commands[b.command];
  if (first.argument == second.argument) return a.low <= b.high && b.low <= a.high;
  const auto byte_of = [&](const command& transfer, std::int64_t element) {
    const auto* base = arguments[static_cast<std::size_t>(transfer.argument)].address;
    return reinterpret_cast<std::intptr_t>(base) + element * size_of(transfer.type);
  };
  return byte_of(first, a.low) < byte_of(second, b.high + 1) &&
         byte_of(second, b.low) < byte_of(first, a.high + 1);
}

/// Whether a transfer that its program does earlier touches the same bytes, is not complete, and
/// one of the two is a store. Programs among each other have no order.
inline bool waits_for_memory(const pe_state& element, const std::vector<flight>& flights,
                             std::uint32_t id, const command_program& what,
                             std::span<const argument> arguments) {
  const flight& mine = flights[id];
  const bool stores = what.commands[mine.command].code == op::store;
  for (const std::uint32_t other_id : element.ordered) {
    if (other_id == id) return false;
    const flight& other = flights[other_id];
    const bool conflicts = stores || what.commands[other.command].code == op::store;
    if (conflicts && other.program == mine.program && touch_same(mine, other, what, arguments)) {
      return true;
    }
  }
  return false;
}

/// What keeps flight `id`, the next command of a queue, from starting. Its unit is noted where the
/// change that it waits for will be seen.
inline stall waits_for(pe_state& element, const std::vector<flight>& flights, std::uint32_t id,
                       const std::vector<command_facts>& all_facts, const command_program& what,
                       std::span<const argument> arguments) {
  const flight& head = flights[id];
  const command_facts& facts = all_facts[static_cast<std::size_t>(head.command)];
  const std::uint32_t unit_bit = 1u << static_cast<unsigned>(what.commands[head.command].where);
  if (facts.ordered && waits_for_memory(element, flights, id, what, arguments)) {
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

}  // namespace tilewright::model_detail
