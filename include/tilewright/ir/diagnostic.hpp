// What can be wrong with a kernel, as data: one code, the source line and two numbers.
#pragma once

#include <cstdint>

namespace tilewright {

// X(name, number, sentence, need, have): the errors of tracing and of the passes. `need` and `have`
// say what the two numbers of a diagnostic count. docs/diagnostics.md has cause, example and cure.
#define TILEWRIGHT_DIAGNOSTICS(X)                                                                \
  X(graph_full, 1, "TW-E001: the kernel needs more graph nodes than there is room for", "nodes",  \
    "nodes")                                                                                     \
  X(loop_left_open, 2, "TW-E002: a tl.range loop was left by break or return", "", "")           \
  X(zero_step, 3, "TW-E003: a tl.range loop has step 0", "", "")                                 \
  X(malformed, 4, "TW-E004: the graph is malformed", "rule", "node")                             \
  X(too_many_accesses, 5, "TW-E005: the kernel has more loads and stores than there is room for", \
    "accesses", "accesses")                                                                      \
  X(literal_range, 6,                                                                            \
    "TW-E006: an integer literal is outside the range of the type that it takes", "", "")        \
  X(no_such_axis, 7, "TW-E007: a grid has axes 0, 1 and 2", "", "")                              \
  X(unstructured_access, 10,                                                                     \
    "TW-E010: this access has no base, sizes and strides that DMA could use", "", "")            \
  X(unsupported_mask, 11, "TW-E011: this mask does not select leading lanes of each dimension",  \
    "", "")                                                                                      \
  X(no_unit, 12, "TW-E012: no unit of this device can do this operation", "", "")                \
  X(local_memory, 13, "TW-E013: the kernel's buffers do not fit in local memory", "bytes",       \
    "bytes")                                                                                     \
  X(too_many_buffers, 14,                                                                        \
    "TW-E014: the kernel needs more circular buffers than the device has", "buffers", "buffers") \
  X(accumulator_too_large, 15,                                                                   \
    "TW-E015: the accumulators do not fit in the reduction engine", "bytes", "bytes")            \
  X(program_full, 16, "TW-E016: the command program is longer than there is room for",           \
    "entries", "entries")                                                                        \
  X(device_deadlock, 20, "TW-E020: the command program cannot advance", "", "")

/// Codes of diagnostics.
enum class code : std::int16_t {
  ok = 0,
#define TILEWRIGHT_X(name, number, sentence, need, have) name = number,
  TILEWRIGHT_DIAGNOSTICS(TILEWRIGHT_X)
#undef TILEWRIGHT_X
};

/// An error of a pass: the source line and the numbers that the sentence of the code speaks of.
struct diagnostic {
  code what = code::ok;
  std::int32_t line = 0;
  std::int64_t need = 0;
  std::int64_t have = 0;

  constexpr explicit operator bool() const { return what != code::ok; }
};

/// The sentence of a code.
constexpr const char* sentence_of(code what) {
  switch (what) {
    case code::ok: break;
#define TILEWRIGHT_X(name, number, sentence, need, have) \
  case code::name: return sentence;
      TILEWRIGHT_DIAGNOSTICS(TILEWRIGHT_X)
#undef TILEWRIGHT_X
  }
  return "no error";
}

namespace detail {

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
#define TILEWRIGHT_X(name, number, sentence, need_what, have_what) \
  static_assert(What != code::name, sentence);
  TILEWRIGHT_DIAGNOSTICS(TILEWRIGHT_X)
#undef TILEWRIGHT_X
  static constexpr bool ok = What == code::ok;
};

/// True, or a compile error that shows the sentence, the line and the numbers of `Source::error`.
template <class Source>
constexpr bool check() {
  constexpr diagnostic e = Source::error;
  return kernel_error<e.what, line<e.line>, need<e.need>, have<e.have>>::ok;
}

}  // namespace detail

}  // namespace tilewright
