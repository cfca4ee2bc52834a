// Timing of several implementations of the same thing, in turn.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::bench {

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

}  // namespace tilewright::bench
