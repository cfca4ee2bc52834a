// Closed form of the sum of two vectors, in double precision.
#pragma once

#include <reference/widen.hpp>

namespace tilewright::reference {

/// x[i] + y[i] for i < count.
template <Element X, Element Y>
Eigen::ArrayXd vector_add(const X* x, const Y* y, std::int64_t count) {
  return widen(x, count) + widen(y, count);
}

}  // namespace tilewright::reference
