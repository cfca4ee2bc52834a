// Large objects on the heap, in constant evaluation too.
#pragma once

#include <tilewright/config.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {

/// Owns one object on the heap.
template <class T>
class heap_object {
 public:
  constexpr explicit heap_object(T* owned) : owned_(owned) {}
  heap_object(const heap_object&) = delete;
  heap_object& operator=(const heap_object&) = delete;
  constexpr ~heap_object() { delete owned_; }

  constexpr T& operator*() const { return *owned_; }
  constexpr T* operator->() const { return owned_; }

 private:
  T* owned_;
};

/// What `make()` returns, made on the heap. A graph or a schedule takes some hundred kilobytes, which
/// threads may not have room for on their stacks.
template <class Make>
constexpr auto on_heap(Make&& make) {
  using object = decltype(make());
  return heap_object<object>(new object(make()));
}

}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
