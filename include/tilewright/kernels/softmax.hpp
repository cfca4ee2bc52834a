// Softmax along the rows of a matrix.
#pragma once

#include <limits>

#include <tilewright/config.hpp>
#include <tilewright/lang/trace.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::kernels {

/// y[r, :] = exp(x[r, :] - max) / sum, for a row-major x and y of `columns` columns, whose rows
/// start `stride` elements apart. One program a row; `Block` must be at least `columns` (later
/// columns would not be looked at). A row of -inf only gives NaN.
/// Grid: the number of rows.
template <int Block>
struct softmax {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<float> y, i32 stride, i32 columns) {
    auto row = tl.program_id(0);
    auto column = tl.arange<Block>();
    auto mask = column < columns;
    auto values = tl.load(x + row * stride + column, mask, -std::numeric_limits<float>::infinity());
    auto numerator = tl.exp(values - tl.max<0>(values));
    tl.store(y + row * stride + column, numerator / tl.sum<0>(numerator), mask);
  }
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::kernels
