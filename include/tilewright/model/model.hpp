// Running a command program on the modelled device.
#pragma once

#include <cstdint>
#include <span>
#include <tilewright/config.hpp>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/launch/arguments.hpp>
#include <tilewright/launch/distribution.hpp>
#include <tilewright/launch/grid.hpp>
#include <tilewright/model/options.hpp>
#include <tilewright/model/report.hpp>
#include <tilewright/model/simulator.hpp>
#include <tilewright/program/program.hpp>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Runs `what` for every program of `programs` on the device and returns what it took. In
/// functional mode the arguments' memory is read and written.
///
/// Calls `fail` when the program is malformed or does not fit the device, when arguments do not
/// match its parameters, when an access leaves an argument of known size, when a program pops more
/// or fewer tiles than it pushes, and when the program cannot advance (with each buffer's fill and
/// who waits for what).
inline report run_program(const command_program& what, const device_spec& spec,
                          const grid& programs, std::span<const argument> arguments,
                          const model_options& options = {}) {
  model_detail::simulator device(what, spec, programs, arguments, options);
  return device.run();
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
