// The model's clock: events in order of time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <tilewright/config.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::model_detail {

/// Something that happens at a time. `index` says to what; its meaning depends on `what`.
struct event {
  enum class kind : std::uint8_t {
    wake,         ///< unit `index` may find its next command issued
    unit_free,    ///< unit `index` has finished streaming flight `flight`
    complete,     ///< flight `flight` has its result
    release,      ///< reader record `flight` of buffer `index` is done
    memory_wake,  ///< memory `index` may have finished a transfer
  };
  std::int64_t time = 0;
  std::uint64_t order = 0;
  kind what = kind::wake;
  std::uint32_t index = 0;
  std::uint64_t flight = 0;
};

/// Earliest event first; events of one time in the order in which they were added, so that a run
/// is the same every time.
class event_queue {
 public:
  bool empty() const { return heap_.empty(); }
  std::int64_t next_time() const { return heap_.front().time; }
  std::uint64_t added() const { return added_; }

  void add(event::kind what, std::int64_t time, std::uint32_t index, std::uint64_t flight = 0) {
    heap_.push_back({time, added_++, what, index, flight});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  event take() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const event first = heap_.back();
    heap_.pop_back();
    return first;
  }

 private:
  static bool later(const event& left, const event& right) {
    return left.time != right.time ? left.time > right.time : left.order > right.order;
  }

  std::vector<event> heap_;
  std::uint64_t added_ = 0;
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::model_detail
