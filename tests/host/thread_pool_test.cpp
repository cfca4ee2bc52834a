#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <thread>
#include <tilewright/host/thread_pool.hpp>
#include <vector>

namespace tilewright {
namespace {

TEST(ThreadPool, RunsEachBodyOnce) {
  for (const int threads : {1, 2, 5}) {
    thread_pool pool(threads);
    EXPECT_EQ(pool.concurrency(), threads);
    for (const std::int64_t count : {0, 1, 2, 3, 100, 5000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
      pool.parallel_for(count, [&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const std::atomic<int>& times : runs) ASSERT_EQ(times, 1);
    }
  }
}

TEST(ThreadPool, HasAThreadForEachOfTheMachinesUnlessTold) {
  const int machine = static_cast<int>(std::thread::hardware_concurrency());
  if (machine == 0) GTEST_SKIP() << "the machine does not say how many threads it has";
  for (const int threads : {0, -3}) EXPECT_EQ(thread_pool(threads).concurrency(), machine);
}

TEST(ThreadPool, UsesItsThreads) {
  thread_pool pool(2);
  // Each body waits for the other: one thread alone would wait for ever.
  std::atomic<int> present{0};
  pool.parallel_for(2, [&](std::int64_t) {
    ++present;
    while (present < 2) std::this_thread::yield();
  });
  EXPECT_EQ(present, 2);
}

TEST(ThreadPool, ExceptionsReachTheCallerAndSkipTheRest) {
  thread_pool pool(3);
  std::atomic<int> runs{0};
  const auto body = [&](std::int64_t i) {
    ++runs;
    if (i == 3) throw std::runtime_error("body 3");
  };
  try {
    pool.parallel_for(1000000, body);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "body 3");
  }
  EXPECT_LT(runs, 1000000);
  runs = 0;
  pool.parallel_for(3, body);
  EXPECT_EQ(runs, 3);
}

TEST(ThreadPool, CallsFromBodiesRunWhereTheyAreMade) {
  thread_pool pool(3);
  std::atomic<int> runs{0};
  pool.parallel_for(10, [&](std::int64_t) {
    const std::thread::id here = std::this_thread::get_id();
    pool.parallel_for(10, [&](std::int64_t) {
      if (std::this_thread::get_id() == here) ++runs;
    });
  });
  EXPECT_EQ(runs, 100);
}

TEST(ThreadPool, CallersTakeTurns) {
  thread_pool pool(2);
  std::atomic<std::int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        pool.parallel_for(20, [&](std::int64_t i) { sum += i; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 50 * 190);
}

}  // namespace
}  // namespace tilewright
