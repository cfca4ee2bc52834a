// A device with small round figures, so that tests can work cycles out by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/launch/arguments.hpp>
#include <tilewright/program/builder.hpp>
#include <tilewright/types/convert.hpp>
#include <vector>

namespace tilewright::test {

/// One processing element at 1 GHz. A command issued with the tests' 4 cycles takes a cycle more
/// for each pointer that it moves.
inline device_spec tiny_device() {
  device_spec spec;
  spec.name = "tiny";
  spec.pe_rows = 1;
  spec.pe_cols = 1;
  spec.clock_ghz = 1.0;
  spec.cores = 2;
  spec.vector_core = 1;
  spec.vector_ops_8 = 16;
  spec.vector_ops_16 = 8;
  spec.vector_ops_32 = 4;
  spec.vector_startup = 2;
  spec.dpe_tiles = 1;
  spec.dpe_rows = 2;
  spec.dpe_k_bytes = 4;  // two f16, four i8
  spec.dpe_columns = 2;
  spec.dpe_mac_8 = 8;
  spec.dpe_mac_16 = 4;  // a native step of 2 x 2 x 2 takes 2 cycles
  spec.dpe_fill_latency = 3;
  spec.re_accumulator_bytes = 1024;
  spec.re_bytes_per_cycle = 8;
  spec.re_latency = 1;
  spec.se_lanes = 4;
  spec.se_lut_lanes = 2;
  spec.se_latency = 5;
  spec.local_bytes = 16384;
  spec.circular_buffers = 15;
  spec.pointer_update_cycles = 1;
  spec.queue_depth = 2;
  spec.scalar_cycles = 1;
  spec.loop_cycles = 2;
  spec.dma_bytes_per_cycle = 8;
  spec.dma_outstanding_bytes = 1024;
  spec.sram_bytes = 1 << 20;
  spec.sram_bytes_per_cycle = 16;
  spec.sram_latency = 10;
  spec.dram_bytes = 1 << 30;
  spec.dram_gb_per_s = 4.0;
  spec.dram_latency_ns = 20.0;
  return spec;
}

inline constexpr std::int32_t issue_cycles = 4;

template <class T>
argument pointer_to(std::vector<T>& values) {
  return {dtype_v<T>, true, values.data(), static_cast<std::int64_t>(values.size()), 0};
}
inline argument unbacked_argument(dtype type, std::int64_t elements) {
  return {type, true, nullptr, elements, 0};
}
template <class T>
argument scalar_of(T value) {
  return {dtype_v<T>, false, nullptr, -1, to_bits(value)};
}

}  // namespace tilewright::test
