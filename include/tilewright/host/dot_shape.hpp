// The shape of the matrix-product micro-kernel, from the registers of the instruction set.
#pragma once

#include <cstdint>
#include <tilewright/config.hpp>
#include <tilewright/host/simd.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

constexpr std::int32_t rounded_up(std::int32_t value, std::int32_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// Columns that the micro-kernel does at once for a product with `columns` columns: two vectors,
/// or one if that is enough.
constexpr std::int32_t dot_columns(std::int32_t columns) {
  return columns <= simd::lanes ? simd::lanes : 2 * simd::lanes;
}

/// Rows that it does at once for a product with `rows` rows: as many as registers allow beside two
/// vectors of the right operand and one broadcast element of the left, less if that divides better.
constexpr std::int32_t dot_rows(std::int32_t rows) {
  constexpr std::int32_t most = (simd::registers - 3) / 2;
  std::int32_t best = most;
  for (std::int32_t some = most; some >= most / 2; --some) {
    if (rounded_up(rows, some) < rounded_up(rows, best)) best = some;
  }
  return rows < best ? rows : best;
}

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
