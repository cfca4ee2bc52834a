// Loads and stores outside of their argument.
#pragma once

#include <cstdint>
#include <limits>

#include <tilewright/config.hpp>
#include <tilewright/detail/message.hpp>
#include <tilewright/error.hpp>
#include <tilewright/ir/graph.hpp>
#include <tilewright/launch/arguments.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// The elements of an argument, counted from its start, that one load or store touches: none at
/// first.
struct element_range {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();

  constexpr void take(std::int64_t element) {
    if (element < low) low = element;
    if (element > high) high = element;
  }
  constexpr bool empty() const { return low > high; }
};

/// Fails if `touched` leaves `given`, the argument number `position`, whose size is known. `access`
/// is the load or store, in program number `program`; `who` runs it ("host").
inline void check_bounds(const char* who, const node& access, std::int64_t program,
                         std::int64_t position, const argument& given,
                         const element_range& touched) {
  if (given.elements < 0 || touched.empty()) return;
  if (touched.low >= 0 && touched.high < given.elements) return;
  detail::message text;
  detail::put(text, who, ": the ", name_of(access.code), " of line ", access.line,
              " touches elements ", touched.low, " to ", touched.high, " of argument ", position,
              ", which has ", given.elements, " (program ", program, ")");
  fail(text.c_str());
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
