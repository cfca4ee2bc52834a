// Arrays whose neighbours cannot be touched: an access outside them ends the test.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <vector>

namespace tilewright::tests {

/// `count` elements that end right before a page without access rights (the page before the array's
/// first page has none either).
template <class T>
class guarded {
 public:
  explicit guarded(std::int64_t count) : count_(static_cast<std::size_t>(count)) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = count_ * sizeof(T);
    const std::size_t usable = (bytes + page - 1) / page * page;
    size_ = usable + 2 * page;
    mapping_ = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) throw std::bad_alloc();
    char* const begin = static_cast<char*>(mapping_) + page;
    if (usable > 0 && mprotect(begin, usable, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    data_ = reinterpret_cast<T*>(begin + usable - bytes);
  }
  explicit guarded(const std::vector<T>& values) : guarded(std::ssize(values)) {
    if (count_ > 0) std::memcpy(data_, values.data(), count_ * sizeof(T));
  }
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;
  ~guarded() { munmap(mapping_, size_); }

  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::vector<T> values() const { return {data_, data_ + count_}; }

 private:
  std::size_t count_;
  std::size_t size_ = 0;
  void* mapping_ = nullptr;
  T* data_ = nullptr;
};

}  // namespace tilewright::tests
