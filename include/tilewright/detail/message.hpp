// A message composed without allocation.
#pragma once

#include <cstddef>

#include <tilewright/config.hpp>
#include <tilewright/detail/text.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {

/// Text of up to 1023 characters, null-terminated; what does not fit is cut off.
struct message {
  char characters[1024] = {};
  std::size_t length = 0;

  constexpr void append(const char* text, std::size_t size) {
    for (std::size_t i = 0; i < size && length + 1 < sizeof(characters); ++i) {
      characters[length++] = text[i];
    }
  }
  constexpr const char* c_str() const { return characters; }
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
