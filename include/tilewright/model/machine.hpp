// The state of the modelled device: queues, circular buffers, cores and units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <tilewright/config.hpp>
#include <tilewright/model/memory_box.hpp>
#include <tilewright/model/report.hpp>
#include <tilewright/program/program.hpp>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI::model_detail {

/// A command between its issue and its completion.
struct flight {
  std::int32_t pe = 0;
  command_index command = -1;
  std::uint8_t core = 0;
  std::int64_t issued = 0;
  std::int64_t started = 0;
  std::int64_t program = 0;
  std::int64_t busy = 0;   ///< cycles for which it keeps its unit; of DMA those of filling alone
  std::int64_t bytes = 0;  ///< of DMA: bytes that go through the memory
  std::int64_t low = 0;    ///< of DMA: lowest and highest element touched
  std::int64_t high = -1;
  std::int64_t tiles[3]{};  ///< tile number of each use
  std::int64_t output = 0;  ///< tile number of the output
  /// Position among the readers (the writers) of its buffer, in the order of issue.
  std::uint64_t readers[3]{};
  std::uint64_t writer = 0;
  /// In-place and other commands that read the slot of each tile and were issued before.
  std::uint32_t rewrites_before[3]{};
  std::uint32_t readers_before[3]{};
};

/// A transfer under way whose order among those of its program counts.
struct ordered_transfer {
  std::uint32_t flight = 0;
  std::int64_t program = 0;
  std::int16_t argument = -1;
  bool stores = false;
  memory_box bytes{};
};

/// A tile that a command reads.
struct tile_use {
  std::int8_t slot = 0;  ///< which of the inputs
  buffer_index buffer = -1;
  std::int16_t ahead = 0;
  bool pops = false;
};

/// What is the same for every issue of a command.
struct command_facts {
  tile_use uses[3]{};
  int use_count = 0;
  buffer_index output = -1;  ///< the buffer written at its write pointer; -1 for in-place commands
  bool pushes = false;
  int rewritten = -1;  ///< of an in-place command the position in `uses` of what it rewrites
  bool transfers = false;
  bool ordered =
      false;  ///< a transfer of memory that the program both stores to and uses otherwise
  std::int64_t latency = 0;       ///< from the end of the work to the result; of DMA the memory's
  std::int64_t issue_cycles = 0;  ///< of the core, pointer updates included
};

/// Commands that finish in any order but take effect in the order of issue.
class ordered_effects {
 public:
  /// Notes one more command; `moves` when it moves the pointer. Returns its position.
  std::uint64_t issue(bool moves) {
    if (tail_ - head_ == flags_.size()) grow();
    flags_[tail_ & (flags_.size() - 1)] = moves ? 2 : 0;
    return tail_++;
  }
  void finish(std::uint64_t position) { flags_[position & (flags_.size() - 1)] |= 1; }
  /// Number of pointer moves that take effect, at most `limit`.
  std::int64_t take(std::int64_t limit) {
    std::int64_t moved = 0;
    for (; head_ != tail_; ++head_) {
      const std::uint8_t flags = flags_[head_ & (flags_.size() - 1)];
      if ((flags & 1) == 0 || ((flags & 2) != 0 && moved == limit)) break;
      moved += flags >> 1;
    }
    return moved;
  }

 private:
  void grow() {
    std::vector<std::uint8_t> larger(flags_.size() * 2);
    for (std::uint64_t at = head_; at != tail_; ++at) {
      larger[at & (larger.size() - 1)] = flags_[at & (flags_.size() - 1)];
    }
    flags_.swap(larger);
  }

  std::vector<std::uint8_t> flags_ = std::vector<std::uint8_t>(16);
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
};

/// Counts of the commands on one slot of a buffer that has in-place commands.
struct slot_counts {
  std::uint32_t readers_issued = 0;
  std::uint32_t readers_done = 0;
  std::uint32_t rewrites_issued = 0;
  std::uint32_t rewrites_done = 0;
};

