// Who runs the programs of a launch.
#pragma once

#include <concepts>
#include <cstdint>

#include <tilewright/config.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {
struct any_body {
  void operator()(std::int64_t) const {}
};
}  // namespace detail

/// Something that runs `body(0)`, ..., `body(count - 1)`, in any order and on any threads, and
/// returns when all are done. `concurrency()` is how many of them may run at the same time. An
/// exception of a body reaches the caller of `parallel_for`; bodies that have not begun may then be
/// left out.
template <class T>
concept Executor = requires(T& executor, std::int64_t count, detail::any_body body) {
  { executor.concurrency() } -> std::convertible_to<int>;
  executor.parallel_for(count, body);
};

/// Runs everything on the calling thread, in order.
struct serial_executor {
  static constexpr int concurrency() { return 1; }
  template <class Body>
  void parallel_for(std::int64_t count, Body&& body) const {
    for (std::int64_t i = 0; i < count; ++i) body(i);
  }
};

}  // namespace tilewright::inline TILEWRIGHT_ABI
