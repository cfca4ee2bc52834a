// Appending literals and numbers to any text type that has `append(const char*, size)`.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tilewright/config.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {

template <class Text>
constexpr void put(Text& out, const char* literal) {
  std::size_t length = 0;
  while (literal[length] != '\0') ++length;
  out.append(literal, length);
}

template <class Text>
constexpr void put(Text& out, std::int64_t value) {
  char digits[24]{};
  std::size_t at = sizeof(digits);
  // Work on the magnitude as unsigned: the most negative value has no positive counterpart.
  std::uint64_t magnitude =
      value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  do {
    digits[--at] = static_cast<char>('0' + magnitude % 10);
    magnitude /= 10;
  } while (magnitude != 0);
  if (value < 0) digits[--at] = '-';
  out.append(digits + at, sizeof(digits) - at);
}

template <class Text>
constexpr void put(Text& out, int value) {
  put(out, static_cast<std::int64_t>(value));
}

/// Appends each argument in turn.
template <class Text, class First, class Second, class... Rest>
constexpr void put(Text& out, const First& first, const Second& second, const Rest&... rest) {
  put(out, first);
  put(out, second);
  (put(out, rest), ...);
}

}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
