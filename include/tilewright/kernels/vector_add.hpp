// Element-wise sum of two vectors.
#pragma once

#include <tilewright/config.hpp>
#include <tilewright/lang/trace.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::kernels {

/// out[i] = x[i] + y[i] for i < n, in blocks of `Block` elements.
/// Grid: cdiv(n, Block).
template <class T, int Block>
struct vector_add {
  static constexpr void body(lang& tl, ptr<const T> x, ptr<const T> y, ptr<T> out, i32 n) {
    auto offsets = tl.program_id(0) * Block + tl.arange<Block>();
    auto mask = offsets < n;
    auto sum = tl.load(x + offsets, mask) + tl.load(y + offsets, mask);
    tl.store(out + offsets, sum, mask);
  }
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::kernels
