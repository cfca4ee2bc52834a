// The device-independent stages of a kernel, each a compile-time constant.
#pragma once

#include <tilewright/lang/trace.hpp>
#include <tilewright/passes/find_structured_access.hpp>
#include <tilewright/passes/propagate_extent.hpp>
#include <tilewright/passes/simplify.hpp>

namespace tilewright {

/// The graph of kernel `K` after each pass. Each member is evaluated on its own, so each pass has
/// the compiler's whole budget of constant evaluation.
template <Kernel K>
struct middle {
  static constexpr graph traced = trace<K>();
  static constexpr graph simplified = simplify(traced);
  static constexpr graph structured = find_structured_access(simplified);
  static constexpr graph extended = propagate_extent(structured);
};

}  // namespace tilewright
