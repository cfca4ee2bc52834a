// How failures at run time reach the user.
#pragma once

#include <tilewright/config.hpp>

#if TILEWRIGHT_USE_EXCEPTIONS
#include <stdexcept>
#else
#include <cstdio>
#include <cstdlib>
#endif

namespace tilewright::inline TILEWRIGHT_ABI {

#if TILEWRIGHT_USE_EXCEPTIONS
/// Thrown for launches that cannot be right: null pointers, impossible grids and arguments,
/// programs that cannot advance.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
#endif

/// Called with the message of every run-time failure. With exceptions it throws `error`; without,
/// it calls `TILEWRIGHT_FAIL(message)` when the user defined that macro, else it prints the message
/// and aborts.
[[noreturn]] inline void fail(const char* message) {
#if TILEWRIGHT_USE_EXCEPTIONS
  throw error(message);
#else
#ifdef TILEWRIGHT_FAIL
  TILEWRIGHT_FAIL(message);
#else
  std::fprintf(stderr, "tilewright: %s\n", message);
#endif
  std::abort();
#endif
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
