// Which arguments of a launch share memory.
#pragma once

#include <cstdint>
#include <span>

#include <tilewright/config.hpp>
#include <tilewright/launch/arguments.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

/// Bytes from the first element on; a pointer without a size counts as one element.
inline bool overlap(const argument& a, const argument& b) {
  if (a.address == nullptr || b.address == nullptr) return false;
  const auto first = [](const argument& x) { return reinterpret_cast<std::uintptr_t>(x.address); };
  const auto last = [&](const argument& x) {
    const std::int64_t elements = x.elements < 0 ? 1 : x.elements;
    return first(x) + static_cast<std::uintptr_t>(elements * size_of(x.type));
  };
  return first(a) < last(b) && first(b) < last(a);
}

}  // namespace detail

/// The set (bit p for argument p) of pointer arguments whose memory overlaps that of another one.
/// The extent of a raw pointer is not known, so of those only equal addresses are noticed.
inline std::uint32_t overlapping_arguments(std::span<const argument> arguments) {
  std::uint32_t found = 0;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    for (std::size_t b = a + 1; b < arguments.size(); ++b) {
      if (detail::overlap(arguments[a], arguments[b])) found |= 1u << a | 1u << b;
    }
  }
  return found;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
