// Closed form of softmax, in double precision.
#pragma once

#include <reference/widen.hpp>

namespace tilewright::reference {

/// exp(x - max) / sum(exp(x - max)) of each row of `x`, row-major [rows, columns]. A row with a NaN
/// or +inf, or of nothing but -inf, is NaN throughout.
template <Element T>
matrix softmax_rows(const T* x, std::int64_t rows, std::int64_t columns) {
  matrix result = widen(x, rows, columns);
  if (result.size() == 0) return result;
  for (auto row : result.rowwise()) {
    row = (row.array() - row.template maxCoeff<Eigen::PropagateNaN>()).exp();
    row /= row.sum();
  }
  return result;
}

}  // namespace tilewright::reference
