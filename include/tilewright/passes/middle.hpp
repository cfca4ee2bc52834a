// The device-independent stages of a kernel, each a compile-time constant.
#pragma once

#include <tilewright/config.hpp>
#include <tilewright/lang/trace.hpp>
#include <tilewright/passes/find_structured_access.hpp>
#include <tilewright/passes/propagate_extent.hpp>
#include <tilewright/passes/simplify.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

/// Where the stages of kernel `K` start.
template <Kernel K>
struct traced_kernel {
  static constexpr graph recorded = record<K>();
  static constexpr graph finished = finish(recorded);
  static constexpr graph traced = in_canonical_order(finished);
};

// Halves of passes as stages of their own, so that large kernels stay within the compiler's budget
// for one constant (Clang: 1,048,576 steps).
template <class Source>
struct middle_halves {
  static constexpr graph simplified = simplify(Source::traced);
  static constexpr graph accesses = pointers_to_accesses(simplified);
  static constexpr graph structured = simplify(accesses);
  static constexpr graph limited = masks_to_extents(structured);
  static constexpr graph tidied = simplify(limited);
  static constexpr graph merged = simplify(tidied);
  static constexpr graph extended = demand_lanes(merged);
};

}  // namespace detail

/// The graph `Source::traced` after each pass: `find_structured_access(simplified)` is `structured`,
/// `propagate_extent(structured)` is `extended`.
template <class Source>
struct middle_of {
  static constexpr const graph& traced = Source::traced;
  static constexpr const graph& simplified = detail::middle_halves<Source>::simplified;
  static constexpr const graph& structured = detail::middle_halves<Source>::structured;
  static constexpr const graph& extended = detail::middle_halves<Source>::extended;
};

/// Kernel `K` after each pass.
template <Kernel K>
using middle = middle_of<detail::traced_kernel<K>>;

}  // namespace tilewright::inline TILEWRIGHT_ABI
