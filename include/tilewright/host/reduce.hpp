// Reductions in the documented tree (ir/reduction_tree.hpp), streamed in SIMD at any width up to its
// 16 lanes, with the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tilewright/host/registers.hpp>
#include <tilewright/host/simd_ops.hpp>
#include <tilewright/ir/reduction_tree.hpp>

namespace tilewright::detail {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

/// Combines a stream of vectors of `Acc` elements with the operation `Combine`.
///
/// The tree's 16 lanes are `groups` vectors side by side. Each keeps a stack of finished subtrees:
/// one of 2^b chunks is there when bit b of the number of chunks taken is set.
template <op Combine, class Acc>
class reduction_stream {
 public:
  using vector = register_t<Acc>;
  static constexpr int groups = static_cast<int>(reduction_lanes) / simd::lanes;

  // Not `= default`: that would let `{}` clear the stacks.
  TILEWRIGHT_INLINE reduction_stream() {}

  TILEWRIGHT_INLINE void start() { taken_ = 0; }

  /// Takes the next vector, of which `valid` lanes hold elements: all of them but in the last one.
  template <bool Partial>
  TILEWRIGHT_INLINE void take(vector value, int valid) {
    const std::int64_t chunk = taken_ / groups;
    vector* stack = stacks_[taken_ % groups];
    int depth = entries(chunk);
    bool whole = !Partial;
    for (std::int64_t bits = chunk; (bits & 1) != 0; bits >>= 1) {
      const vector& left = stack[--depth];
      const vector both = elementwise<Combine, Acc>(left, value);
      // Where the last vector has no elements, what is to their left moves up as it is.
      value = whole ? both : elementwise<op::where, Acc>(simd::first_lanes(valid), both, left);
      whole = true;
    }
    stack[depth] = value;
    ++taken_;
  }

  /// Takes four full chunks at once; the number of chunks taken so far is a multiple of four.
  TILEWRIGHT_INLINE void take_four(const vector* values) {
    const std::int64_t chunk = taken_ / groups;
    for (int group = 0; group < groups; ++group) {
      vector value = elementwise<Combine, Acc>(
          elementwise<Combine, Acc>(values[group], values[group + groups]),
          elementwise<Combine, Acc>(values[group + 2 * groups], values[group + 3 * groups]));
      vector* stack = stacks_[group];
      int depth = entries(chunk);
      for (std::int64_t bits = chunk >> 2; (bits & 1) != 0; bits >>= 1) {
        value = elementwise<Combine, Acc>(stack[--depth], value);
      }
      stack[depth] = value;
    }
    taken_ += 4 * groups;
  }

  /// The result for the `count` (at least 1) elements taken.
  TILEWRIGHT_INLINE Acc finish(std::int64_t count) {
    vector folded[groups];
    for (int group = 0; group < groups && group < taken_; ++group) {
      const std::int64_t chunks = (taken_ - group + groups - 1) / groups;
      vector* stack = stacks_[group];
      const int top = entries(chunks) - 1;
      vector all = stack[top];
      // An odd last chunk stands alone on top, possibly without all of its lanes.
      const std::int64_t last = count - ((chunks - 1) * groups + group) * simd::lanes;
      bool whole = (chunks & 1) == 0 || last >= simd::lanes;
      for (int below = 1; below <= top; ++below) {
        const vector& left = stack[top - below];
        const vector both = elementwise<Combine, Acc>(left, all);
        all = whole ? both
                    : elementwise<op::where, Acc>(simd::first_lanes(static_cast<int>(last)), both,
                                                  left);
        whole = true;
      }
      folded[group] = all;
    }
    return count < reduction_lanes ? fold_some(folded, static_cast<int>(count)) : fold(folded);
  }

 private:
  static TILEWRIGHT_INLINE int entries(std::int64_t chunks) {
    return __builtin_popcountll(static_cast<unsigned long long>(chunks));
  }

  /// Folds the lanes in halves, all of them having elements.
  static TILEWRIGHT_INLINE Acc fold(vector* folded) {
    for (int half = groups / 2; half > 0; half /= 2) {
      for (int group = 0; group < half; ++group) {
        folded[group] = elementwise<Combine, Acc>(folded[group], folded[group + half]);
      }
    }
    vector all = folded[0];
    if constexpr (simd::lanes > 8) all = elementwise<Combine, Acc>(all, simd::lanes_down<8>(all));
    if constexpr (simd::lanes > 4) all = elementwise<Combine, Acc>(all, simd::lanes_down<4>(all));
    if constexpr (simd::lanes > 2) all = elementwise<Combine, Acc>(all, simd::lanes_down<2>(all));
    if constexpr (simd::lanes > 1) all = elementwise<Combine, Acc>(all, simd::lanes_down<1>(all));
    return simd::first_lane(all);
  }
  /// The same where only the first `count` lanes have elements.
  static Acc fold_some(const vector* folded, int count) {
    Acc lanes[reduction_lanes];
    for (int group = 0; group * simd::lanes < count; ++group) {
      simd::store(lanes + group * simd::lanes, folded[group]);
    }
    for (int half = static_cast<int>(reduction_lanes) / 2; half > 0; half /= 2) {
      for (int lane = 0; lane < half && lane + half < count; ++lane) {
        lanes[lane] = meaning<Combine>::eval(lanes[lane], lanes[lane + half]);
      }
    }
    return lanes[0];
  }

  static constexpr int depth_limit = 20;  // a block has at most 2^20 elements
  vector stacks_[groups][depth_limit];
  std::int64_t taken_ = 0;
};

/// The same over a tile: element e of `count` lies at from[offset(e)].
template <op Combine, class Acc, class Source, class Offset>
Acc reduce_elements(const scratch_t<Source>* from, std::int64_t count, const Offset& offset) {
  return reduce_tree<Acc>(
      count,
      [&](std::int64_t e) {
        if constexpr (std::is_same_v<Source, bool>) {
          return convert<Acc>(from[offset(e)] != 0);
        } else {
          return convert<Acc>(from[offset(e)]);
        }
      },
      [](Acc x, Acc y) { return meaning<Combine>::eval(x, y); });
}

/// A vector of neighbouring reductions at once.
template <op Combine, class Acc, class Source, class Offset>
register_t<Acc> reduce_columns(const scratch_t<Source>* from, std::int64_t count,
                               const Offset& offset) {
  return reduce_tree<register_t<Acc>>(
      count,
      [&](std::int64_t e) { return cast<Acc, Source>(load_scratch<Source>(from + offset(e))); },
      [](register_t<Acc> x, register_t<Acc> y) { return elementwise<Combine, Acc>(x, y); });
}

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace tilewright::detail
