// The line of the author's source that a node or an instruction comes from.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// A line of the author's source. Functions of the language and of the builder take one as their
/// last parameter, which defaults to the line of the call. It is a type of its own, to which no
/// number converts, so that no argument of the author's can be taken for a line.
class source_line {
 public:
  constexpr explicit source_line(std::int32_t number) : number_(number) {}

  /// The line of the call: as a default argument, that of the call it belongs to.
  static constexpr source_line here(int line = __builtin_LINE()) { return source_line(line); }

  constexpr std::int32_t number() const { return number_; }

 private:
  std::int32_t number_;
};

}  // namespace tilewright::inline TILEWRIGHT_ABI
