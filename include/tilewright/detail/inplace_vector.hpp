// A vector of fixed capacity, usable in constant expressions on every supported compiler.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tilewright/config.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {

/// Up to `Capacity` elements stored in place. Elements past `size()` are value-initialised.
/// A push past the capacity stores nothing and returns false.
template <class T, std::size_t Capacity>
struct inplace_vector {
  T items[Capacity]{};
  std::int32_t count = 0;

  static constexpr std::int32_t capacity() { return static_cast<std::int32_t>(Capacity); }
  constexpr std::int32_t size() const { return count; }
  constexpr bool empty() const { return count == 0; }
  constexpr bool full() const { return count == capacity(); }

  constexpr T& operator[](std::int32_t index) { return items[static_cast<std::size_t>(index)]; }
  constexpr const T& operator[](std::int32_t index) const {
    return items[static_cast<std::size_t>(index)];
  }
  constexpr T& back() { return items[static_cast<std::size_t>(count - 1)]; }
  constexpr const T& back() const { return items[static_cast<std::size_t>(count - 1)]; }

  constexpr T* begin() { return items; }
  constexpr T* end() { return items + count; }
  constexpr const T* begin() const { return items; }
  constexpr const T* end() const { return items + count; }

  constexpr bool push_back(const T& value) {
    if (full()) return false;
    items[static_cast<std::size_t>(count)] = value;
    ++count;
    return true;
  }
  constexpr void pop_back() { --count; }
  constexpr void clear() { count = 0; }
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
