// Elements as Eigen arrays and matrices of doubles, in which the closed forms compute.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include <tilewright/types/convert.hpp>

namespace tilewright::reference {

/// A row-major matrix of doubles.
using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// `count` elements as doubles; exact but for integers beyond 2^53. (Eigen's own arithmetic on
/// 16-bit floats rounds every partial sum to 16 bits, so nothing here computes in them.)
template <Element T>
Eigen::ArrayXd widen(const T* data, std::int64_t count) {
  Eigen::ArrayXd result(count);
  for (std::int64_t i = 0; i < count; ++i) result[i] = convert<double>(data[i]);
  return result;
}

/// A row-major matrix [rows, columns] as doubles.
template <Element T>
matrix widen(const T* data, std::int64_t rows, std::int64_t columns) {
  const Eigen::ArrayXd flat = widen(data, rows * columns);
  return Eigen::Map<const matrix>(flat.data(), rows, columns);
}

}  // namespace tilewright::reference
