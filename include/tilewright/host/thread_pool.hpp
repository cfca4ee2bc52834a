// An executor with threads of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <tilewright/config.hpp>
#include <tilewright/host/executor.hpp>
#include <type_traits>
#include <vector>

#include <unistd.h>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Runs bodies on `threads` threads, the caller's being one of them. Threads wait between calls.
/// Calls from several threads at a time take turns; a call from inside a body runs on the thread
/// that makes it. The first exception of a body is rethrown to the caller, and bodies that have not
/// begun by then are left out.
///
/// After a fork, the pool runs bodies on the caller's thread in the child, where the others are not.
class thread_pool {
 public:
  /// `threads` of 0 or less means as many as the machine has. Throws std::system_error when the
  /// system does not give that many.
  explicit thread_pool(int threads = 0) {
    int wanted = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
    if (wanted < 1) wanted = 1;
    team_->start(wanted - 1);
  }
  ~thread_pool() {
    // A team cannot be taken apart without its threads: its condition variables wait for them.
    if (forked()) static_cast<void>(team_.release());
  }
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  int concurrency() const { return forked() ? 1 : team_->size() + 1; }

  template <class Body>
  void parallel_for(std::int64_t count, Body&& body) {
    if (count <= 0) return;
    if (count == 1 || team::inside() || concurrency() == 1) {
      for (std::int64_t i = 0; i < count; ++i) body(i);
      return;
    }
    using plain = std::remove_reference_t<Body>;
    job work_to_do;
    work_to_do.count = count;
    work_to_do.body = const_cast<void*>(static_cast<const void*>(&body));
    work_to_do.call = [](void* what, std::int64_t index) { (*static_cast<plain*>(what))(index); };
    team_->run(work_to_do);
  }

 private:
  struct job {
    std::int64_t count = 0;
    void* body = nullptr;
    void (*call)(void*, std::int64_t) = nullptr;
    std::atomic<std::int64_t> next{0};
    std::exception_ptr error;  // guarded by the team's mutex
  };

  /// The threads beside the caller's.
  class team {
   public:
    team() = default;
    ~team() {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
      }
      wake_.notify_all();
      for (std::thread& worker : workers_) worker.join();
    }
    team(const team&) = delete;
    team& operator=(const team&) = delete;

    void start(int threads) {
      workers_.reserve(static_cast<std::size_t>(threads));
      for (int i = 0; i < threads; ++i) workers_.emplace_back([this] { work(); });
    }
    int size() const { return static_cast<int>(workers_.size()); }

    /// Whether this thread is running a body of some pool.
    static bool& inside() {
      thread_local bool flag = false;
      return flag;
    }

    void run(job& current) {
      const std::lock_guard<std::mutex> turn(turns_);
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        job_ = &current;
        busy_ = workers_.size();
        ++generation_;
      }
      wake_.notify_all();
      take_part(current);
      std::unique_lock<std::mutex> lock(mutex_);
      done_.wait(lock, [this] { return busy_ == 0; });
      job_ = nullptr;
      if (current.error) std::rethrow_exception(current.error);
    }

   private:
    void take_part(job& current) {
      inside() = true;
#if TILEWRIGHT_USE_EXCEPTIONS
      try {
        run_bodies(current);
      } catch (...) {
        current.next.store(current.count);  // nobody begins another body
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!current.error) current.error = std::current_exception();
      }
#else
      run_bodies(current);
#endif
      inside() = false;
    }
    static void run_bodies(job& current) {
      for (std::int64_t i = current.next++; i < current.count; i = current.next++) {
        current.call(current.body, i);
      }
    }

    void work() {
      std::uint64_t seen = 0;
      while (true) {
        job* current = nullptr;
        {
          std::unique_lock<std::mutex> lock(mutex_);
          wake_.wait(lock, [&] { return stopping_ || generation_ != seen; });
          if (stopping_) return;
          seen = generation_;
          current = job_;
        }
        take_part(*current);
        const std::lock_guard<std::mutex> lock(mutex_);
        if (--busy_ == 0) done_.notify_one();
      }
    }

    std::vector<std::thread> workers_;
    std::mutex turns_;  // held for a whole call
    std::mutex mutex_;  // guards what follows
    std::condition_variable wake_, done_;
    job* job_ = nullptr;
    std::size_t busy_ = 0;
    std::uint64_t generation_ = 0;
    bool stopping_ = false;
  };

  bool forked() const { return getpid() != process_; }

  const pid_t process_ = getpid();
  std::unique_ptr<team> team_ = std::make_unique<team>();
};

}  // namespace tilewright::inline TILEWRIGHT_ABI
