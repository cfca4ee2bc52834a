// A run as a Chrome Trace, which Perfetto (ui.perfetto.dev) and chrome://tracing open.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <tilewright/config.hpp>
#include <tilewright/model/report.hpp>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI {

/// The slices of `result` (of a run with `model_options::trace`) as Chrome Trace JSON: a process
/// per processing element with a track per core and unit; a slice is named after the operation and
/// its source line, on a core's track also when it only issues the command. Vector work is on its
/// core's track. Times are in microseconds.
inline std::string trace_json(const report& result) {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  char line[320];
  bool first = true;
  const auto print = [&](const char* format, auto... values) {
    const int size = std::snprintf(line, sizeof(line), format, values...);
    text += first ? "\n" : ",\n";
    text.append(line, static_cast<std::size_t>(size));
    first = false;
  };
  std::vector<bool> named(result.pes.size());
  for (const trace_slice& slice : result.trace) {
    const std::size_t pe = static_cast<std::size_t>(slice.pe);
    if (!named[pe]) {
      named[pe] = true;
      print("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"PE %d\"}}",
            slice.pe, slice.pe);
      for (int t = 0; t < track_count; ++t) {
        if (static_cast<track>(t) == track::vector) continue;  // shown on the core's track
        print(
            "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,"
            "\"args\":{\"name\":\"%s\"}}",
            slice.pe, t, name_of(static_cast<track>(t)));
        print(
            "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%d,\"tid\":%d,"
            "\"args\":{\"sort_index\":%d}}",
            slice.pe, t, t);
      }
    }
    const double microseconds = 1e-3 / result.clock_ghz;
    const char* const kind = slice.issue                    ? "issue"
                             : slice.where <= track::core_1 ? name_of(track::vector)
                                                            : name_of(slice.where);
    print(
        "{\"ph\":\"X\",\"name\":\"%s%s@%d\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%.6f,"
        "\"dur\":%.6f,\"args\":{\"program\":%lld,\"start_cycle\":%lld,\"cycles\":%lld}}",
        slice.issue ? "issue " : "", name_of(slice.code), static_cast<int>(slice.line), kind,
        slice.pe, static_cast<int>(slice.where), static_cast<double>(slice.start) * microseconds,
        static_cast<double>(slice.end - slice.start) * microseconds,
        static_cast<long long>(slice.program), static_cast<long long>(slice.start),
        static_cast<long long>(slice.end - slice.start));
  }
  text += "\n]}\n";
  return text;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
