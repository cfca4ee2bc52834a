// Chooses the unit of each operation by the op table and the device's capabilities.
#pragma once

#include <tilewright/analysis/tile_values.hpp>
#include <tilewright/config.hpp>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/ir/graph.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

/// Type of the elements that a node works on.
constexpr dtype worked_type(const graph& g, const node& n) {
  if (n.code == op::dot || n.code == op::reduce || n.code == op::cast) return g[n.operand(0)].type;
  if (info_of(n.code).kind == op_kind::compare) return g[n.operand(0)].type;
  return n.type;
}

/// The unit for node `n`, or unit::core if the device has none. Block-wise units come first, the
/// vector core takes the rest.
constexpr unit unit_for(const graph& g, const node& n, const device_spec& device) {
  const unit_set able = info_of(n.code).units;
  const dtype type = worked_type(g, n);
  // Operands and result may differ in type: a unit must take both.
  const bool vector = device.vector_rate(type) > 0 && device.vector_rate(n.type) > 0 &&
                      device.vector_core < device.cores;
  const bool simd = device.se_takes(type) && device.se_takes(n.type);
  if (n.code == op::load) return unit::dma_in;
  if (n.code == op::store) return unit::dma_out;
  if (n.code == op::arange) return vector ? unit::vector : unit::core;
  if (n.code == op::dot) {
    const std::int64_t accumulator = elements_of(n.dims) * size_of(n.type);
    if (device.dpe_takes(type) && accumulator <= device.re_accumulator_bytes) return unit::dpe;
    return vector ? unit::vector : unit::core;
  }
  // A copy remains between loop-carried tiles that change places.
  const bool copies = n.code == op::copy;
  if ((copies || contains(able, unit::se)) && simd) return unit::se;
  return (copies || contains(able, unit::vector)) && vector ? unit::vector : unit::core;
}

}  // namespace detail

/// Sets `node::where` of every tile operation. Errors: TW-E010 (an access without structure),
/// TW-E011 (a mask that is no box of leading lanes), TW-E012 (no unit can do it), TW-E017 (a core
/// would need what a unit computes).
constexpr graph assign_units(const graph& g, const device_spec& device) {
  graph result = g;
  if (result.error) return result;
  const node_flags tile = tile_values(g);
  const node_flags on_core = core_scalars(g);
  for (node_id id = 0; id < g.size(); ++id) {
    node& n = result[id];
    if (n.code == op::load || n.code == op::store) {
      if (n.value < 0) {
        result.fail({code::unstructured_access, n.line});
      } else if (on_core[id]) {
        // a core can look at a scalar's mask
      } else if (g.accesses[static_cast<std::int32_t>(n.value)].masked) {
        result.fail({code::unsupported_mask, n.line});
      }
    }
    if (on_core[id] && tile[id]) result.fail({code::unit_to_core, n.line});
    const bool works = n.code == op::store || (tile[id] && !is_view(n.code) && n.code != op::phi);
    if (!works) continue;
    n.where = detail::unit_for(g, n, device);
    if (n.where == unit::core) result.fail({code::no_unit, n.line});
  }
  return result;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
