// Calls that the compiler does not carry out itself.
#pragma once

#include <tilewright/lang/trace.hpp>

namespace tilewright::tests {

/// The graph of `K`, traced while the test runs. GCC evaluates a plain call of a constexpr function
/// on constants at compile time, and then what is called on its result too: sanitizers, debuggers and
/// coverage would see nothing of the passes.
template <class K>
graph trace_at_run_time() {
  graph (*volatile call)() = trace<K>;
  return call();
}

}  // namespace tilewright::tests
