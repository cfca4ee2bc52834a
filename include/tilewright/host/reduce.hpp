// Reductions in the documented tree (ir/reduction_tree.hpp), streamed in SIMD at any width up to its
// 16 lanes, with the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tilewright/config.hpp>
#include <tilewright/host/registers.hpp>
#include <tilewright/host/simd_ops.hpp>
#include <tilewright/ir/reduction_tree.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {
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
    subtrees& mine = subtrees_[taken_ % groups];
    bool whole = !Partial;
    push(mine, value, chunk, [&](const vector& left, const vector& right) {
      const vector both = elementwise<Combine, Acc>(left, right);
      // Where the last vector has no elements, what is to their left moves up as it is.
      const vector result =
          whole ? both : elementwise<op::where, Acc>(simd::first_lanes(valid), both, left);
      whole = true;
      return result;
    });
    ++taken_;
  }

  /// Takes four full chunks at once; the number of chunks taken so far is a multiple of four.
  TILEWRIGHT_INLINE void take_four(const vector* values) {
    const auto both = [](const vector& x, const vector& y) {
      return elementwise<Combine, Acc>(x, y);
    };
    const std::int64_t chunk = taken_ / groups;
    for (int group = 0; group < groups; ++group) {
      push(subtrees_[group],
           both(both(values[group], values[group + groups]),
                both(values[group + 2 * groups], values[group + 3 * groups])),
           chunk >> 2, both);
    }
    taken_ += 4 * groups;
  }

  /// The result for the `count` (at least 1) elements taken.
  TILEWRIGHT_INLINE Acc finish(std::int64_t count) {
    if constexpr (std::is_same_v<vector, simd::vf> && Combine != op::add) {
      // Nobody goes on without the result, so that each operation's latency counts here.
      if (holds_numbers()) [[likely]] {
        return finish_with(count, [](const vector& x, const vector& y) {
          return Combine == op::maximum ? simd::maximum_of_numbers(x, y)
                                        : simd::minimum_of_numbers(x, y);
        });
      }
    }
    return finish_with(count, elementwise<Combine, Acc, vector, vector>);
  }

 private:
  /// The finished subtrees of one vector, in a stack. The newest lies apart: what comes next, often
  /// the end, need not wait for memory.
  struct subtrees {
    static constexpr int depth_limit = 20;  // a block has at most 2^20 elements
    vector older[depth_limit];
    vector newest;
  };
  // GCC 12 does not see that there is a newest subtree when `taken` is not 0.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
  /// Adds a subtree to `taken` finished ones of its size.
  template <class Both>
  static TILEWRIGHT_INLINE void push(subtrees& to, vector value, std::int64_t taken,
                                     const Both& both_of) {
    int depth = entries(taken) - 1;
    if ((taken & 1) != 0) {
      value = both_of(to.newest, value);
      for (std::int64_t bits = taken >> 1; (bits & 1) != 0; bits >>= 1) {
        value = both_of(to.older[--depth], value);
      }
    } else if (taken != 0) {
      to.older[depth] = to.newest;
    }
    to.newest = value;
  }
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  static TILEWRIGHT_INLINE int entries(std::int64_t chunks) {
    return __builtin_popcountll(static_cast<unsigned long long>(chunks));
  }
  TILEWRIGHT_INLINE std::int64_t chunks_of(int group) const {
    return (taken_ - group + groups - 1) / groups;
  }

  /// Whether no subtree is NaN, lanes without elements included.
  TILEWRIGHT_INLINE bool holds_numbers() const {
    bool numbers = true;
    for (int group = 0; group < groups && group < taken_; ++group) {
      const subtrees& mine = subtrees_[group];
      numbers = numbers && simd::all(simd::is_number(mine.newest));
      for (int entry = 0; entry < entries(chunks_of(group)) - 1; ++entry) {
        numbers = numbers && simd::all(simd::is_number(mine.older[entry]));
      }
    }
    return numbers;
  }

  template <class Both>
  TILEWRIGHT_INLINE Acc finish_with(std::int64_t count, const Both& both_of) {
    vector folded[groups];
    for (int group = 0; group < groups && group < taken_; ++group) {
      const std::int64_t chunks = chunks_of(group);
      const subtrees& mine = subtrees_[group];
      vector all = mine.newest;
      // An odd last chunk stands alone on top, possibly without all of its lanes.
      const std::int64_t last = count - ((chunks - 1) * groups + group) * simd::lanes;
      bool whole = (chunks & 1) == 0 || last >= simd::lanes;
      for (int entry = entries(chunks) - 2; entry >= 0; --entry) {
        const vector& left = mine.older[entry];
        const vector both = both_of(left, all);
        all = whole ? both
                    : elementwise<op::where, Acc>(simd::first_lanes(static_cast<int>(last)), both,
                                                  left);
        whole = true;
      }
      folded[group] = all;
    }
    return count < reduction_lanes ? fold_some(folded, static_cast<int>(count))
                                   : fold(folded, both_of);
  }

  /// Folds the lanes in halves, all of them having elements.
  template <class Both>
  static TILEWRIGHT_INLINE Acc fold(vector* folded, const Both& both_of) {
    for (int half = groups / 2; half > 0; half /= 2) {
      for (int group = 0; group < half; ++group) {
        folded[group] = both_of(folded[group], folded[group + half]);
      }
    }
    vector all = folded[0];
    if constexpr (simd::lanes > 8) all = both_of(all, simd::lanes_down<8>(all));
    if constexpr (simd::lanes > 4) all = both_of(all, simd::lanes_down<4>(all));
    if constexpr (simd::lanes > 2) all = both_of(all, simd::lanes_down<2>(all));
    if constexpr (simd::lanes > 1) all = both_of(all, simd::lanes_down<1>(all));
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

  subtrees subtrees_[groups];
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
}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
