// What every suite prints and writes: a table of rows, build/bench/NAME.json, and a closing line.
#pragma once

#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::bench {

/// Ratios below a target by less than this count as equal to it: from one process to the next the
/// same code differs by that much, since its memory lies elsewhere.
inline constexpr double resolution = 0.01;

/// One result. `ratio` is how many times better than the baseline the value is (above 1 is better),
/// taken in the same run; a row without a target is for information.
struct row {
  std::string name;
  double value = 0;
  std::string unit;
  double spread = 0;  ///< 10th to 90th percentile as a part of the median; 0 for exact values
  std::string baseline;
  double baseline_value = 0;
  double ratio = 0;
  double error = 0;  ///< standard error of the ratio, as a part of it
  std::optional<double> target;

  bool met() const { return target && ratio >= *target - resolution; }
};

/// Prints the rows, writes build/bench/`suite`.json below the current folder, and returns the
/// closing line's count of targets that were missed.
inline int finish(const std::string& suite, const std::vector<row>& rows) {
  std::printf("%-34s %12s %-10s %7s  %-18s %12s %7s %7s %7s\n", "name", "value", "unit", "spread",
              "baseline", "its value", "ratio", "+-", "target");
  int targets = 0;
  int met = 0;
  for (const row& r : rows) {
    std::printf("%-34s %12.2f %-10s %6.1f%%  %-18s %12.2f %6.3fx %5.1f%% ", r.name.c_str(), r.value,
                r.unit.c_str(), 100 * r.spread, r.baseline.c_str(), r.baseline_value, r.ratio,
                100 * r.error);
    if (r.target) {
      std::printf("%6.2fx %s\n", *r.target, r.met() ? "met" : "MISSED");
      ++targets;
      met += r.met() ? 1 : 0;
    } else {
      std::printf("%7s\n", "-");
    }
  }
  std::ofstream json("build/bench/" + suite + ".json");
  json << "[\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const row& r = rows[i];
    json << "  {\"name\": \"" << r.name << "\", \"value\": " << r.value << ", \"unit\": \""
         << r.unit << "\", \"spread\": " << r.spread << ", \"baseline\": \"" << r.baseline
         << "\", \"baseline_value\": " << r.baseline_value << ", \"ratio\": " << r.ratio
         << ", \"error\": " << r.error << ", \"target\": ";
    if (r.target) {
      json << *r.target << ", \"met\": " << (r.met() ? "true" : "false");
    } else {
      json << "null, \"met\": null";
    }
    json << (i + 1 < rows.size() ? "},\n" : "}\n");
  }
  json << "]\n";
  std::printf("%s: %d of %d targets met\n", suite.c_str(), met, targets);
  return targets - met;
}

}  // namespace tilewright::bench
