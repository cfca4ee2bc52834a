// Matrix product.
#pragma once

#include <tilewright/config.hpp>
#include <tilewright/lang/trace.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::kernels {

/// c[m, n] = a[m, k] x b[k, n], all row-major and dense, in tiles of BM x BN x BK. `T` is the element
/// type of a and b; c and the accumulator are f32.
/// Grid: cdiv(m, BM), cdiv(n, BN).
template <class T, int BM, int BN, int BK>
struct gemm {
  static constexpr void body(lang& tl, ptr<const T> a, ptr<const T> b, ptr<float> c, i32 m, i32 n,
                             i32 k) {
    auto rows = tl.program_id(0) * BM + tl.arange<BM>();
    auto cols = tl.program_id(1) * BN + tl.arange<BN>();
    auto acc = tl.zeros<float, BM, BN>();
    for (auto k0 : tl.range(0, k, BK)) {
      auto inner = k0 + tl.arange<BK>();
      auto lhs = tl.load(a + tl.col(rows) * k + tl.row(inner),
                         tl.col(rows) < m && tl.row(inner) < k, 0.0f);
      auto rhs = tl.load(b + tl.col(inner) * n + tl.row(cols),
                         tl.col(inner) < k && tl.row(cols) < n, 0.0f);
      acc = tl.dot(lhs, rhs, acc);
    }
    tl.store(c + tl.col(rows) * n + tl.row(cols), acc, tl.col(rows) < m && tl.row(cols) < n);
  }
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::kernels
