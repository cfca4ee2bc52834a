// A device as plain data. `mtia_2i.hpp` fills one in; anyone can write another.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/ir/unit.hpp>
#include <tilewright/types/dtype.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Parameters of an MTIA-like accelerator. Rates are per processing element (PE) and core clock
/// cycle unless said otherwise; sizes are in bytes.
struct device_spec {
  const char* name = "";

  // Grid and clock.
  std::int32_t pe_rows = 1;
  std::int32_t pe_cols = 1;
  double clock_ghz = 1.0;
  double job_launch_us = 0.0;

  // RISC-V cores. Core `vector_core` has the vector unit.
  std::int32_t cores = 2;
  std::int32_t vector_core = 1;
  std::int32_t vector_ops_8 = 0;    ///< operations per cycle on 8-bit elements
  std::int32_t vector_ops_16 = 0;   ///< on f16 and 16-bit integers
  std::int32_t vector_ops_32 = 0;   ///< on f32, bf16 and 32-bit integers; half of it on 64 bits
  std::int32_t vector_startup = 8;  ///< cycles from the start of a vector loop to its first result

  // Dot product engine: native command rows x k_bytes x columns on each tile.
  std::int32_t dpe_tiles = 0;
  std::int32_t dpe_rows = 0;
  std::int32_t dpe_k_bytes = 0;
  std::int32_t dpe_columns = 0;
  std::int32_t dpe_mac_8 = 0;   ///< multiply-accumulates per cycle, 8-bit operands
  std::int32_t dpe_mac_16 = 0;  ///< f16 and bf16 operands
  std::int32_t dpe_fill_latency = 0;

  // Reduction engine: accumulators behind the DPE.
  std::int64_t re_accumulator_bytes = 0;
  std::int32_t re_bytes_per_cycle = 0;  ///< clearing and draining
  std::int32_t re_latency = 0;

  // SIMD engine.
  std::int32_t se_lanes = 0;      ///< elements per cycle
  std::int32_t se_lut_lanes = 0;  ///< elements per cycle of functions by lookup table (exp, ...)
  std::int32_t se_latency = 0;

  // Local memory.
  std::int64_t local_bytes = 0;
  std::int32_t circular_buffers = 0;
  std::int32_t pointer_update_cycles = 0;

  // Command processor.
  std::int32_t queue_depth = 16;   ///< commands, per unit and core
  std::int32_t issue_first = 24;   ///< core cycles to set up and issue a command
  std::int32_t issue_repeat = 6;   ///< for each further native step (auto-increment)
  std::int32_t scalar_cycles = 1;  ///< a scalar instruction
  std::int32_t loop_cycles = 2;    ///< loop counter and branch, per iteration

  // Fabric interface (DMA), one direction.
  std::int32_t dma_bytes_per_cycle = 0;
  std::int32_t dma_outstanding_bytes = 0;

  // On-chip SRAM, whole device.
  std::int64_t sram_bytes = 0;
  std::int32_t sram_bytes_per_cycle = 0;  ///< reads and writes together
  std::int32_t sram_latency = 0;          ///< cycles

  // Off-chip DRAM, whole device.
  std::int64_t dram_bytes = 0;
  double dram_gb_per_s = 0.0;    ///< reads and writes together
  double dram_efficiency = 1.0;  ///< share of it that streams reach
  double dram_latency_ns = 0.0;

  constexpr std::int32_t pe_count() const { return pe_rows * pe_cols; }
  constexpr double dram_bytes_per_cycle() const {
    return dram_gb_per_s * dram_efficiency / clock_ghz;
  }
  /// Whether the DPE multiplies operands of `type`.
  constexpr bool dpe_takes(dtype type) const {
    switch (type) {
      case dtype::i8: return dpe_mac_8 > 0;
      case dtype::f16:
      case dtype::bf16: return dpe_mac_16 > 0;
      default: return false;
    }
  }
  /// Whether the SIMD engine works on elements of `type`.
  constexpr bool se_takes(dtype type) const {
    return se_lanes > 0 && (type == dtype::i8 || type == dtype::i32 || type == dtype::f16 ||
                            type == dtype::bf16 || type == dtype::f32 || type == dtype::i1);
  }
  /// Vector-core operations per cycle on elements of `type`.
  constexpr double vector_rate(dtype type) const {
    switch (size_of(type)) {
      case 1: return vector_ops_8;
      case 2: return type == dtype::bf16 ? vector_ops_32 : vector_ops_16;
      case 8: return vector_ops_32 / 2.0;
      default: return vector_ops_32;
    }
  }
};

}  // namespace tilewright::inline TILEWRIGHT_ABI
