// The one documented order in which reductions combine elements.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <tilewright/config.hpp>
#include <tilewright/ir/op_table.hpp>
#include <tilewright/types/convert.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Lanes of the reduction tree.
inline constexpr std::int64_t reduction_lanes = 16;

/// Combines elements 0 to count - 1 (count >= 1) in the documented tree, at any SIMD width the
/// same. Element e belongs to lane e % 16. Each lane combines its elements neighbour-first: a
/// binary tree over (0, 1), (2, 3), ..., then pairs of pairs, in which a node without a right
/// neighbour moves up as it is. Then the lanes are folded in halves: l with l + 8, then with
/// l + 4, + 2 and + 1. Lanes without elements are skipped, as if they held the identity.
///
/// `get(e)` returns element e as a `T`, `combine(left, right)` a `T`.
template <class T, class Get, class Combine>
constexpr T reduce_tree(std::int64_t count, Get&& get, Combine&& combine) {
  T lanes[reduction_lanes]{};
  for (std::int64_t lane = 0; lane < reduction_lanes && lane < count; ++lane) {
    // Each entry of the stack is a finished subtree; one of 2^b elements is there when bit b of
    // `taken` is set, as in a binary counter.
    T stack[64]{};
    std::int32_t depth = 0;
    std::uint64_t taken = 0;
    for (std::int64_t e = lane; e < count; e += reduction_lanes) {
      T subtree = get(e);
      for (std::uint64_t carry = taken; (carry & 1u) != 0; carry >>= 1) {
        subtree = combine(stack[--depth], subtree);
      }
      stack[depth++] = subtree;
      ++taken;
    }
    T all = stack[--depth];
    while (depth > 0) all = combine(stack[--depth], all);
    lanes[lane] = all;
  }
  for (std::int64_t half = reduction_lanes / 2; half > 0; half /= 2) {
    for (std::int64_t lane = 0; lane < half; ++lane) {
      if (lane + half < count) lanes[lane] = combine(lanes[lane], lanes[lane + half]);
    }
  }
  return lanes[0];
}

/// Bit pattern of the value of `type` that leaves every other unchanged when combined by op::add,
/// op::maximum or op::minimum: -0.0 for a float sum, NaN for maximum and minimum of floats (which
/// ignore NaN).
constexpr std::uint64_t identity_of(op combine, dtype type) {
  return with_element(type, [combine]<class T>() {
    if (combine == op::add) {
      return is_float(dtype_v<T>) ? to_bits(convert<T>(-0.0)) : to_bits(T{});
    }
    if constexpr (is_float(dtype_v<T>)) {
      return to_bits(convert<T>(std::numeric_limits<double>::quiet_NaN()));
    } else {
      return to_bits(combine == op::maximum ? std::numeric_limits<T>::lowest()
                                            : std::numeric_limits<T>::max());
    }
  });
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
