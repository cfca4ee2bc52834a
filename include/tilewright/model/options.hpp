// How a run on the modelled device is made.
#pragma once

#include <cstdint>
#include <tilewright/config.hpp>
#include <tilewright/launch/distribution.hpp>
#include <tilewright/program/program.hpp>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Whether commands work on data, or only time passes.
enum class model_mode : std::uint8_t { functional, timing };

/// Where an argument lies: in on-chip SRAM, in DRAM, or (automatic) in SRAM if it fits there
/// beside the smaller ones and its size is known, else in DRAM.
enum class placement : std::uint8_t { automatic, sram, dram };

struct model_options {
  model_mode mode = model_mode::functional;
  distribution how = distribution::linear;
  placement placements[max_arguments]{};  ///< by position of the argument
  bool trace = false;
  std::vector<std::int32_t> trace_pes{};  ///< the processing elements to trace; empty for all
};

}  // namespace tilewright::inline TILEWRIGHT_ABI
