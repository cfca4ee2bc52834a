// What each pass made of a kernel, as text.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <tilewright/config.hpp>
#include <tilewright/ir/dump.hpp>
#include <tilewright/passes/pipeline.hpp>
#include <tilewright/program/dump.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Appends the buffers and the steps of a schedule to `out`, which has `append(const char*, size)`.
/// Registers (r3) are nodes (%3) of the graph until `lower`.
template <class Text>
constexpr void dump(const schedule& s, Text& out) {
  using detail::put;
  for (std::int32_t b = 0; b < s.buffers.size(); ++b) detail::put_buffer(out, b, s.buffers[b]);
  int depth = 1;
  for (const step& at : s.steps) {
    if (at.what == step::kind::end_loop) --depth;
    for (int i = 0; i < depth; ++i) put(out, "  ");
    switch (at.what) {
      case step::kind::loop:
        put(out, "loop %", at.at);
        ++depth;
        break;
      case step::kind::end_loop: put(out, "end"); break;
      case step::kind::release:
        put(out, "core ", int{at.core}, "  release b", int{at.released});
        break;
      case step::kind::command:
        put(out, "core ", int{at.core}, "  ");
        detail::put_command(out, at.work);
        put(out, "  ; line ", int{at.work.line});
        break;
    }
    put(out, "\n");
  }
  if (s.error) put(out, "  error: ", sentence_of(s.error.what), " (line ", s.error.line, ")\n");
}

/// The graph of kernel `K` after each pass, and its command program for `Device`, each operation
/// with its source line. Also shows how far a kernel comes that the device cannot run.
template <Kernel K, const auto& Device>
std::string explain() {
  using stages = middle<K>;
  using device_stages = compiled<K, std::remove_cvref_t<decltype(Device)>>;
  std::string text;
  const auto show = [&](const char* pass, const auto& result) {
    detail::put(text, "== ", pass, "\n");
    dump(result, text);
  };
  show("trace", stages::traced);
  show("simplify", stages::simplified);
  show("find_structured_access", stages::structured);
  show("propagate_extent", stages::extended);
  show("assign_units", device_stages::placed);
  show("assign_buffers", device_stages::buffered);
  show("size_buffers", device_stages::sized);
  show("place_pointer_updates", device_stages::pointed);
  show("split_cores", device_stages::split);
  show("lower", device_stages::lowered);
  return text;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
