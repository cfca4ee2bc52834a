// Matrix products of materialised tiles.
//
// Each element of the accumulator takes one multiply-add per k, k ascending, whatever the blocking.
// With `simd::has_fma` (and always in f64) it rounds once, like std::fma. Without it, f32 multiplies
// and then adds: an error of at most (k + 1) * 2^-24 times the sum of the absolute products beside
// the exact result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tilewright/config.hpp>
#include <tilewright/host/dot_shape.hpp>
#include <tilewright/host/registers.hpp>
#include <tilewright/ir/scalar_math.hpp>
#include <utility>

namespace tilewright::inline TILEWRIGHT_ABI::detail {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

/// acc[r][v] += left[r][0..k) x right[0..k)[v] for Rows rows and Vectors vectors of columns. Rows of
/// `left` and `acc` are `left_stride` and `acc_stride` elements apart, those of `right` exactly
/// Vectors * lanes.
template <int Rows, int Vectors>
struct dot_kernel {
  struct sums {
    simd::vf at[static_cast<std::size_t>(Rows)][static_cast<std::size_t>(Vectors)];
  };
  using row_indices = std::make_index_sequence<static_cast<std::size_t>(Rows)>;
  using vector_indices = std::make_index_sequence<static_cast<std::size_t>(Vectors)>;

  // Folds instead of loops: at -O2 the compiler would keep loops, and with them `sums` in memory.
  template <class Function>
  static TILEWRIGHT_INLINE void each_row(Function&& function) {
    [&]<std::size_t... Row>(std::index_sequence<Row...>) {
      (function.template operator()<Row>(), ...);
    }
    (row_indices{});
  }
  template <class Function>
  static TILEWRIGHT_INLINE void each_vector(Function&& function) {
    [&]<std::size_t... Vector>(std::index_sequence<Vector...>) {
      (function.template operator()<Vector>(), ...);
    }
    (vector_indices{});
  }

  static void run(const float* left, std::int64_t left_stride, const float* right, float* acc,
                  std::int64_t acc_stride, std::int64_t k) {
    sums s;
    each_row([&]<std::size_t Row>() {
      each_vector([&]<std::size_t Vector>() {
        s.at[Row][Vector] = simd::load(acc + static_cast<std::int64_t>(Row) * acc_stride +
                                       static_cast<std::int64_t>(Vector) * simd::lanes);
      });
    });
    for (std::int64_t i = 0; i < k; ++i) {
      simd::vf columns[static_cast<std::size_t>(Vectors)];
      each_vector([&]<std::size_t Vector>() {
        columns[Vector] = simd::load(right + static_cast<std::int64_t>(Vector) * simd::lanes);
      });
      each_row([&]<std::size_t Row>() {
        const simd::vf x = simd::set(left[static_cast<std::int64_t>(Row) * left_stride]);
        each_vector([&]<std::size_t Vector>() {
          s.at[Row][Vector] = simd::mul_add(x, columns[Vector], s.at[Row][Vector]);
        });
      });
      ++left;
      right += Vectors * simd::lanes;
    }
    each_row([&]<std::size_t Row>() {
      each_vector([&]<std::size_t Vector>() {
        simd::store(acc + static_cast<std::int64_t>(Row) * acc_stride +
                        static_cast<std::int64_t>(Vector) * simd::lanes,
                    s.at[Row][Vector]);
      });
    });
  }
};

/// acc [m, n] += left [m, k] x right [k, n] in f32. `right` lies in panels of dot_columns columns;
/// rows of `left` and `acc` are padded to whole micro-kernels.
template <int Rows, int Columns>
void dot_panels(const float* left, std::int64_t left_stride, const float* right,
                std::int64_t panel_stride, float* acc, std::int64_t acc_stride, std::int64_t m,
                std::int64_t n, std::int64_t k) {
  for (std::int64_t j = 0; j < n; j += Columns) {
    for (std::int64_t i = 0; i < m; i += Rows) {
      dot_kernel<Rows, Columns / simd::lanes>::run(left + i * left_stride, left_stride, right,
                                                   acc + i * acc_stride + j, acc_stride, k);
    }
    right += panel_stride;
  }
}

/// The same in the type `Acc` for operands in any layout: `left(i, p)` and `right(p, j)` return
/// elements as `Acc`, `acc(i, j)` a reference.
template <class Acc, class Left, class Right, class Sum>
TILEWRIGHT_INLINE void dot_elements(const Left& left, const Right& right, const Sum& acc,
                                    std::int64_t m, std::int64_t n, std::int64_t k) {
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t p = 0; p < k; ++p) {
      const Acc x = left(i, p);
      for (std::int64_t j = 0; j < n; ++j) {
        Acc& sum = acc(i, j);
        sum = scalar_math::fused_multiply_add(x, right(p, j), sum);
      }
    }
  }
}

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
