#include <gtest/gtest.h>

#include <cstdint>
#include <tilewright/model/machine.hpp>

namespace tilewright::model_detail {
namespace {

constexpr std::int64_t any = INT64_MAX;

TEST(OrderedEffects, TakeEffectInTheOrderOfIssue) {
  ordered_effects effects;
  const auto first = effects.issue(true);
  const auto second = effects.issue(false);
  const auto third = effects.issue(true);
  effects.finish(third);
  effects.finish(second);
  EXPECT_EQ(effects.take(any), 0);  // the first is not done
  effects.finish(first);
  EXPECT_EQ(effects.take(any), 2);
  EXPECT_EQ(effects.take(any), 0);
}

TEST(OrderedEffects, StopAtTheLimit) {
  ordered_effects effects;
  for (int i = 0; i < 3; ++i) effects.finish(effects.issue(true));
  effects.finish(effects.issue(false));
  EXPECT_EQ(effects.take(0), 0);
  EXPECT_EQ(effects.take(2), 2);
  EXPECT_EQ(effects.take(2), 1);
}

TEST(OrderedEffects, GrowWithoutLosingTheirPlace) {
  ordered_effects effects;
  std::uint64_t oldest = 0;
  std::uint64_t issued = 0;
  std::int64_t moved = 0;
  // The number outstanding goes up to 200 while the positions wrap around.
  for (std::uint64_t outstanding = 1; outstanding <= 200; ++outstanding) {
    while (issued - oldest < outstanding) EXPECT_EQ(effects.issue(true), issued++);
    for (int i = 0; i < 3 && oldest < issued; ++i) effects.finish(oldest++);
    moved += effects.take(any);
    EXPECT_EQ(moved, static_cast<std::int64_t>(oldest));
  }
}

TEST(FlightQueue, IsFirstInFirstOutAndBounded) {
  flight_queue queue(3);
  std::uint32_t in = 0;
  std::uint32_t out = 0;
  for (int round = 0; round < 5; ++round) {
    while (!queue.full()) queue.push(in++);
    EXPECT_EQ(in - out, 3u);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(queue.front(), out++);
      queue.pop();
    }
  }
  EXPECT_FALSE(queue.empty());
  EXPECT_EQ(queue.front(), out);
  queue.pop();
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace tilewright::model_detail
