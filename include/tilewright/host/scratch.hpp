// Scratch memory of programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace tilewright::detail {

/// Aligned memory, zero at first. The last block that a thread used is kept for its next launch, so
/// that small launches don't pay for fresh pages.
class scratch {
 public:
  static constexpr std::align_val_t alignment{64};

  explicit scratch(std::size_t bytes) {
    if (bytes == 0) return;
    block& kept = spare();
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
    block& kept = spare();
    if (kept.bytes < mine_.bytes) {
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
  struct holder {
    block kept;
    ~holder() { release(kept); }
  };
  static void release(const block& unused) {
    if (unused.data != nullptr) ::operator delete(unused.data, alignment);
  }
  static block& spare() {
    thread_local holder of_thread;
    return of_thread.kept;
  }

  block mine_;
};

}  // namespace tilewright::detail
