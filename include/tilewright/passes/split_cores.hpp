// Deals the commands to the two RISC-V cores.
#pragma once

#include <cstdint>

#include <tilewright/analysis/tile_values.hpp>
#include <tilewright/config.hpp>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/passes/place_pointer_updates.hpp>
#include <tilewright/passes/schedule.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

/// Cycles that the issuing core spends on one execution of a command, vector work included.
constexpr std::int64_t core_cycles(const command& c, const device_spec& device) {
  if (c.where != unit::vector) return c.issue_cycles;
  const double rate = device.vector_rate(c.type) > 0 ? device.vector_rate(c.type) : 1;
  const std::int64_t per_element = c.code == op::dot ? 2 : 1;
  const auto operations = static_cast<double>(per_element * elements_of(c.dims));
  return device.vector_startup + static_cast<std::int64_t>(operations / rate);
}

/// Sets of steps that one core must issue, joined as they are found to share a queue's end.
struct step_sets {
  std::int32_t parent[320] = {};

  constexpr std::int32_t find(std::int32_t i) {
    while (parent[i] != i) {
      parent[i] = parent[parent[i]];
      i = parent[i];
    }
    return i;
  }
  constexpr void join(std::int32_t a, std::int32_t b) {
    if (a >= 0 && b >= 0) parent[find(a)] = find(b);
  }
};

/// Joins the loads and stores of each argument (or of those that overlap) if there is a store.
constexpr void join_ordered_transfers(const schedule& s, std::uint32_t overlapping,
                                      step_sets& sets) {
  const auto memory_of = [&](const command& c) {
    const bool shared = (overlapping >> c.argument & 1u) != 0;
    return shared ? max_arguments : std::int32_t{c.argument};
  };
  bool stored[max_arguments + 1] = {};
  std::int32_t last[max_arguments + 1] = {};
  for (std::int32_t& none : last) none = -1;
  for (const step& at : s.steps) {
    if (at.what == step::kind::command && at.work.code == op::store) {
      stored[memory_of(at.work)] = true;
    }
  }
  for (std::int32_t i = 0; i < s.steps.size(); ++i) {
    const step& at = s.steps[i];
    if (at.what != step::kind::command || at.work.argument < 0) continue;
    const std::int32_t memory = memory_of(at.work);
    if (!stored[memory]) continue;
    sets.join(last[memory], i);
    last[memory] = i;
  }
}

/// Fails if a core itself loads from memory that the program stores to: the stores are done by a
/// unit, some time after their issue.
constexpr void check_core_loads(schedule& s, std::uint32_t overlapping) {
  const graph& g = s.source;
  const node_flags on_core = core_scalars(g);
  const auto argument_of = [&](const node& n) {
    return g[g.accesses[static_cast<std::int32_t>(n.value)].base].value;
  };
  for (node_id load = 0; load < g.size(); ++load) {
    if (g[load].code != op::load || !on_core[load]) continue;
    for (const node& n : g.nodes) {
      if (n.code != op::store) continue;
      const std::int64_t from = argument_of(g[load]);
      const std::int64_t to = argument_of(n);
      const bool overlap = ((overlapping >> from & overlapping >> to) & 1u) != 0;
      if (from == to || overlap) s.fail({code::core_load_order, g[load].line});
    }
  }
}

}  // namespace detail

/// Trip count that a loop is taken to have, its bounds being run-time values.
inline constexpr std::int64_t assumed_trips = 16;

/// All commands that read a buffer go to one core and all that write it to one core, which is what
/// tile numbers need; where the two differ, the buffer's pointers synchronise them. All loads and
/// stores of memory that the program stores to go to one core too, since the order in which that
/// core issues them is their program order; arguments in the set `overlapping` (bit p for argument
/// p) count as the same memory. The groups that follow are dealt, heaviest first, to the core with
/// less issue time so far; vector work stays on the vector core. Errors: TW-E018.
constexpr schedule split_cores(const schedule& s, const device_spec& device,
                               std::uint32_t overlapping = 0) {
  schedule result = s;
  if (!s.error) detail::check_core_loads(result, overlapping);
  if (result.error || device.cores < 2) return result;
  detail::step_sets sets;
  std::int64_t weight[320] = {};
  bool vector[320] = {};
  bool dealt[320] = {};
  for (std::int32_t i = 0; i < s.steps.size(); ++i) sets.parent[i] = i;
  for (std::int32_t b = 0; b < s.buffers.size(); ++b) {
    std::int32_t reader = -1;
    std::int32_t writer = -1;
    for (std::int32_t i = 0; i < s.steps.size(); ++i) {
      const step& at = s.steps[i];
      const auto index = static_cast<buffer_index>(b);
      const bool command = at.what == step::kind::command;
      if ((command && reads(at.work, index)) ||
          (at.what == step::kind::release && at.released == index)) {
        sets.join(reader, i);
        reader = i;
      }
      if (command && writes(at.work, index)) {
        sets.join(writer, i);
        writer = i;
      }
    }
  }
  detail::join_ordered_transfers(s, overlapping, sets);
  std::int64_t trips = 1;
  for (std::int32_t i = 0; i < s.steps.size(); ++i) {
    const step& at = s.steps[i];
    if (at.what == step::kind::loop) trips *= assumed_trips;
    if (at.what == step::kind::end_loop) trips /= assumed_trips;
    if (at.what != step::kind::command) continue;
    const std::int32_t set = sets.find(i);
    weight[set] += trips * detail::core_cycles(at.work, device);
    vector[set] = vector[set] || at.work.where == unit::vector;
  }
  std::int64_t load[max_cores] = {};
  for (std::int32_t round = 0; round < s.steps.size(); ++round) {
    std::int32_t heaviest = -1;
    for (std::int32_t i = 0; i < s.steps.size(); ++i) {
      if (sets.parent[i] != i || dealt[i]) continue;
      const bool first = heaviest < 0 || (vector[i] && !vector[heaviest]) ||
                         (vector[i] == vector[heaviest] && weight[i] > weight[heaviest]);
      if (first) heaviest = i;
    }
    if (heaviest < 0) break;
    dealt[heaviest] = true;
    const std::int32_t core = vector[heaviest] ? device.vector_core : load[1] < load[0] ? 1 : 0;
    load[core] += weight[heaviest];
    for (std::int32_t i = 0; i < s.steps.size(); ++i) {
      if (sets.find(i) == heaviest) result.steps[i].core = static_cast<std::int8_t>(core);
    }
  }
  return result;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
