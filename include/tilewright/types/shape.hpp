// Block shapes and broadcasting.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tilewright/config.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Largest rank of a block.
inline constexpr int max_rank = 5;
/// Largest number of elements of a block.
inline constexpr std::int64_t max_elements = 1048576;

/// Extents of a block, outermost first. Rank 0 is a scalar.
struct shape {
  std::int32_t extents[max_rank]{};
  std::int32_t rank = 0;

  constexpr std::int32_t operator[](int dim) const {
    return extents[static_cast<std::size_t>(dim)];
  }
  constexpr std::int32_t& operator[](int dim) { return extents[static_cast<std::size_t>(dim)]; }
  constexpr std::int32_t inner() const { return rank == 0 ? 1 : (*this)[rank - 1]; }
  constexpr bool operator==(const shape&) const = default;
};

/// Extents past `max_rank` are left out.
template <int... Dims>
constexpr shape make_shape() {
  shape result;
  [[maybe_unused]] const auto append = [&result](std::int32_t extent) {
    if (result.rank < max_rank) result[result.rank++] = extent;
  };
  (append(Dims), ...);
  return result;
}

constexpr std::int64_t elements_of(const shape& dims) {
  std::int64_t count = 1;
  for (int d = 0; d < dims.rank; ++d) count *= dims[d];
  return count;
}

/// Whether `from` broadcasts to `to`: aligned at the innermost dimension, each extent equal or 1.
constexpr bool broadcasts_to(const shape& from, const shape& to) {
  if (from.rank > to.rank) return false;
  for (int d = 0; d < from.rank; ++d) {
    const std::int32_t have = from[from.rank - 1 - d];
    if (have != 1 && have != to[to.rank - 1 - d]) return false;
  }
  return true;
}

/// The shape that both `left` and `right` broadcast to; rank -1 when there is none.
constexpr shape broadcast(const shape& left, const shape& right) {
  shape result;
  result.rank = left.rank > right.rank ? left.rank : right.rank;
  for (int d = 0; d < result.rank; ++d) {
    const std::int32_t a = d < left.rank ? left[left.rank - 1 - d] : 1;
    const std::int32_t b = d < right.rank ? right[right.rank - 1 - d] : 1;
    if (a != b && a != 1 && b != 1) {
      shape none;
      none.rank = -1;
      return none;
    }
    result[result.rank - 1 - d] = a == 1 ? b : a;
  }
  return result;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
