// Which processing element runs which programs.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// How program ids are dealt to processing elements (PEs):
/// - linear: equal consecutive runs, the first PEs take one more when they don't divide;
/// - round_robin: program p runs on PE p % count;
/// - zigzag: rounds of `count` programs go to the PEs forwards and backwards in turn, so that work
///   that grows with the program id is balanced.
enum class distribution : std::uint8_t { linear, round_robin, zigzag };

constexpr const char* name_of(distribution how) {
  switch (how) {
    case distribution::linear: return "linear";
    case distribution::round_robin: return "round-robin";
    case distribution::zigzag: return "zigzag";
  }
  return "?";
}

/// Number of programs that PE `pe` of `count` runs, out of `programs`.
constexpr std::int64_t programs_on(distribution how, std::int64_t programs, std::int32_t count,
                                   std::int32_t pe) {
  const std::int64_t whole = programs / count;
  const std::int64_t rest = programs % count;
  const bool backwards = how == distribution::zigzag && whole % 2 != 0;
  const std::int64_t position = backwards ? count - 1 - pe : pe;
  return whole + (position < rest ? 1 : 0);
}

/// The `nth` program that PE `pe` of `count` runs, in the order in which it runs them.
constexpr std::int64_t program_on(distribution how, std::int64_t programs, std::int32_t count,
                                  std::int32_t pe, std::int64_t nth) {
  switch (how) {
    case distribution::round_robin: return nth * count + pe;
    case distribution::zigzag: return nth * count + (nth % 2 == 0 ? pe : count - 1 - pe);
    case distribution::linear: break;
  }
  const std::int64_t whole = programs / count;
  const std::int64_t rest = programs % count;
  return pe * whole + (pe < rest ? pe : rest) + nth;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
