// Calls that the compiler does not carry out itself.
#pragma once

#include <memory>

#include <tilewright/lang/trace.hpp>

namespace tilewright::tests {

/// `trace<K>()`, made while the test runs. GCC evaluates a plain call of a constexpr function on
/// constants at compile time, and then what is called on its result too: sanitizers, debuggers and
/// coverage would see nothing of the passes.
template <class K>
graph trace_at_run_time() {
  auto* volatile body = &K::body;
  const auto tl = std::make_unique<lang>();
  tilewright::detail::body_of<decltype(&K::body)>::call(body, *tl);
  return tilewright::detail::in_canonical_order(tilewright::detail::finish(tl->nodes.result()));
}

}  // namespace tilewright::tests
