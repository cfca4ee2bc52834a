// The passes in order, from a kernel to its command program for a device.
#pragma once

#include <tilewright/config.hpp>
#include <tilewright/detail/on_heap.hpp>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/ir/verify.hpp>
#include <tilewright/passes/assign_buffers.hpp>
#include <tilewright/passes/assign_units.hpp>
#include <tilewright/passes/lower.hpp>
#include <tilewright/passes/middle.hpp>
#include <tilewright/passes/place_pointer_updates.hpp>
#include <tilewright/passes/size_buffers.hpp>
#include <tilewright/passes/split_cores.hpp>
#include <tilewright/program/program.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Kernel `K` after each pass for a device of type `Device`; its device-independent stages are
/// those of `middle<K>`. Each member is a compile-time constant evaluated on its own.
template <Kernel K, class Device>
struct compiled {
  static constexpr graph placed = assign_units(middle<K>::extended, Device{});
  static constexpr schedule buffered = assign_buffers(placed, Device{});
  static constexpr schedule sized = size_buffers(buffered, Device{});
  static constexpr schedule pointed = place_pointer_updates(sized);
  static constexpr schedule split = split_cores(pointed, Device{});
  static constexpr command_program lowered = lower(split, Device{});
  static constexpr diagnostic error = lowered.error;
};

/// The command program of kernel `K` for `Device`, a compile-time constant. A kernel that the device
/// cannot run is a compile error: the sentence of its TW-E code, the line and the numbers.
template <Kernel K, const auto& Device>
inline constexpr const command_program& program =
    without_error<compiled<K, std::remove_cvref_t<decltype(Device)>>>::lowered;

/// The same passes on any graph and device, at run time. `overlapping` is the set of arguments (bit
/// p for argument p) whose memory overlaps; by default no two do. Errors: those of all passes, and
/// TW-E004 for a graph that breaks a rule.
constexpr command_program compile(const graph& traced, const device_spec& device,
                                  std::uint32_t overlapping = 0) {
  using detail::on_heap;
  if (const diagnostic broken = verify(traced)) return failed_program(broken);
  const auto simplified = on_heap([&] { return simplify(traced); });
  const auto structured = on_heap([&] { return find_structured_access(*simplified); });
  const auto extended = on_heap([&] { return propagate_extent(*structured); });
  const auto placed = on_heap([&] { return assign_units(*extended, device); });
  const auto buffered = on_heap([&] { return assign_buffers(*placed, device); });
  const auto sized = on_heap([&] { return size_buffers(*buffered, device); });
  const auto pointed = on_heap([&] { return place_pointer_updates(*sized); });
  const auto split = on_heap([&] { return split_cores(*pointed, device, overlapping); });
  return lower(*split, device);
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
