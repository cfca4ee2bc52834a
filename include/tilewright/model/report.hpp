// What a run on the modelled device tells.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <tilewright/config.hpp>
#include <tilewright/ir/op_table.hpp>
#include <tilewright/ir/unit.hpp>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI {

/// What of a processing element has cycles of its own: its cores and its units.
enum class track : std::uint8_t { core_0, core_1, vector, dma_in, dma_out, dpe, re, se, mlu };
inline constexpr int track_count = 9;

constexpr const char* name_of(track which) {
  switch (which) {
    case track::core_0: return "core 0";
    case track::core_1: return "core 1";
    case track::vector: return name_of(unit::vector);
    case track::dma_in: return name_of(unit::dma_in);
    case track::dma_out: return name_of(unit::dma_out);
    case track::dpe: return name_of(unit::dpe);
    case track::re: return name_of(unit::re);
    case track::se: return name_of(unit::se);
    case track::mlu: return name_of(unit::mlu);
  }
  return "?";
}
/// The track of a unit other than `unit::core`.
constexpr track track_of(unit which) { return static_cast<track>(static_cast<int>(which) + 1); }
static_assert(track_of(unit::vector) == track::vector && track_of(unit::mlu) == track::mlu);

/// Where every cycle of a track went; the five add up to the cycles of the run.
struct cycle_account {
  std::int64_t busy = 0;   ///< at work; of a core: instructions, and its vector unit's work
  std::int64_t data = 0;   ///< the next command waits for a tile to be pushed or rewritten
  std::int64_t space = 0;  ///< the next command waits for a tile to be popped; of a core: also
                           ///< for room in a unit's queue
  std::int64_t issue = 0;  ///< no command is issued yet, but a core still runs (not of cores)
  std::int64_t idle = 0;   ///< both cores have ended and no command is left

  constexpr std::int64_t total() const { return busy + data + space + issue + idle; }
  constexpr void add(const cycle_account& other) {
    busy += other.busy;
    data += other.data;
    space += other.space;
    issue += other.issue;
    idle += other.idle;
  }
};

/// One processing element.
struct pe_report {
  cycle_account tracks[track_count]{};
  std::int64_t programs = 0;
  std::int64_t end = 0;  ///< cycle in which its last command was complete and its cores had ended

  const cycle_account& of(track which) const { return tracks[static_cast<int>(which)]; }
};

/// The memories that are outside of the processing elements.
enum class memory : std::uint8_t { sram, dram };
inline constexpr int memory_count = 2;
constexpr const char* name_of(memory which) { return which == memory::sram ? "SRAM" : "DRAM"; }

/// Bytes that went to and from a memory or an argument. The compulsory bytes are those that any
/// program must move: each touched byte once, taken as min(bytes moved, touched address range).
struct traffic {
  std::int64_t read = 0;
  std::int64_t written = 0;
  std::int64_t compulsory_read = 0;
  std::int64_t compulsory_written = 0;

  constexpr std::int64_t moved() const { return read + written; }
  constexpr std::int64_t compulsory() const { return compulsory_read + compulsory_written; }
};

/// A part of the device and the share of the run that it was at work.
struct share {
  const char* name = "";
  double part = 0;
};

/// A least number of cycles for the work that a run has done.
struct lower_bound {
  const char* name = "";
  double cycles = 0;
};

/// One stretch of work, for traces.
struct trace_slice {
  std::int32_t pe = 0;
  track where = track::core_0;  ///< vector work is on its core's track
  bool issue = false;           ///< a core issuing the command, not the unit doing it
  op code = op::copy;
  std::int32_t line = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t program = 0;  ///< program id
};

/// The outcome of a run.
struct report {
  std::int64_t cycles = 0;         ///< from the first instruction to the last completion
  std::int64_t launch_cycles = 0;  ///< of the job launch, not part of `cycles`
  double clock_ghz = 0;
  std::int64_t programs = 0;
  std::int64_t commands = 0;
  std::vector<pe_report> pes;
  cycle_account totals[track_count]{};  ///< of all processing elements
  traffic memories[memory_count]{};
  std::vector<traffic> arguments;         ///< by position; of scalars all zero
  std::vector<memory> argument_memory;    ///< where each pointer argument lay
  std::int64_t multiply_accumulates = 0;  ///< of all dots, inside their extents
  std::int64_t flops = 0;  ///< two per multiply-accumulate, one per element operation

  lower_bound roofline{};  ///< the largest of the bounds, with what sets it
  share bottleneck{};      ///< the part of the device that was at work for most of the run
  std::vector<trace_slice> trace;

  double seconds() const { return static_cast<double>(cycles) / (clock_ghz * 1e9); }
  /// Part of the roofline that was reached, 0 to 1; 1 for a run without work.
  double roofline_part() const {
    return cycles == 0 ? 1.0 : roofline.cycles / static_cast<double>(cycles);
  }
  const cycle_account& of(track which) const { return totals[static_cast<int>(which)]; }
  const traffic& of(memory which) const { return memories[static_cast<int>(which)]; }
};

/// The report as lines of text.
inline std::string summary_of(const report& result) {
  std::string text;
  char line[160];
  const auto print = [&](const char* format, auto... values) {
    std::snprintf(line, sizeof(line), format, values...);
    text += line;
  };
  print("%lld cycles (%.3f us at %.2f GHz), %lld programs, %lld commands\n",
        static_cast<long long>(result.cycles), result.seconds() * 1e6, result.clock_ghz,
        static_cast<long long>(result.programs), static_cast<long long>(result.commands));
  print("roofline: %.0f cycles (%s), %.1f %% reached\n", result.roofline.cycles,
        result.roofline.name, 100 * result.roofline_part());
  print("bottleneck: %s, at work %.1f %% of the time\n", result.bottleneck.name,
        100 * result.bottleneck.part);
  for (int m = 0; m < memory_count; ++m) {
    const traffic& bytes = result.memories[m];
    print("%s: %lld bytes read (%lld compulsory), %lld written (%lld compulsory)\n",
          name_of(static_cast<memory>(m)), static_cast<long long>(bytes.read),
          static_cast<long long>(bytes.compulsory_read), static_cast<long long>(bytes.written),
          static_cast<long long>(bytes.compulsory_written));
  }
  print("%-12s %7s %7s %7s %7s %7s\n", "% of cycles", "busy", "data", "space", "issue", "idle");
  for (int t = 0; t < track_count; ++t) {
    const cycle_account& account = result.totals[t];
    const double whole = account.total() == 0 ? 1.0 : static_cast<double>(account.total()) / 100;
    print("%-12s %7.1f %7.1f %7.1f %7.1f %7.1f\n", name_of(static_cast<track>(t)),
          static_cast<double>(account.busy) / whole, static_cast<double>(account.data) / whole,
          static_cast<double>(account.space) / whole, static_cast<double>(account.issue) / whole,
          static_cast<double>(account.idle) / whole);
  }
  return text;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
