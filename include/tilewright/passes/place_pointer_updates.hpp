// Decides where read pointers move.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/detail/on_heap.hpp>
#include <tilewright/passes/schedule.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

/// For each step the index of the loop step around it, or -1.
struct step_regions {
  std::int32_t loop_of[320] = {};
  std::int32_t end_of[320] = {};  ///< by loop step

  constexpr explicit step_regions(const schedule& s) {
    std::int32_t current = -1;
    for (std::int32_t i = 0; i < s.steps.size(); ++i) {
      if (s.steps[i].what == step::kind::end_loop) {
        end_of[current] = i;
        current = loop_of[current];
      }
      loop_of[i] = current;
      if (s.steps[i].what == step::kind::loop) current = i;
    }
  }
};

}  // namespace detail

/// Groups the steps that touch a buffer into the range from its first push to its last use. If the
/// last use is a read in the same loop body as the push, that read pops the tile; else a release
/// follows the range (after the inner loop that the last use lies in). Write pointers move with the
/// commands that fill a tile, and queues of loop-carried tiles are released at the end of each
/// iteration, both since assign_buffers.
constexpr schedule place_pointer_updates(const schedule& s) {
  schedule result;
  if (s.error) {
    result = s;
    return result;
  }
  result.source = s.source;
  result.buffers = s.buffers;
  const auto copy = detail::on_heap([&] { return schedule(s); });
  schedule& marked = *copy;
  const detail::step_regions regions(s);
  std::int32_t release_after[48] = {};
  for (std::int32_t b = 0; b < s.buffers.size(); ++b) {
    const buffer_index index = static_cast<buffer_index>(b);
    std::int32_t first = -1;
    std::int32_t last = -1;
    for (std::int32_t i = 0; i < s.steps.size(); ++i) {
      const step& at = s.steps[i];
      const bool touches =
          at.what == step::kind::release
              ? at.released == index
              : at.what == step::kind::command && (reads(at.work, index) || writes(at.work, index));
      if (!touches) continue;
      if (first < 0) first = i;
      last = i;
    }
    release_after[b] = -1;
    if (first < 0) continue;
    step& user = marked.steps[last];
    const bool same_body = regions.loop_of[first] == regions.loop_of[last];
    if (same_body && user.what == step::kind::command && reads(user.work, index) &&
        !writes(user.work, index)) {
      for (std::int32_t i = 2; i >= 0; --i) {
        operand& input = user.work.inputs[i];
        if (input.from != operand::source::buffer || input.index != index) continue;
        input.advances = true;
        break;  // one pop, even if the tile is read twice
      }
      continue;
    }
    std::int32_t end = last;
    while (regions.loop_of[end] >= 0 && regions.loop_of[end] != regions.loop_of[first]) {
      end = regions.end_of[regions.loop_of[end]];
    }
    release_after[b] = end;
  }
  for (std::int32_t i = 0; i < s.steps.size(); ++i) {
    result.add(marked.steps[i]);
    for (std::int32_t b = 0; b < s.buffers.size(); ++b) {
      if (release_after[b] != i) continue;
      step release;
      release.what = step::kind::release;
      release.at = s.steps[i].at;
      release.released = static_cast<buffer_index>(b);
      result.add(release);
    }
  }
  return result;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
