// The modelled device as a launch target.
#pragma once

#include <cstdint>
#include <span>
#include <tilewright/config.hpp>
#include <tilewright/detail/message.hpp>
#include <tilewright/detail/on_heap.hpp>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/error.hpp>
#include <tilewright/launch/overlap.hpp>
#include <tilewright/model/model.hpp>
#include <tilewright/passes/pipeline.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Runs kernels on a model of `Device`. A `Device` of its own type (such as `mtia_2i_device`) has
/// its programs compiled at compile time; a plain `device_spec` at run time, for sweeps over
/// designs, where a kernel that the device cannot run calls `fail` with its TW-E sentence.
template <class Device>
struct model_target {
  Device device{};
  model_options options{};

  /// Only time is counted; no data is touched, and arguments may be `unbacked`.
  model_target timing() const {
    model_target changed = *this;
    changed.options.mode = model_mode::timing;
    return changed;
  }
  /// Programs are dealt to processing elements as `how` says (default: linear).
  model_target distributed(distribution how) const {
    model_target changed = *this;
    changed.options.how = how;
    return changed;
  }
  /// Argument number `position` lies in `where`.
  model_target placed(int position, placement where) const {
    model_target changed = *this;
    changed.options.placements[position] = where;
    return changed;
  }
  /// The report keeps a trace of the processing elements `pes` (all of them if empty).
  model_target traced(std::vector<std::int32_t> pes = {}) const {
    model_target changed = *this;
    changed.options.trace = true;
    changed.options.trace_pes = std::move(pes);
    return changed;
  }

  template <Kernel K>
  report run(const grid& programs, std::span<const argument> arguments) const {
    const std::uint32_t overlapping = overlapping_arguments(arguments);
    if constexpr (!std::is_same_v<Device, device_spec>) {
      using constant = without_error<compiled<K, Device>>;
      // The constant program takes arguments for memory of their own.
      if (overlapping == 0)
        return run_program(constant::lowered, device, programs, arguments, options);
    }
    const auto traced = detail::on_heap([] { return trace<K>(); });
    const auto made = detail::on_heap([&] { return compile(*traced, device, overlapping); });
    if (made->error) {
      detail::message text;
      detail::put(text, sentence_of(made->error.what), " (line ", made->error.line, ", need ",
                  made->error.need, ", have ", made->error.have, ")");
      fail(text.c_str());
    }
    return run_program(*made, device, programs, arguments, options);
  }
};

/// `tw::launch<kernel>(tw::model(tw::mtia_2i), grid, ...)` returns a `report`.
template <class Device>
model_target<Device> model(const Device& device) {
  return {device, {}};
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
