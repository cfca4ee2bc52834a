// Closed form of the matrix product, in double precision.
#pragma once

#include <reference/widen.hpp>

namespace tilewright::reference {

/// left [m, k] times right [k, n], all row-major; zeros when k is 0.
template <Element Left, Element Right>
matrix matmul(const Left* left, const Right* right, std::int64_t m, std::int64_t n,
              std::int64_t k) {
  return widen(left, m, k) * widen(right, k, n);
}

}  // namespace tilewright::reference
