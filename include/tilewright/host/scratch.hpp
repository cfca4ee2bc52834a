// Scratch memory of programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include <tilewright/config.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {

/// Aligned memory, zero at first. The last block that a thread used is kept for its next launch, so
/// that small launches don't pay for fresh pages. Launches may come late, from destructors of static
/// and thread_local objects, when what the thread kept has been freed: then nothing is kept any more.
class scratch {
 public:
  static constexpr std::align_val_t alignment{64};

  explicit scratch(std::size_t bytes) {
    if (bytes == 0) return;
    block& kept = of_thread().kept;
    if (kept.bytes >= bytes) {
      mine_ = kept;
      kept = block{};
    } else {
      mine_.data = static_cast<std::byte*>(::operator new(bytes, alignment));
      mine_.bytes = bytes;
      std::memset(mine_.data, 0, bytes);
    }
  }
  ~scratch() {
    if (mine_.data == nullptr) return;
    if (block& kept = of_thread().kept; is_kept_from_now_on() && kept.bytes < mine_.bytes) {
      const block smaller = kept;
      kept = mine_;
      mine_ = smaller;
    }
    release(mine_);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  std::byte* data() const { return mine_.data; }

 private:
  struct block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
  };
  /// What a thread keeps. It has no destructor, so that it can be used as long as the thread runs.
  struct storage {
    block kept;
    bool closed = false;
  };
  static storage& of_thread() {
    static thread_local storage mine;
    return mine;
  }
  /// Frees what a thread keeps when its thread_local objects are destroyed.
  struct closer {
    ~closer() {
      storage& mine = of_thread();
      release(mine.kept);
      mine = storage{{}, true};
    }
  };
  /// Whether a block that is kept now will be freed.
  static bool is_kept_from_now_on() {
    if (of_thread().closed) return false;
    static thread_local closer at_end;
    static_cast<void>(at_end);
    return true;
  }
  static void release(const block& unused) {
    if (unused.data != nullptr) ::operator delete(unused.data, alignment);
  }

  block mine_;
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
