// Checking a program against a device, and what is the same for every issue of a command.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <tilewright/config.hpp>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/error.hpp>
#include <tilewright/model/machine.hpp>
#include <tilewright/model/memory_system.hpp>
#include <tilewright/model/report.hpp>
#include <tilewright/model/units.hpp>
#include <tilewright/program/program.hpp>
#include <tilewright/program/queries.hpp>
#include <tilewright/program/verify.hpp>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI::model_detail {

inline std::int64_t dram_latency_cycles(const device_spec& spec) {
  return static_cast<std::int64_t>(std::llround(spec.dram_latency_ns * spec.clock_ghz));
}

constexpr program_limits limits_of(const device_spec& spec) {
  return {spec.local_bytes, spec.re_accumulator_bytes, spec.circular_buffers, spec.cores,
          spec.vector_core};
}

/// nullptr, or what about the device no program can run with.
inline const char* fault_of(const device_spec& spec) {
  if (!(spec.clock_ghz > 0) || !std::isfinite(spec.clock_ghz)) {
    return "the device's clock rate is not a positive number";
  }
  if (spec.pe_rows < 1 || spec.pe_cols < 1) return "the device has no processing elements";
  if (spec.cores < 1 || spec.cores > max_cores) return "the device has no cores, or too many";
  if (spec.queue_depth < 1) return "the device's queues have no room for a command";
  const double times[] = {
      spec.job_launch_us * 1000.0 * spec.clock_ghz, spec.dram_latency_ns * spec.clock_ghz,
      static_cast<double>(spec.sram_latency),       static_cast<double>(spec.vector_startup),
      static_cast<double>(spec.dpe_fill_latency),   static_cast<double>(spec.re_latency),
      static_cast<double>(spec.se_latency),         static_cast<double>(spec.pointer_update_cycles),
      static_cast<double>(spec.scalar_cycles),      static_cast<double>(spec.loop_cycles)};
  for (const double cycles : times) {
    if (!(cycles >= 0 && cycles < 1e15)) {
      return "one of the device's times is negative, or more cycles than the model can count";
    }
  }
  return nullptr;
}

/// Calls `fail` when the program is malformed or the device cannot run it.
inline void check_program(const command_program& what, const device_spec& spec) {
  const auto stop = [](std::int32_t line, const std::string& why) {
    fail(("model: line " + std::to_string(line) + ": " + why).c_str());
  };
  if (what.error) stop(what.error.line, sentence_of(what.error.what));
  if (const char* const fault = fault_of(spec)) fail((std::string("model: ") + fault).c_str());
  if (const verdict found = verify(what, limits_of(spec))) {
    stop(found.error.line, std::string(found.why) + " (need " + std::to_string(found.error.need) +
                               ", have " + std::to_string(found.error.have) + ")");
  }
  for (const command& each : what.commands) {
    if (const char* const why = unsupported(each, spec)) stop(each.line, why);
  }
}

/// Both memories, by `memory`.
inline std::vector<shared_memory> memories_of(const device_spec& spec) {
  return {{static_cast<double>(spec.sram_bytes_per_cycle), spec.sram_latency, spec},
          {spec.dram_bytes_per_cycle(), dram_latency_cycles(spec), spec}};
}

/// Calls `fail` when a load or store is of a memory that no bytes can come from or go to.
inline void check_memories(const command_program& what, const std::vector<memory>& places,
                           const std::vector<shared_memory>& memories) {
  const auto check = [&](std::int32_t line, std::int64_t position, bool by_dma) {
    const memory where = places[static_cast<std::size_t>(position)];
    const shared_memory& used = memories[static_cast<std::size_t>(where)];
    const std::string start = "model: line " + std::to_string(line) + ": the device's ";
    if (!(used.bandwidth() > 0) || !std::isfinite(used.bandwidth())) {
      fail((start + "bandwidth of " + name_of(where) + " is not a positive number").c_str());
    }
    if (by_dma && !(used.cap() > 0)) {
      fail((start + "DMA has no bytes of " + name_of(where) + " in flight").c_str());
    }
  };
  for (const command& each : what.commands) {
    if (is_transfer(each.code)) check(each.line, each.argument, true);
  }
  for (const auto& list : what.cores) {
    for (const instruction& step : list) {
      if (step.what == instruction::kind::load) check(step.line, step.value, false);
    }
  }
}

/// Whether two transfers can touch the same bytes: those of one argument, or of two arguments of
/// the set `overlapping`.
constexpr bool may_meet(const command& a, const command& b, std::uint32_t overlapping) {
  return a.argument == b.argument ||
         ((overlapping >> a.argument & overlapping >> b.argument) & 1u) != 0;
}

