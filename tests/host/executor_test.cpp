#include <gtest/gtest.h>

#include <cstdint>
#include <tilewright/host/executor.hpp>
#include <tilewright/host/thread_pool.hpp>
#include <vector>

namespace tilewright {
namespace {

static_assert(Executor<serial_executor>);
static_assert(Executor<thread_pool>);
static_assert(!Executor<int>);

TEST(SerialExecutor, RunsInOrder) {
  serial_executor serial;
  std::vector<std::int64_t> order;
  serial.parallel_for(5, [&](std::int64_t i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  serial.parallel_for(0, [](std::int64_t) { ADD_FAILURE(); });
  EXPECT_EQ(serial.concurrency(), 1);
}

}  // namespace
}  // namespace tilewright
