// The second-generation MTIA inference chip. docs/design/device.md gives each figure's source.
#pragma once

#include <tilewright/config.hpp>
#include <tilewright/device/device_spec.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// MTIA 2i: 8x8 PEs at 1.35 GHz, 177 TFLOP/s f16, 256 MB SRAM, 204.8 GB/s LPDDR5.
struct mtia_2i_device : device_spec {
  constexpr mtia_2i_device() {
    name = "mtia_2i";
    pe_rows = 8;
    pe_cols = 8;
    clock_ghz = 1.35;
    job_launch_us = 1.0;
    cores = 2;
    vector_core = 1;
    vector_ops_8 = 64;
    vector_ops_16 = 32;
    vector_ops_32 = 16;
    dpe_tiles = 2;
    dpe_rows = 32;
    dpe_k_bytes = 32;
    dpe_columns = 32;
    dpe_mac_8 = 2048;
    dpe_mac_16 = 1024;
    dpe_fill_latency = 32;
    re_accumulator_bytes = 32768;
    re_bytes_per_cycle = 128;
    re_latency = 4;
    se_lanes = 32;
    se_lut_lanes = 16;
    se_latency = 12;
    local_bytes = 393216;
    circular_buffers = 15;
    pointer_update_cycles = 2;
    queue_depth = 16;
    issue_first = 24;
    issue_repeat = 6;
    dma_bytes_per_cycle = 64;
    dma_outstanding_bytes = 128 * 256;
    sram_bytes = 268435456;
    sram_bytes_per_cycle = 2048;
    sram_latency = 100;
    dram_bytes = 137438953472;
    dram_gb_per_s = 204.8;
    dram_efficiency = 0.87;
    dram_latency_ns = 200.0;
  }
};

inline constexpr mtia_2i_device mtia_2i{};

}  // namespace tilewright::inline TILEWRIGHT_ABI
