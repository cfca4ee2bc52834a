#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <tilewright/model/memory_system.hpp>
#include <vector>

#include "model/tiny_device.hpp"

namespace tilewright::model_detail {
namespace {

// The cycle in which each transfer ends, when transfers start at the times given.
struct start {
  std::int64_t time;
  std::int64_t bytes;
};
std::vector<std::int64_t> ends_of(shared_memory& memory, const std::vector<start>& starts) {
  std::vector<std::int64_t> ends(starts.size(), -1);
  std::size_t next = 0;
  std::size_t ended = 0;
  while (ended < starts.size()) {
    const std::int64_t end = memory.next_end();
    if (next < starts.size() && (end < 0 || starts[next].time <= end)) {
      memory.start(starts[next].time, starts[next].bytes, static_cast<std::uint32_t>(next));
      ++next;
    } else {
      memory.take_finished(end, [&](std::uint32_t which) {
        ends[which] = end;
        ++ended;
      });
    }
  }
  return ends;
}

device_spec engine(std::int32_t bytes_per_cycle, std::int32_t outstanding = 1 << 20) {
  device_spec spec = test::tiny_device();
  spec.dma_bytes_per_cycle = bytes_per_cycle;
  spec.dma_outstanding_bytes = outstanding;
  return spec;
}

using ends = std::vector<std::int64_t>;

TEST(SharedMemory, OneTransferIsBoundByItsEngine) {
  shared_memory memory(100, 10, engine(8));
  EXPECT_EQ(ends_of(memory, {{5, 80}}), ends{15});
  EXPECT_EQ(memory.streamed(), 80);
}

TEST(SharedMemory, CapsAreTheSmallestLimit) {
  EXPECT_EQ(shared_memory(100, 10, engine(8)).cap(), 8);
  EXPECT_EQ(shared_memory(3, 10, engine(8)).cap(), 3);
  EXPECT_EQ(shared_memory(100, 10, engine(8, 40)).cap(), 4);  // 40 bytes in flight over 10 cycles
  EXPECT_EQ(shared_memory(100, 0, engine(8, 40)).cap(), 8);
}

TEST(SharedMemory, ATransferAloneTakesWholeCycles) {
  EXPECT_EQ(shared_memory(100, 10, engine(8)).cycles_alone(80), 10);
  EXPECT_EQ(shared_memory(100, 10, engine(8)).cycles_alone(81), 11);
  EXPECT_EQ(shared_memory(0.25, 10, engine(8)).cycles_alone(3), 12);
  EXPECT_EQ(shared_memory(1.5, 10, engine(8)).cycles_alone(64), 43);  // 42.67
}

TEST(SharedMemory, EqualSharesWhileBothRun) {
  // 12 a cycle for two engines of 8: 6 each. The second ends at 8 with 48 bytes, the first has 48
  // of its 96 left and goes on at 8: 6 more.
  shared_memory memory(12, 0, engine(8));
  EXPECT_EQ(ends_of(memory, {{0, 96}, {0, 48}}), (ends{14, 8}));
}

TEST(SharedMemory, ALateComerSlowsTheOthers) {
  // Alone at 8 until 5 (40 of 80 bytes), then 5 a cycle each: 8 more cycles for the first. The
  // second has then 40 of 60 bytes and goes on at 8: 2.5 cycles, seen at the end of the third.
  shared_memory memory(10, 0, engine(8));
  EXPECT_EQ(ends_of(memory, {{0, 80}, {5, 60}}), (ends{13, 16}));
}

TEST(SharedMemory, EndsWithinACycleGiveTheRestToTheOthers) {
  // Three at 4 a cycle. The first ends at 2.5; the others have 10 of 25 and 10 of 40 then, and go
  // on at 6: the second ends 15 / 6 = 2.5 later, at exactly 5; the third has 15 left and goes on
  // at 8: 6.875, seen at 7.
  shared_memory memory(12, 0, engine(8));
  EXPECT_EQ(ends_of(memory, {{0, 10}, {0, 25}, {0, 40}}), (ends{3, 5, 7}));
}

TEST(SharedMemory, ManyEqualTransfersUseAllOfIt) {
  shared_memory memory(2048, 100, engine(64, 32768));
  std::vector<start> starts(64, start{7, 4096});
  const ends all = ends_of(memory, starts);
  // 64 * 4096 bytes at 2048 a cycle.
  for (const std::int64_t end : all) EXPECT_EQ(end, 7 + 128);
  EXPECT_EQ(memory.next_end(), -1);
}

// The shared clock against the definition itself: rates recomputed for every transfer in small
// steps of time.
TEST(SharedMemory, FollowsTheDefinition) {
  std::uint32_t random = 7;
  const auto below = [&](std::uint32_t limit) {
    random = random * 1664525u + 1013904223u;
    return static_cast<std::int64_t>((random >> 8) % limit);
  };
  for (int round = 0; round < 20; ++round) {
    std::vector<start> starts;
    std::int64_t time = 0;
    for (int i = 0; i < 12; ++i) {
      time += below(30);
      starts.push_back({time, 1 + below(400)});
    }
    shared_memory memory(20, 0, engine(8));
    const ends actual = ends_of(memory, starts);

    constexpr int steps = 1000;  // per cycle
    std::vector<double> left;
    for (const start& each : starts) left.push_back(static_cast<double>(each.bytes));
    ends expected(starts.size(), -1);
    std::vector<bool> sure(starts.size(), true);
    std::size_t done = 0;
    for (std::int64_t tick = 0; done < starts.size(); ++tick) {
      double active = 0;
      for (std::size_t i = 0; i < starts.size(); ++i) {
        if (starts[i].time * steps <= tick && left[i] > 0) ++active;
      }
      for (std::size_t i = 0; i < starts.size(); ++i) {
        if (starts[i].time * steps > tick || left[i] <= 0) continue;
        left[i] -= std::min(8.0, 20.0 / active) / steps;
        if (left[i] > 0) continue;
        expected[i] = tick / steps + 1;
        // Too close to a border between cycles for steps of this size.
        sure[i] = tick % steps > 20 && tick % steps < steps - 20;
        ++done;
      }
    }
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (!sure[i]) continue;
      EXPECT_EQ(actual[i], expected[i]) << "round " << round << ", transfer " << i;
    }
  }
}

}  // namespace
}  // namespace tilewright::model_detail
