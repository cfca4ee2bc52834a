// The units that can carry out an operation.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// A unit of a processing element. `core` stands for scalar work on either RISC-V core.
enum class unit : std::uint8_t { core, vector, dma_in, dma_out, dpe, re, se, mlu };
inline constexpr int unit_count = 8;

constexpr const char* name_of(unit which) {
  switch (which) {
    case unit::core: return "core";
    case unit::vector: return "vector core";
    case unit::dma_in: return "DMA in";
    case unit::dma_out: return "DMA out";
    case unit::dpe: return "DPE";
    case unit::re: return "RE";
    case unit::se: return "SE";
    case unit::mlu: return "MLU";
  }
  return "?";
}

/// A set of units, one bit each.
using unit_set = std::uint32_t;

template <class... Units>
constexpr unit_set units_of(Units... units) {
  return (0u | ... | (1u << static_cast<unsigned>(units)));
}
constexpr bool contains(unit_set set, unit which) {
  return (set >> static_cast<unsigned>(which) & 1u) != 0;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
