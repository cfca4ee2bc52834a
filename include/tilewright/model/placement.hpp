// Checking the arguments of a run, and deciding which memory each lies in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <tilewright/config.hpp>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/error.hpp>
#include <tilewright/launch/arguments.hpp>
#include <tilewright/launch/grid.hpp>
#include <tilewright/model/options.hpp>
#include <tilewright/model/report.hpp>
#include <tilewright/program/program.hpp>
#include <tilewright/program/queries.hpp>
#include <utility>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI::model_detail {

/// Calls `fail` when the arguments are not what the program's parameters ask for.
inline void check_arguments(const command_program& what, const grid& programs,
                            std::span<const argument> arguments, const model_options& options) {
  if (arguments.size() != static_cast<std::size_t>(what.parameters.size())) {
    fail(("model: the program has " + std::to_string(what.parameters.size()) +
          " parameters, the launch " + std::to_string(arguments.size()) + " arguments")
             .c_str());
  }
  for (std::int32_t p = 0; p < what.parameters.size(); ++p) {
    const parameter& wanted = what.parameters[p];
    const argument& given = arguments[static_cast<std::size_t>(p)];
    if (given.pointer != wanted.pointer || given.type != wanted.type) {
      fail(("model: argument " + std::to_string(p) + " is " +
            (given.pointer ? "a pointer to " : "a scalar ") + name_of(given.type) +
            ", the parameter " + (wanted.pointer ? "a pointer to " : "a scalar ") +
            name_of(wanted.type))
               .c_str());
    }
  }
  if (options.mode == model_mode::timing || programs.programs() == 0) return;
  for (const command& each : what.commands) {
    if (!is_transfer(each.code)) continue;
    const argument& given = arguments[static_cast<std::size_t>(each.argument)];
    if (given.address == nullptr && given.elements != 0) {
      fail(("model: argument " + std::to_string(each.argument) + " of line " +
            std::to_string(each.line) +
            " is null, or memory without contents, which only timing mode can use")
               .c_str());
    }
  }
}

/// The memory of each argument. Arguments at one address share a memory.
inline std::vector<memory> place_arguments(std::span<const argument> arguments,
                                           const device_spec& spec, const model_options& options) {
  std::vector<memory> placed(arguments.size(), memory::dram);
  std::vector<std::size_t> waiting;
  std::int64_t used = 0;
  const auto bytes_of = [&](std::size_t at) {
    return arguments[at].elements * size_of(arguments[at].type);
  };
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    if (!arguments[at].pointer) continue;
    const placement wish = options.placements[at];
    if (wish == placement::sram) {
      placed[at] = memory::sram;
      used += std::max<std::int64_t>(0, bytes_of(at));
    } else if (wish == placement::automatic && arguments[at].elements >= 0) {
      waiting.push_back(at);
    }
  }
  if (used > spec.sram_bytes) {
    fail(("model: the arguments placed in SRAM need " + std::to_string(used) + " bytes of " +
          std::to_string(spec.sram_bytes))
             .c_str());
  }
  std::sort(waiting.begin(), waiting.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(bytes_of(a), a) < std::pair(bytes_of(b), b);
  });
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    // Of several arguments at one address, the largest comes last and decides.
    const std::size_t at = waiting[i];
    const auto same = [&](std::size_t other) {
      return arguments[other].address != nullptr &&
             arguments[other].address == arguments[at].address;
    };
    if (std::any_of(waiting.begin() + static_cast<std::ptrdiff_t>(i) + 1, waiting.end(), same)) {
      continue;
    }
    if (used + bytes_of(at) > spec.sram_bytes) break;
    used += bytes_of(at);
    for (std::size_t j = 0; j <= i; ++j) {
      if (waiting[j] == at || same(waiting[j])) placed[waiting[j]] = memory::sram;
    }
  }
  return placed;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI::model_detail
