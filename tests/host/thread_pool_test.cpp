#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <tilewright/host/thread_pool.hpp>
#include <vector>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {
std::atomic<int> threads_left{INT_MAX};
std::atomic<int> threads_ended{0};

struct thread_start {
  void* (*call)(void*);
  void* argument;
};
void* counted(void* what) {
  const std::unique_ptr<thread_start> start(static_cast<thread_start*>(what));
  void* result = start->call(start->argument);
  ++threads_ended;
  return result;
}
}  // namespace

/// Stands before the system's function of this name, and gives `threads_left` threads at most.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*call)(void*), void* argument) noexcept {
  if (threads_left-- <= 0) return EAGAIN;
  static const auto create =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  auto start = std::make_unique<thread_start>(thread_start{call, argument});
  const int error = create(thread, attributes, &counted, start.get());
  if (error == 0) static_cast<void>(start.release());
  return error;
}

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

TEST(ThreadPool, StopsWhatItHasWhenTheSystemGivesTooFewThreads) {
  threads_left = 2;
  threads_ended = 0;
  EXPECT_THROW(thread_pool(5), std::system_error);
  EXPECT_EQ(threads_ended, 2);
  threads_left = INT_MAX;
  EXPECT_EQ(thread_pool(5).concurrency(), 5);
}

/// Whether `body` returns true in a child process, within ten seconds.
template <class Body>
bool holds_in_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Whether a pool that was made before a fork runs 20 bodies on this thread and can be destroyed.
bool runs_serially(std::unique_ptr<thread_pool>& pool) {
  const std::thread::id here = std::this_thread::get_id();
  int runs = 0;
  pool->parallel_for(20, [&](std::int64_t) {
    if (std::this_thread::get_id() == here) ++runs;
  });
  const bool alone = runs == 20 && pool->concurrency() == 1;
  pool.reset();
  return alone;
}

TEST(ThreadPool, RunsSeriallyInAChildProcess) {
  auto pool = std::make_unique<thread_pool>(3);
  EXPECT_TRUE(holds_in_child([&] { return runs_serially(pool); }));
  // In this process it has its threads.
  EXPECT_EQ(pool->concurrency(), 3);
  std::atomic<int> runs{0};
  pool->parallel_for(100, [&](std::int64_t) { ++runs; });
  EXPECT_EQ(runs, 100);
}

TEST(ThreadPool, ForkDuringACallOfAnotherThread) {
  auto pool = std::make_unique<thread_pool>(3);
  std::atomic<int> present{0};
  std::atomic<bool> released{false};
  std::thread caller([&] {
    pool->parallel_for(3, [&](std::int64_t) {
      ++present;
      while (!released) std::this_thread::yield();
    });
  });
  while (present < 3) std::this_thread::yield();
  EXPECT_TRUE(holds_in_child([&] { return runs_serially(pool); }));
  released = true;
  caller.join();
}

}  // namespace
}  // namespace tilewright
