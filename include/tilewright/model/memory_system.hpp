// A memory whose bandwidth all transfers share fairly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tilewright/config.hpp>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/error.hpp>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI::model_detail {

/// Bandwidth shared by the transfers that are active at a time: each gets the same rate,
/// min(cap, bandwidth / active), where the cap is what one DMA engine can sustain:
/// min(dma_bytes_per_cycle, dma_outstanding_bytes / latency), the latter by Little's law.
///
/// As all rates are equal, one clock of "bytes that each transfer has received" (`received_`)
/// serves for all: a transfer of b bytes that starts when the clock shows v ends when it shows
/// v + b. So a change of rate costs nothing per transfer, and an event O(log active).
class shared_memory {
 public:
  shared_memory(double bytes_per_cycle, std::int64_t latency, const device_spec& spec)
      : bandwidth_(bytes_per_cycle),
        cap_(std::min({static_cast<double>(spec.dma_bytes_per_cycle), bytes_per_cycle,
                       latency > 0 ? static_cast<double>(spec.dma_outstanding_bytes) /
                                         static_cast<double>(latency)
                                   : static_cast<double>(spec.dma_bytes_per_cycle)})),
        latency_(latency) {}

  /// Cycles from the end of a transfer's stream to the arrival of its last byte. The latencies of
  /// successive transfers overlap.
  std::int64_t latency() const { return latency_; }
  /// Bytes per cycle, of all transfers together and of one at most.
  double bandwidth() const { return bandwidth_; }
  double cap() const { return cap_; }
  /// Cycles for which `bytes` stream when nothing else does.
  std::int64_t cycles_alone(std::int64_t bytes) const {
    return whole(static_cast<double>(bytes) / cap_);
  }
  /// Bytes of all transfers that have ended.
  std::int64_t streamed() const { return streamed_; }

  /// Starts a transfer at `now`.
  void start(std::int64_t now, std::int64_t bytes, std::uint32_t flight) {
    advance(now);
    active_.push_back({received_ + static_cast<double>(bytes), order_++, bytes, flight});
    std::push_heap(active_.begin(), active_.end(), later);
  }

  /// The cycle in which the next transfer ends if none is started before; -1 when none is active.
  std::int64_t next_end() const {
    if (!done_.empty()) return whole(time_);
    return active_.empty() ? -1 : whole(end_of_first());
  }

  /// Calls `each(flight)` for every transfer that has ended by `now`, in the order of their ends.
  template <class Each>
  void take_finished(std::int64_t now, Each&& each) {
    advance(now);
    // `each` may start transfers here, but those of this call are all known by now.
    taken_.swap(done_);
    for (const std::uint32_t flight : taken_) each(flight);
    taken_.clear();
  }

 private:
  struct transfer {
    double end = 0;  // reading of `received_`
    std::uint64_t order = 0;
    std::int64_t bytes = 0;
    std::uint32_t flight = 0;
  };
  // Sums of bytes and quotients are exact to far less than this part of a cycle.
  static constexpr double rounding = 1e-6;

  static std::int64_t whole(double cycles) {
    // Up to here a double counts single cycles.
    constexpr double most = 9007199254740992;
    if (!(cycles < most)) fail("model: a transfer takes more cycles than the model can count");
    return static_cast<std::int64_t>(std::ceil(cycles - rounding));
  }
  static bool later(const transfer& left, const transfer& right) {
    return left.end != right.end ? left.end > right.end : left.order > right.order;
  }
  double rate() const { return std::min(cap_, bandwidth_ / static_cast<double>(active_.size())); }
  double end_of_first() const { return time_ + (active_.front().end - received_) / rate(); }

  /// Moves the clocks to `now`, through each end of a transfer at its own (fractional) time.
  void advance(std::int64_t now) {
    const double target = static_cast<double>(now);
    while (!active_.empty()) {
      const double end = end_of_first();
      if (end > target + rounding) {
        received_ += rate() * std::max(0.0, target - time_);
        break;
      }
      received_ = active_.front().end;
      time_ = std::max(time_, end);
      streamed_ += active_.front().bytes;
      done_.push_back(active_.front().flight);
      std::pop_heap(active_.begin(), active_.end(), later);
      active_.pop_back();
    }
    if (active_.empty()) received_ = 0;
    time_ = target;
  }

  double bandwidth_;
  double cap_;
  std::int64_t latency_;
  std::int64_t streamed_ = 0;
  double time_ = 0;
  double received_ = 0;
  std::uint64_t order_ = 0;
  std::vector<transfer> active_;
  std::vector<std::uint32_t> done_;
  std::vector<std::uint32_t> taken_;
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::model_detail
