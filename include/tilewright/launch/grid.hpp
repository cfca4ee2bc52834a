// The grid of programs of a launch.
#pragma once

#include <cstdint>
#include <limits>

#include <tilewright/config.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Programs along up to three axes; program_id(0) runs fastest. An axis of 0 makes a launch a
/// no-op, a negative one is an error, and each axis may be up to 2^31 - 1.
struct grid {
  std::int64_t axes[3] = {1, 1, 1};

  constexpr explicit grid(std::int64_t x, std::int64_t y = 1, std::int64_t z = 1) : axes{x, y, z} {}

  /// nullptr, or why no launch can have this grid.
  constexpr const char* problem() const {
    for (const std::int64_t axis : axes) {
      if (axis < 0) return "a grid axis is negative";
      if (axis > std::numeric_limits<std::int32_t>::max()) return "a grid axis exceeds 2^31 - 1";
    }
    if (axes[0] != 0 && axes[1] != 0 && axes[2] != 0 &&
        axes[0] * axes[1] > std::numeric_limits<std::int64_t>::max() / axes[2]) {
      return "the grid has more than 2^63 - 1 programs";
    }
    return nullptr;
  }
  constexpr std::int64_t programs() const {
    return axes[0] == 0 || axes[1] == 0 || axes[2] == 0 ? 0 : axes[0] * axes[1] * axes[2];
  }
  /// Index of program number `linear` along `axis`.
  constexpr std::int32_t index(std::int64_t linear, int axis) const {
    if (axis == 0) return static_cast<std::int32_t>(linear % axes[0]);
    if (axis == 1) return static_cast<std::int32_t>(linear / axes[0] % axes[1]);
    return static_cast<std::int32_t>(linear / axes[0] / axes[1]);
  }
};

/// Ceiling of x / y, for every sign.
constexpr std::int64_t cdiv(std::int64_t x, std::int64_t y) {
  return x / y + (x % y != 0 && (x < 0) == (y < 0) ? 1 : 0);
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
