// Work and bytes of a run, the bounds that follow from them, and the report.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <tilewright/config.hpp>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/error.hpp>
#include <tilewright/model/machine.hpp>
#include <tilewright/model/report.hpp>
#include <tilewright/model/units.hpp>
#include <utility>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI::model_detail {

/// Bytes moved for an argument in one direction, and the range of addresses touched.
struct moved_range {
  std::int64_t bytes = 0;
  std::int64_t low = INT64_MAX;
  std::int64_t high = INT64_MIN;

  void add(std::int64_t count, std::int64_t from, std::int64_t to) {
    bytes += count;
    if (count == 0) return;
    low = std::min(low, from);
    high = std::max(high, to);
  }
  std::int64_t compulsory() const { return bytes == 0 ? 0 : std::min(bytes, high - low); }
};

struct argument_counts {
  moved_range read;
  moved_range written;
};

/// Sums over all commands of a run.
struct counters {
  std::int64_t commands = 0;
  std::int64_t multiply_accumulates = 0;
  std::int64_t flops = 0;
  double dpe_cycles = 0;  ///< of one unit at its peak rate; the device has one per element
  double se_cycles = 0;
  double vector_cycles = 0;
  std::vector<argument_counts> arguments;
  std::int64_t streamed[memory_count]{};  ///< bytes that the memories have delivered

  void count(const command& what, const lanes& on, const device_spec& spec) {
    if (what.code == op::dot) {
      multiply_accumulates += on.count;
      flops += 2 * on.count;
    } else if (is_arithmetic(what.code)) {
      flops += on.count;
    }
    const double work = static_cast<double>(on.count);
    if (what.where == unit::dpe) {
      dpe_cycles += work / static_cast<double>(dpe_rate(spec, what.type));
    } else if (what.where == unit::se) {
      se_cycles += work / static_cast<double>(se_rate(spec, what.code));
    } else if (what.where == unit::vector) {
      vector_cycles +=
          static_cast<double>(vector_work(what, on)) / spec.vector_rate(rate_type(what));
    }
  }

  void move(std::int16_t argument, const flight& moving, std::int64_t size, bool writes) {
    argument_counts& counts = arguments[static_cast<std::size_t>(argument)];
    (writes ? counts.written : counts.read)
        .add(moving.bytes, moving.low * size, (moving.high + 1) * size);
  }
};

/// What `amount` takes at `rate` a cycle; a rate of 0 belongs to a part that has had no work.
inline double cycles_at(double amount, double rate) { return amount == 0 ? 0 : amount / rate; }

/// The largest of the bounds that the work and the compulsory bytes set.
inline lower_bound roofline_of(const counters& sums, const traffic* memories,
                               const device_spec& spec) {
  const double elements = spec.pe_count();
  const lower_bound bounds[] = {
      {"DPE", sums.dpe_cycles / elements},
      {"SE", sums.se_cycles / elements},
      {"vector core", sums.vector_cycles / elements},
      {"SRAM", cycles_at(static_cast<double>(memories[0].compulsory()), spec.sram_bytes_per_cycle)},
      {"DRAM",
       cycles_at(static_cast<double>(memories[1].compulsory()), spec.dram_bytes_per_cycle())},
  };
  return *std::max_element(
      std::begin(bounds), std::end(bounds),
      [](const lower_bound& a, const lower_bound& b) { return a.cycles < b.cycles; });
}

/// The part of the device that was at work for the largest part of the run: a memory by the bytes
/// that it moved, a unit or a core's issuing by its busy cycles on the element that ended last, a
/// DMA unit by the time that its transfers would take if they had the memories for themselves.
inline share bottleneck_of(const report& result, const std::vector<pe_state>& pes,
                           const device_spec& spec) {
  if (result.cycles == 0) return {"nothing", 0};
  const double cycles = static_cast<double>(result.cycles);
  std::size_t last = 0;
  for (std::size_t pe = 1; pe < pes.size(); ++pe) {
    if (pes[pe].end > pes[last].end) last = pe;
  }
  const pe_report& element = result.pes[last];
  const auto issuing = [&](int core) {
    const std::int64_t own = core == spec.vector_core ? element.of(track::vector).busy : 0;
    return static_cast<double>(element.tracks[core].busy - own);
  };
  const auto unit_busy = [&](unit which) {
    return static_cast<double>(element.of(track_of(which)).busy);
  };
  const share shares[] = {
      {"DPE", unit_busy(unit::dpe) / cycles},
      {"SE", unit_busy(unit::se) / cycles},
      {"RE", unit_busy(unit::re) / cycles},
      {"vector core", unit_busy(unit::vector) / cycles},
      {"SRAM bandwidth",
       cycles_at(static_cast<double>(result.of(memory::sram).moved()), spec.sram_bytes_per_cycle) /
           cycles},
      {"DRAM bandwidth", cycles_at(static_cast<double>(result.of(memory::dram).moved()),
                                   spec.dram_bytes_per_cycle()) /
                             cycles},
      {"DMA in", static_cast<double>(pes[last].dma_cycles[0]) / cycles},
      {"DMA out", static_cast<double>(pes[last].dma_cycles[1]) / cycles},
      {"issue on core 0", issuing(0) / cycles},
      {"issue on core 1", issuing(1) / cycles},
  };
  return *std::max_element(std::begin(shares), std::end(shares),
                           [](const share& a, const share& b) { return a.part < b.part; });
}

