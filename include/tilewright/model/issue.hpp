// What a core does by itself: scalar instructions, and what a command takes along when it is
// issued.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <tilewright/config.hpp>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/error.hpp>
#include <tilewright/ir/evaluate.hpp>
#include <tilewright/launch/arguments.hpp>
#include <tilewright/launch/grid.hpp>
#include <tilewright/model/execute.hpp>
#include <tilewright/model/machine.hpp>
#include <tilewright/model/memory_box.hpp>
#include <tilewright/model/units.hpp>
#include <tilewright/program/program.hpp>
#include <tilewright/program/queries.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::model_detail {

/// The value of a register; 0 for none.
inline std::uint64_t register_bits(const core_state& core, register_index which) {
  return which < 0 ? 0 : core.registers[static_cast<std::size_t>(which)];
}
inline std::int64_t register_value(const core_state& core, register_index which) {
  return static_cast<std::int64_t>(register_bits(core, which));
}

/// The result of a scalar instruction.
inline std::uint64_t scalar_result(const instruction& step, const core_state& core,
                                   const grid& programs, std::span<const argument> arguments) {
  const auto value = [&](int i) { return register_bits(core, step.operands[i]); };
  switch (step.code) {
    case op::constant: return static_cast<std::uint64_t>(step.value);
    case op::argument: return arguments[static_cast<std::size_t>(step.value)].bits;
    case op::program_id: return to_bits(programs.index(core.program, static_cast<int>(step.value)));
    case op::num_programs: return to_bits(static_cast<std::int32_t>(programs.axes[step.value]));
    case op::cast: return evaluate_cast(step.operand_type, step.type, value(0));
    default: return evaluate(step.code, scalar_operand_type(step), value(0), value(1), value(2));
  }
}

/// The three numbers that decide whether a loop goes on.
struct loop_numbers {
  std::int64_t value = 0;  ///< the running value
  std::int64_t last = 0;
  std::int64_t step = 0;

  constexpr bool before_last(std::int64_t which) const {
    return step > 0 ? which < last : which > last;
  }
};
inline loop_numbers numbers_of(const instruction& loop, const core_state& core) {
  const auto number = [&](register_index which) {
    return static_cast<std::int64_t>(
        evaluate_cast(loop.type, dtype::i64, register_bits(core, which)));
  };
  const loop_numbers numbers = {number(loop.result), number(loop.operands[1]),
                                number(loop.operands[2])};
  if (numbers.step == 0) {
    fail(("model: the loop of line " + std::to_string(loop.line) + " has step 0").c_str());
  }
  return numbers;
}

/// Whether a loop has a first iteration.
inline bool enters(const instruction& loop, const core_state& core) {
  const loop_numbers numbers = numbers_of(loop, core);
  return numbers.before_last(numbers.value);
}
/// Whether another iteration follows the one that ends. The next value may be past the end of the
/// loop's type, where the register would wrap: then it is past `last` too.
inline bool goes_on(const instruction& loop, const core_state& core) {
  const loop_numbers numbers = numbers_of(loop, core);
  std::int64_t next = 0;
  return !__builtin_add_overflow(numbers.value, numbers.step, &next) && numbers.before_last(next);
}

/// The lanes that a command works on, by the registers of its extents.
inline lanes lanes_of(const command& what, const core_state& core) {
  lanes on;
  for (int d = 0; d < what.dims.rank; ++d) {
    on.extents[d] = what.dims[d];
    if (what.extents[d] >= 0) {
      on.extents[d] =
          std::clamp<std::int64_t>(register_value(core, what.extents[d]), 0, what.dims[d]);
    }
    on.count *= on.extents[d];
  }
  return on;
}

/// Where the bytes of a load or store lie, how many there are, and the cycles of its filling.
inline void address(flight& made, const command& what, const lanes& on, const core_state& core,
                    const device_spec& spec) {
  const std::int64_t size = size_of(what.type);
  made.low = register_value(core, what.offset);
  made.high = made.low;
  for (int d = 0; d < what.dims.rank && on.count != 0; ++d) {
    const std::int64_t stride = register_value(core, what.strides[d]);
    (stride < 0 ? made.low : made.high) += stride * (on.extents[d] - 1);
  }
  made.bytes = on.count * size;
  made.busy = what.fill
                  ? ceil_div((elements_of(what.dims) - on.count) * size, spec.dma_bytes_per_cycle)
                  : 0;
}

/// The bytes that a load or store of `where` touches. Addresses that no memory has wrap.
inline memory_box box_of(const command& what, const lanes& on, const core_state& core,
                         const argument& where) {
  const auto bytes = [&](register_index elements) {
    const auto size = static_cast<std::uint64_t>(size_of(what.type));
    return register_bits(core, elements) * size;
  };
  memory_box box;
  box.first = static_cast<std::int64_t>(
      std::uint64_t{reinterpret_cast<std::uintptr_t>(where.address)} + bytes(what.offset));
  box.element_bytes = size_of(what.type);
  box.rank = what.dims.rank;
  for (int d = 0; d < what.dims.rank; ++d) {
    box.extents[d] = on.extents[d];
    box.strides[d] = static_cast<std::int64_t>(bytes(what.strides[d]));
  }
  return box;
}

/// What functional execution needs beside the tiles.
inline void take_values(issued_values& values, const command& what, const lanes& on,
                        const core_state& core) {
  values.on = on;
  values.offset = register_value(core, what.offset);
  for (int d = 0; d < what.dims.rank; ++d) {
    values.strides[d] = register_value(core, what.strides[d]);
  }
  for (int slot = 0; slot < 3; ++slot) {
    const operand& input = what.inputs[slot];
    if (input.from == operand::source::scalar) {
      values.scalars[slot] = register_bits(core, input.index);
    }
  }
}

/// Numbers the tiles of a command in the order of issue, and notes which commands on them came
/// before.
inline void number_tiles(pe_state& element, const command_facts& facts, flight& made) {
  const auto ring_of = [&](buffer_index which) -> buffer_state& {
    return element.buffers[static_cast<std::size_t>(which)];
  };
  // All of a command's tiles count from the pointers before it moves them, and it does not wait
  // for itself: so look first, then count.
  for (int i = 0; i < facts.use_count; ++i) {
    buffer_state& ring = ring_of(facts.uses[i].buffer);
    made.tiles[i] = ring.pops_issued + facts.uses[i].ahead;
    if (ring.slots.empty()) continue;
    const slot_counts& slot = slot_of(ring, made.tiles[i]);
    made.rewrites_before[i] = slot.rewrites_issued;
    made.readers_before[i] = slot.readers_issued;
  }
  for (int i = 0; i < facts.use_count; ++i) {
    buffer_state& ring = ring_of(facts.uses[i].buffer);
    made.readers[i] = ring.readers.issue(facts.uses[i].pops);
    ring.pops_issued += facts.uses[i].pops ? 1 : 0;
    if (ring.slots.empty()) continue;
    slot_counts& slot = slot_of(ring, made.tiles[i]);
    ++(i == facts.rewritten ? slot.rewrites_issued : slot.readers_issued);
  }
  if (facts.output >= 0) {
    buffer_state& ring = ring_of(facts.output);
    made.output = ring.pushes_issued;
    made.writer = ring.writers.issue(facts.pushes);
    ring.pushes_issued += facts.pushes ? 1 : 0;
  }
}

}  // namespace tilewright::inline TILEWRIGHT_ABI::model_detail
