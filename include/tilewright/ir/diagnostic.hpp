// What can be wrong with a kernel, as data: one code, the source line and two numbers.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Errors of tracing, of the passes and of a device's programs. docs/diagnostics.md has the cause,
/// an example and the cure of each, and says what the two numbers of a diagnostic count.
enum class code : std::int16_t {
  ok = 0,
  graph_full = 1,
  loop_left_open = 2,
  zero_step = 3,
  malformed = 4,
  too_many_accesses = 5,
  literal_range = 6,
  no_such_axis = 7,
  unstructured_access = 10,
  unsupported_mask = 11,
  no_unit = 12,
  local_memory = 13,
  too_many_buffers = 14,
  accumulator_too_large = 15,
  program_full = 16,
  unit_to_core = 17,
  core_load_order = 18,
  device_deadlock = 20,
};

/// An error of a pass: the source line and the numbers that the sentence of the code speaks of.
struct diagnostic {
  code what = code::ok;
  std::int32_t line = 0;
  std::int64_t need = 0;
  std::int64_t have = 0;

  constexpr explicit operator bool() const { return what != code::ok; }
};

// A static_assert takes nothing but a literal, so the sentences are macros.
#define TILEWRIGHT_E001                                                                            \
  "TW-E001: the kernel needs more graph nodes, nested loops or loop variables than there is room " \
  "for"
#define TILEWRIGHT_E002 "TW-E002: a tl.range loop was left by break or return"
#define TILEWRIGHT_E003 "TW-E003: a tl.range loop has step 0"
#define TILEWRIGHT_E004 "TW-E004: the graph is malformed"
#define TILEWRIGHT_E005 "TW-E005: the kernel has more loads and stores than there is room for"
#define TILEWRIGHT_E006 "TW-E006: an integer literal is outside the range of the type that it takes"
#define TILEWRIGHT_E007 "TW-E007: a grid has axes 0, 1 and 2"
#define TILEWRIGHT_E010 "TW-E010: this access has no base, sizes and strides that DMA could use"
#define TILEWRIGHT_E011 "TW-E011: this mask does not select leading lanes of each dimension"
#define TILEWRIGHT_E012 "TW-E012: no unit of this device can do this operation"
#define TILEWRIGHT_E013 "TW-E013: the kernel's buffers do not fit in local memory"
#define TILEWRIGHT_E014 "TW-E014: the kernel needs more circular buffers than the device has"
#define TILEWRIGHT_E015 "TW-E015: the accumulators do not fit in the reduction engine"
#define TILEWRIGHT_E016 "TW-E016: the command program is longer than there is room for"
#define TILEWRIGHT_E017 \
  "TW-E017: an address, a mask or a loop bound depends on a value that a unit computes"
#define TILEWRIGHT_E018 \
  "TW-E018: an address, a mask or a loop bound is loaded from memory that the kernel stores to"
#define TILEWRIGHT_E020 "TW-E020: the command program cannot advance"

/// The sentence of a code.
constexpr const char* sentence_of(code what) {
  switch (what) {
    case code::ok: return "no error";
    case code::graph_full: return TILEWRIGHT_E001;
    case code::loop_left_open: return TILEWRIGHT_E002;
    case code::zero_step: return TILEWRIGHT_E003;
    case code::malformed: return TILEWRIGHT_E004;
    case code::too_many_accesses: return TILEWRIGHT_E005;
    case code::literal_range: return TILEWRIGHT_E006;
    case code::no_such_axis: return TILEWRIGHT_E007;
    case code::unstructured_access: return TILEWRIGHT_E010;
    case code::unsupported_mask: return TILEWRIGHT_E011;
    case code::no_unit: return TILEWRIGHT_E012;
    case code::local_memory: return TILEWRIGHT_E013;
    case code::too_many_buffers: return TILEWRIGHT_E014;
    case code::accumulator_too_large: return TILEWRIGHT_E015;
    case code::program_full: return TILEWRIGHT_E016;
    case code::unit_to_core: return TILEWRIGHT_E017;
    case code::core_load_order: return TILEWRIGHT_E018;
    case code::device_deadlock: return TILEWRIGHT_E020;
  }
  return "unknown error";
}

// Names for the numbers that the compiler prints beside a sentence.
template <std::int64_t Value>
struct line;
template <std::int64_t Value>
struct need;
template <std::int64_t Value>
struct have;

/// Instantiated with the error of a kernel, this is where compilation stops.
template <code What, class Line, class Need, class Have>
struct kernel_error {
  static_assert(What != code::graph_full, TILEWRIGHT_E001);
  static_assert(What != code::loop_left_open, TILEWRIGHT_E002);
  static_assert(What != code::zero_step, TILEWRIGHT_E003);
  static_assert(What != code::malformed, TILEWRIGHT_E004);
  static_assert(What != code::too_many_accesses, TILEWRIGHT_E005);
  static_assert(What != code::literal_range, TILEWRIGHT_E006);
  static_assert(What != code::no_such_axis, TILEWRIGHT_E007);
  static_assert(What != code::unstructured_access, TILEWRIGHT_E010);
  static_assert(What != code::unsupported_mask, TILEWRIGHT_E011);
  static_assert(What != code::no_unit, TILEWRIGHT_E012);
  static_assert(What != code::local_memory, TILEWRIGHT_E013);
  static_assert(What != code::too_many_buffers, TILEWRIGHT_E014);
  static_assert(What != code::accumulator_too_large, TILEWRIGHT_E015);
  static_assert(What != code::program_full, TILEWRIGHT_E016);
  static_assert(What != code::unit_to_core, TILEWRIGHT_E017);
  static_assert(What != code::core_load_order, TILEWRIGHT_E018);
};

/// Stops compilation if `Source::error` is set, showing the sentence, the line and the numbers.
template <class Source>
struct without_error : Source {
  static constexpr diagnostic e = Source::error;
  static_assert(sizeof(kernel_error<e.what, line<e.line>, need<e.need>, have<e.have>>) > 0);
};

}  // namespace tilewright::inline TILEWRIGHT_ABI
