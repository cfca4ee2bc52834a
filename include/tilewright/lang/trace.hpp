// From a kernel to its graph.
#pragma once

#include <cstdint>
#include <utility>

#include <tilewright/config.hpp>
#include <tilewright/detail/on_heap.hpp>
#include <tilewright/lang/canonical_order.hpp>
#include <tilewright/lang/finish.hpp>
#include <tilewright/lang/loop.hpp>
#include <tilewright/lang/operators.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

template <class Body>
struct body_of;
template <class... Parameters>
struct body_of<void (*)(lang&, Parameters...)> {
  static constexpr int parameter_count = sizeof...(Parameters);

  /// Calls `function.template operator()<Parameters...>()`.
  template <class Function>
  static constexpr decltype(auto) with_parameters(Function&& function) {
    return function.template operator()<Parameters...>();
  }

  template <std::size_t... Index>
  static constexpr void call(void (*body)(lang&, Parameters...), lang& tl,
                             std::index_sequence<Index...>) {
    // In a braced list, since the order in which a call's arguments are evaluated is not defined.
    [[maybe_unused]] const node_id ids[] = {
        tl.parameter<Parameters>(static_cast<int>(Index)).id()..., no_node};
    body(tl, Parameters(tl, ids[Index])...);
  }
  static constexpr void call(void (*body)(lang&, Parameters...), lang& tl) {
    call(body, tl, std::index_sequence_for<Parameters...>{});
  }
};

}  // namespace detail

/// A class with `static constexpr void body(lang& tl, parameters...)`, its parameters handles taken
/// by value.
template <class T>
concept Kernel = requires {
  detail::body_of<decltype(&T::body)>::parameter_count;
};

namespace detail {

/// What the body of `K` says, in the order in which the compiler evaluated it.
template <Kernel K>
constexpr graph record() {
  const auto tl = on_heap([] { return lang(); });
  body_of<decltype(&K::body)>::call(&K::body, *tl);
  return tl->nodes.result();
}
constexpr graph finish(const graph& recorded) {
  if (recorded.error) return recorded;
  return on_heap([&] { return finisher(recorded); })->run();
}
constexpr graph in_canonical_order(const graph& finished) {
  if (finished.error) return finished;
  return on_heap([&] { return canonical_order(finished); })->run();
}

}  // namespace detail

/// Runs `body` once on handles and returns the graph of what it did, in execution order: the same
/// at compile time and at run time, by every compiler. Errors: TW-E001 to TW-E007, in
/// `graph::error`.
template <Kernel K>
constexpr graph trace() {
  const auto recorded = detail::on_heap([] { return detail::record<K>(); });
  const auto finished = detail::on_heap([&] { return detail::finish(*recorded); });
  return detail::in_canonical_order(*finished);
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