/// The core that issues each command; -1 for none.
inline std::vector<int> issuing_cores(const command_program& what) {
  std::vector<int> cores(static_cast<std::size_t>(what.commands.size()), -1);
  for (int core = 0; core < max_cores; ++core) {
    for (const instruction& step : what.cores[core]) {
      if (step.what == instruction::kind::issue)
        cores[static_cast<std::size_t>(step.target)] = core;
    }
  }
  return cores;
}

/// Calls `fail` if a core itself loads what the program may store: a unit does that some time after
/// its issue.
inline void check_core_loads(const command_program& what, std::uint32_t overlapping) {
  for (const auto& list : what.cores) {
    for (const instruction& step : list) {
      if (step.what != instruction::kind::load) continue;
      for (const command& each : what.commands) {
        if (each.code != op::store) continue;
        const bool overlap = ((overlapping >> each.argument & overlapping >> step.value) & 1u) != 0;
        if (each.argument != step.value && !overlap) continue;
        fail(("model: the core's load of line " + std::to_string(step.line) +
              " and the store of line " + std::to_string(each.line) + " can touch the same memory")
                 .c_str());
      }
    }
  }
}

/// The cores at the ends of each buffer.
inline std::vector<buffer_ends> ends_of(const command_program& what,
                                        const std::vector<command_facts>& facts) {
  std::vector<buffer_ends> ends(static_cast<std::size_t>(what.buffers.size()));
  for (int core = 0; core < max_cores; ++core) {
    for (const instruction& step : what.cores[core]) {
      if (step.what == instruction::kind::release) {
        ends[static_cast<std::size_t>(step.target)].reader = core;
      }
      if (step.what != instruction::kind::issue) continue;
      const command_facts& issued = facts[static_cast<std::size_t>(step.target)];
      for (int i = 0; i < issued.use_count; ++i) {
        ends[static_cast<std::size_t>(issued.uses[i].buffer)].reader = core;
      }
      if (issued.output >= 0) ends[static_cast<std::size_t>(issued.output)].writer = core;
    }
  }
  return ends;
}

/// Marks the transfers whose program order counts: those that can touch bytes that another one of
/// the program stores. Calls `fail` if two such are issued by different cores, whose order is not
/// known.
inline void mark_ordered(const command_program& what, std::uint32_t overlapping,
                         std::vector<command_facts>& facts) {
  const std::vector<int> cores = issuing_cores(what);
  for (std::int32_t a = 0; a < what.commands.size(); ++a) {
    for (std::int32_t b = 0; b < what.commands.size(); ++b) {
      const command& first = what.commands[a];
      const command& second = what.commands[b];
      if (a == b || !is_transfer(first.code) || !is_transfer(second.code)) continue;
      if (first.code != op::store || !may_meet(first, second, overlapping)) continue;
      facts[static_cast<std::size_t>(a)].ordered = facts[static_cast<std::size_t>(b)].ordered =
          true;
      if (cores[static_cast<std::size_t>(a)] == cores[static_cast<std::size_t>(b)]) continue;
      fail(("model: the store of line " + std::to_string(first.line) + " and the " +
            name_of(second.code) + " of line " + std::to_string(second.line) +
            " can touch the same memory, but different cores issue them")
               .c_str());
    }
  }
}

/// The facts of every command. `places` is the memory of each argument.
inline std::vector<command_facts> facts_of(const command_program& what, const device_spec& spec,
                                           const std::vector<memory>& places) {
  std::vector<command_facts> all;
  for (const command& each : what.commands) {
    command_facts facts;
    int pointers = 0;
    for (int slot = 0; slot < 3; ++slot) {
      const operand& input = each.inputs[slot];
      if (input.from != operand::source::buffer) continue;
      if (each.in_place && slot == rewritten_input(each)) facts.rewritten = facts.use_count;
      facts.uses[facts.use_count++] = {static_cast<std::int8_t>(slot), input.index, input.ahead,
                                       input.advances};
      pointers += input.advances ? 1 : 0;
    }
    if (!each.in_place && each.output.from == operand::source::buffer) {
      facts.output = each.output.index;
      facts.pushes = each.output.advances;
      pointers += each.output.advances ? 1 : 0;
    }
    facts.transfers = is_transfer(each.code);
    facts.issue_cycles = each.issue_cycles + pointers * spec.pointer_update_cycles;
    facts.latency = result_latency(each.where, spec);
    if (facts.transfers) {
      facts.latency = places[static_cast<std::size_t>(each.argument)] == memory::sram
                          ? spec.sram_latency
                          : dram_latency_cycles(spec);
    }
    all.push_back(facts);
  }
  return all;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI::model_detail