/// A circular buffer of one processing element. A tile is pushed and popped first in the order of
/// issue, which numbers the tiles, and later in effect.
struct buffer_state {
  std::int64_t pushes_issued = 0;
  std::int64_t pops_issued = 0;
  std::int64_t pushed = 0;
  std::int64_t popped = 0;
  ordered_effects readers;
  ordered_effects writers;
  std::vector<slot_counts> slots;  ///< empty when no command rewrites tiles of this buffer
  std::uint32_t waiting = 0;       ///< units whose next command waits for this buffer, one bit each
  /// Tiles that had moved at the end of each program that one of the buffer's two cores has left and
  /// the other has not.
  std::deque<std::int64_t> moved_ahead;
  std::int64_t balanced = 0;  ///< tiles pushed, and popped, by the programs that both cores left
};

/// The core that issues all commands which write a buffer, and the one of all that read it; -1 for
/// none.
struct buffer_ends {
  int writer = -1;
  int reader = -1;
};

inline slot_counts& slot_of(buffer_state& ring, std::int64_t tile) {
  return ring.slots[static_cast<std::size_t>(tile) % ring.slots.size()];
}

/// Why a unit does not work.
enum class stall : std::uint8_t { none, data, space, issue };

/// Commands of one core at one unit, in order of issue.
class flight_queue {
 public:
  explicit flight_queue(std::int32_t depth) : items_(static_cast<std::size_t>(depth)) {}
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == items_.size(); }
  std::uint32_t front() const { return items_[head_]; }
  void push(std::uint32_t which) { items_[(head_ + count_++) % items_.size()] = which; }
  void pop() {
    head_ = (head_ + 1) % items_.size();
    --count_;
  }

 private:
  std::vector<std::uint32_t> items_;
  std::size_t head_ = 0;
  std::size_t count_ = 0;
};

struct unit_state {
  std::vector<flight_queue> queues;  ///< one per core
  bool working = false;
  bool queued = false;         ///< is on the list of units to try
  stall why = stall::issue;    ///< none while it works
  std::int64_t since = 0;      ///< start of the present state
  std::int64_t last_end = -1;  ///< when its last command ended
  std::int64_t next_wake = -1;
  cycle_account account{};
};

struct core_state {
  enum class status : std::uint8_t { running, queue_full, at_work, ended };
  status is = status::running;
  unit full_unit = unit::vector;  ///< whose queue is full
  bool prepared = false;          ///< the command at `at` is set up, but not in its queue yet
  std::int64_t time = 0;          ///< the core's own clock, ahead of the units'
  std::int32_t at = 0;            ///< next instruction
  std::int64_t nth = -1;          ///< which of the element's programs
  std::int64_t program = 0;
  std::vector<std::uint64_t> registers;
  cycle_account account{};
};

/// A processing element.
struct pe_state {
  std::int64_t programs = 0;
  core_state cores[max_cores];
  std::vector<unit_state> units;  ///< by `unit`
  std::vector<buffer_state> buffers;
  std::vector<std::byte> local;
  std::vector<std::byte> re;
  std::vector<ordered_transfer> ordered;  ///< in the order of issue
  std::uint32_t order_waiting = 0;        ///< units whose next command waits for one of them
  std::int64_t end = 0;                   ///< latest time of a core or of a completion
  std::int64_t dma_cycles[2]{};           ///< what loads and stores would take alone on the device
};

/// Ends the present state of a unit at `now` and books its cycles.
inline void book_cycles(unit_state& state, std::int64_t now) {
  const std::int64_t cycles = now - state.since;
  state.since = now;
  switch (state.why) {
    case stall::none: state.account.busy += cycles; break;
    case stall::data: state.account.data += cycles; break;
    case stall::space: state.account.space += cycles; break;
    case stall::issue: state.account.issue += cycles; break;
  }
}

}  // namespace tilewright::inline TILEWRIGHT_ABI::model_detail
