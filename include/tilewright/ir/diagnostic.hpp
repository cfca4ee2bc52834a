// What can be wrong with a kernel, as data: one code, the source line and two numbers.
#pragma once

#include <cstdint>

namespace tilewright {

/// Codes of diagnostics; `docs/diagnostics.md` explains each.
enum class code : std::int16_t {
  ok = 0,
  graph_full = 1,            ///< more nodes than TILEWRIGHT_MAX_NODES
  loop_left_open = 2,        ///< a loop was left by break or return
  zero_step = 3,             ///< tl.range with a constant step of 0
  malformed = 4,             ///< the verifier found an impossible graph
  too_many_accesses = 5,     ///< more loads and stores than a graph has room for
  literal_range = 6,         ///< an integer literal outside the range of its type
  no_such_axis = 7,          ///< tl.program_id or tl.num_programs of an axis other than 0, 1, 2
  unstructured_access = 10,  ///< the device pipeline needs base, sizes and strides
  unsupported_mask = 11,     ///< the device pipeline needs a mask that is a box from lane 0
  no_unit = 12,              ///< no unit of the device can do it
  local_memory = 13,         ///< the buffers do not fit in local memory
  too_many_buffers = 14,     ///< more circular buffers than the device has
  accumulator_too_large = 15,///< an accumulator exceeds RE and local memory
  program_full = 16,         ///< more commands than a program has room for
  unsupported_loop_value = 17,  ///< a loop-carried block that cannot be given a buffer
  runtime_shape = 18,        ///< a DMA stride or extent that isn't loop invariant data
  device_deadlock = 20,      ///< (model) a program that cannot advance
};

/// An error of a pass. `need` and `have` are the numbers that the sentence of the code speaks of.
struct diagnostic {
  code what = code::ok;
  std::int32_t line = 0;
  std::int64_t need = 0;
  std::int64_t have = 0;

  constexpr explicit operator bool() const { return what != code::ok; }
};

/// The sentence of a code, as it also stands in the static_assert.
constexpr const char* sentence_of(code what) {
  switch (what) {
    case code::ok: return "no error";
    case code::graph_full: return "TW-E001: the kernel needs more graph nodes than there is room for";
    case code::loop_left_open: return "TW-E002: a tl.range loop was left by break or return";
    case code::zero_step: return "TW-E003: a tl.range loop has step 0";
    case code::malformed: return "TW-E004: the graph is malformed";
    case code::too_many_accesses: return "TW-E005: the kernel has more loads and stores than there is room for";
    case code::literal_range:
      return "TW-E006: an integer literal is outside the range of the type that it takes";
    case code::no_such_axis: return "TW-E007: a grid has axes 0, 1 and 2";
    case code::unstructured_access:
      return "TW-E010: this access has no base, sizes and strides that DMA could use";
    case code::unsupported_mask:
      return "TW-E011: this mask does not select leading lanes of each dimension";
    case code::no_unit: return "TW-E012: no unit of this device can do this operation";
    case code::local_memory: return "TW-E013: the kernel's buffers do not fit in local memory";
    case code::too_many_buffers:
      return "TW-E014: the kernel needs more circular buffers than the device has";
    case code::accumulator_too_large:
      return "TW-E015: an accumulator fits neither in the reduction engine nor in local memory";
    case code::program_full: return "TW-E016: the command program is longer than there is room for";
    case code::unsupported_loop_value:
      return "TW-E017: a loop-carried block cannot be kept in a circular buffer";
    case code::runtime_shape: return "TW-E018: a stride or extent of an access varies inside it";
    case code::device_deadlock: return "TW-E020: the command program cannot advance";
  }
  return "unknown error";
}

}  // namespace tilewright
