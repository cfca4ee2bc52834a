// What every suite prints and writes: a table of rows, build/bench/NAME.json, and a closing line.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <utility>
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

/// Something that is timed, in seconds a call.
struct contestant {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds = {};
};

inline double percentile(std::vector<double> values, double part) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Implementations of the same thing, timed in turn: what disturbs the machine disturbs all of them.
///
/// A round times each of them once, in an order that changes, and in as many calls as take
/// `round_seconds`. `before_round` is called before each round.
class contest {
 public:
  contest(
      std::string name, std::vector<contestant> contestants,
      std::function<void()> before_round = [] {})
      : name_(std::move(name)),
        contestants_(std::move(contestants)),
        before_round_(std::move(before_round)) {}

  /// Makes it a benchmark of its name. The contest must live until that has run.
  void enter() {
    benchmark::RegisterBenchmark(name_.c_str(), [this](benchmark::State& state) {
      for (auto _ : state) state.SetIterationTime(round());
    })->UseManualTime();
  }

  const std::string& name() const { return name_; }
  bool has_run() const { return !contestants_[0].seconds.empty(); }
  std::size_t size() const { return contestants_.size(); }
  const contestant& operator[](std::size_t which) const { return contestants_[which]; }

  double median(std::size_t which) const { return percentile(contestants_[which].seconds, 0.5); }
  double spread(std::size_t which) const {
    const std::vector<double>& all = contestants_[which].seconds;
    return (percentile(all, 0.9) - percentile(all, 0.1)) / median(which);
  }

  struct estimate {
    double ratio = 0;
    double error = 0;  ///< standard error, as a part of the ratio
  };
  /// How many times as long as the first contestant another one takes, over all rounds in which
  /// neither was interrupted: took twice its median.
  estimate ratio_to_first(std::size_t other) const {
    const std::vector<double>& mine = contestants_[0].seconds;
    const std::vector<double>& theirs = contestants_[other].seconds;
    const double most_mine = 2 * median(0);
    const double most_theirs = 2 * median(other);
    double sum_mine = 0, sum_theirs = 0, rounds = 0;
    double mean = 0, squares = 0;  // of the logarithms of ratios
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (mine[i] > most_mine || theirs[i] > most_theirs) continue;
      sum_mine += mine[i];
      sum_theirs += theirs[i];
      const double logarithm = std::log(theirs[i] / mine[i]);
      rounds += 1;
      mean += logarithm;
      squares += logarithm * logarithm;
    }
    mean /= rounds;
    const double variance = std::max(squares / rounds - mean * mean, 0.0);
    return {sum_theirs / sum_mine, std::sqrt(variance / std::max(rounds - 1, 1.0))};
  }

 private:
  static constexpr double round_seconds = 1e-4;

  static double time(const std::function<void()>& work, int calls) {
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) {
      work();
      benchmark::ClobberMemory();
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  double round() {
    if (calls_ == 0) {
      for (contestant& c : contestants_) c.run();
      const double once = time(contestants_[0].run, 1);
      calls_ = std::max(1, static_cast<int>(round_seconds / once));
    }
    before_round_();
    double total = 0;
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      contestant& c = contestants_[(i + rounds_) % contestants_.size()];
      const double seconds = time(c.run, calls_);
      c.seconds.push_back(seconds / calls_);
      total += seconds;
    }
    ++rounds_;
    return total;
  }

  std::string name_;
  std::vector<contestant> contestants_;
  std::function<void()> before_round_;
  int calls_ = 0;
  std::size_t rounds_ = 0;
};

/// Says on stderr that something happens; the suite prints its own table.
class progress : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override { std::fprintf(stderr, "."); }
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