/// Fills in the report of a run that has ended and checks it: every track's cycles add up to the
/// run's, the bytes that the commands asked for are those that the memories delivered, and no bound
/// is beaten.
inline report report_of(const device_spec& spec, std::int64_t programs,
                        const std::vector<memory>& places, std::vector<pe_state>& pes,
                        const counters& sums, std::vector<trace_slice> slices) {
  const auto broken = [](const char* what) {
    fail((std::string("model: internal error: ") + what).c_str());
  };
  report result;
  result.clock_ghz = spec.clock_ghz;
  result.launch_cycles =
      static_cast<std::int64_t>(spec.job_launch_us * 1000.0 * spec.clock_ghz + 0.5);
  result.programs = programs;
  result.commands = sums.commands;
  result.multiply_accumulates = sums.multiply_accumulates;
  result.flops = sums.flops;
  result.trace = std::move(slices);
  for (const pe_state& element : pes) result.cycles = std::max(result.cycles, element.end);

  for (pe_state& element : pes) {
    pe_report one;
    one.programs = element.programs;
    one.end = element.end;
    std::int64_t cores_end = 0;
    for (int core = 0; core < max_cores; ++core) {
      cores_end = std::max(cores_end, element.cores[core].time);
    }
    for (int u = static_cast<int>(unit::vector); u < unit_count; ++u) {
      unit_state& state = element.units[static_cast<std::size_t>(u)];
      // Without commands, a unit waits for the cores while they run, and idles afterwards.
      book_cycles(state, std::max(state.since, cores_end));
      state.account.idle = result.cycles - state.since;
      one.tracks[static_cast<int>(track_of(static_cast<unit>(u)))] = state.account;
    }
    for (int core = 0; core < max_cores; ++core) {
      cycle_account& account = element.cores[core].account;
      if (core == spec.vector_core) {
        // While its own work waits for tiles, the core stands still.
        account.data += one.of(track::vector).data;
        account.space += one.of(track::vector).space;
      }
      account.idle = result.cycles - element.cores[core].time;
      one.tracks[core] = account;
    }
    for (int t = 0; t < track_count; ++t) {
      if (one.tracks[t].total() != result.cycles) broken("cycles do not add up");
      result.totals[t].add(one.tracks[t]);
    }
    result.pes.push_back(one);
  }

  result.argument_memory = places;
  for (std::size_t at = 0; at < places.size(); ++at) {
    const argument_counts& counts = sums.arguments[at];
    const traffic bytes{counts.read.bytes, counts.written.bytes, counts.read.compulsory(),
                        counts.written.compulsory()};
    result.arguments.push_back(bytes);
    traffic& all = result.memories[static_cast<int>(places[at])];
    all.read += bytes.read;
    all.written += bytes.written;
    all.compulsory_read += bytes.compulsory_read;
    all.compulsory_written += bytes.compulsory_written;
  }
  for (int m = 0; m < memory_count; ++m) {
    if (sums.streamed[m] != result.memories[m].moved()) broken("bytes were lost");
    if (result.memories[m].moved() < result.memories[m].compulsory()) broken("bytes are missing");
  }

  result.roofline = roofline_of(sums, result.memories, spec);
  // Sums of quotients are exact to far less than a part in a million.
  if (static_cast<double>(result.cycles) < result.roofline.cycles * (1 - 1e-6)) {
    broken("the run beat the roofline");
  }
  result.bottleneck = bottleneck_of(result, pes, spec);
  return result;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI::model_detail
