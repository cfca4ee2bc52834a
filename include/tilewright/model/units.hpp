// How long each unit takes for a command. docs/design/device.md has the sources of the figures.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tilewright/config.hpp>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/program/program.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::model_detail {

/// Lanes that a command works on, per dimension of its `dims`.
struct lanes {
  std::int64_t extents[max_rank]{};
  std::int64_t count = 1;
};

constexpr std::int64_t ceil_div(std::int64_t x, std::int64_t y) { return (x + y - 1) / y; }

/// Cycles that `amount` takes at `rate` a cycle, which need not be a whole number.
constexpr std::int64_t whole_cycles(std::int64_t amount, double rate) {
  const auto cycles = static_cast<std::int64_t>(static_cast<double>(amount) / rate);
  return static_cast<double>(cycles) * rate < static_cast<double>(amount) ? cycles + 1 : cycles;
}

/// Whether the results of `code` count as floating-point operations.
constexpr bool is_arithmetic(op code) {
  return code == op::reduce || info_of(code).kind != op_kind::structural;
}

/// Element type that decides the rate: the wider of operands and result.
constexpr dtype rate_type(const command& what) {
  const dtype in = what.inputs[0].type;
  return size_of(in) > size_of(what.type) ? in : what.type;
}

/// Multiply-accumulates per cycle of the DPE on operands of `type`.
constexpr std::int64_t dpe_rate(const device_spec& spec, dtype type) {
  return size_of(type) == 1 ? spec.dpe_mac_8 : spec.dpe_mac_16;
}
constexpr std::int64_t se_rate(const device_spec& spec, op code) {
  return info_of(code).kind == op_kind::unary_float ? spec.se_lut_lanes : spec.se_lanes;
}

/// Cycles of a dot of m x n x k. A native step takes `dpe_rows` rows, `dpe_k_bytes` bytes of k and
/// `dpe_columns` columns on each tile; the tiles share either the rows or the columns out among
/// them, whichever needs fewer steps. Parts of a step cost as much as a whole one.
constexpr std::int64_t dpe_cycles(const device_spec& spec, dtype type, std::int64_t m,
                                  std::int64_t n, std::int64_t k) {
  const std::int64_t depth = spec.dpe_k_bytes / size_of(type);
  const std::int64_t by_rows =
      ceil_div(m, spec.dpe_tiles * spec.dpe_rows) * ceil_div(n, spec.dpe_columns);
  const std::int64_t by_columns =
      ceil_div(m, spec.dpe_rows) * ceil_div(n, spec.dpe_tiles * spec.dpe_columns);
  const std::int64_t steps = std::min(by_rows, by_columns) * ceil_div(k, depth);
  const std::int64_t step_macs =
      std::int64_t{spec.dpe_tiles} * spec.dpe_rows * depth * spec.dpe_columns;
  return ceil_div(steps * step_macs, dpe_rate(spec, type));
}

/// Vector-core operations of a command: two per multiply-accumulate.
constexpr std::int64_t vector_work(const command& what, const lanes& on) {
  return what.code == op::dot ? 2 * on.count : on.count * info_of(what.code).cost;
}

/// Cycles for which a command keeps its unit (DMA apart: its time depends on what else moves).
/// - DPE: `dpe_cycles`; the fill latency is added by the model where a chain starts.
/// - RE: bytes of the tile / re_bytes_per_cycle.
/// - SE: lanes / se_lanes, or / se_lut_lanes for functions by table. A reduction takes its input's
///   lanes.
/// - vector core: vector_startup + operations / vector_rate.
constexpr std::int64_t busy_cycles(const command& what, const lanes& on, const device_spec& spec) {
  if (on.count == 0) return 0;
  switch (what.where) {
    case unit::dpe: return dpe_cycles(spec, what.type, on.extents[0], on.extents[1], on.extents[2]);
    case unit::re: return ceil_div(on.count * size_of(what.output.type), spec.re_bytes_per_cycle);
    case unit::se: return ceil_div(on.count, se_rate(spec, what.code));
    default:
      return spec.vector_startup +
             whole_cycles(vector_work(what, on), spec.vector_rate(rate_type(what)));
  }
}

/// Cycles from the end of a command's work to its result; the unit goes on meanwhile.
constexpr std::int64_t result_latency(unit where, const device_spec& spec) {
  if (where == unit::re) return spec.re_latency;
  if (where == unit::se) return spec.se_latency;
  return 0;
}

/// nullptr, or why the device cannot carry out the command.
constexpr const char* unsupported(const command& what, const device_spec& spec) {
  switch (what.where) {
    case unit::dma_in:
    case unit::dma_out: return spec.dma_bytes_per_cycle > 0 ? nullptr : "the device has no DMA";
    case unit::dpe:
      if (!spec.dpe_takes(what.type)) return "the DPE does not multiply this element type";
      return spec.dpe_tiles > 0 && spec.dpe_rows > 0 && spec.dpe_columns > 0 &&
                     spec.dpe_k_bytes >= size_of(what.type)
                 ? nullptr
                 : "the DPE's native command takes no rows, columns or elements of k";
    case unit::re:
      return spec.re_bytes_per_cycle > 0 ? nullptr : "the device has no reduction engine";
    case unit::se:
      if (!spec.se_takes(what.type)) return "the SIMD engine does not work on this element type";
      return se_rate(spec, what.code) > 0 ? nullptr
                                          : "the SIMD engine has no functions by lookup table";
    case unit::vector:
      return spec.vector_rate(rate_type(what)) > 0
                 ? nullptr
                 : "the vector core does not work on this element type";
    default: return "this unit carries out no command of the model";
  }
}

}  // namespace tilewright::inline TILEWRIGHT_ABI::model_detail
