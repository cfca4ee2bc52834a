// Greedy sizes for the circular buffers.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/passes/schedule.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

inline constexpr std::int64_t buffer_alignment = 64;

constexpr std::int64_t aligned_bytes(const buffer& b) {
  return (b.bytes() + buffer_alignment - 1) / buffer_alignment * buffer_alignment;
}

/// Bytes of the memory space that buffers take together.
constexpr std::int64_t used_bytes(const schedule& s, memory_space space) {
  std::int64_t used = 0;
  for (const buffer& b : s.buffers) {
    if (b.space == space) used += aligned_bytes(b);
  }
  return used;
}

constexpr bool filled_by_dma(const schedule& s, buffer_index b) {
  for (const step& at : s.steps) {
    if (at.what == step::kind::command && at.work.code == op::load && writes(at.work, b)) {
      return true;
    }
  }
  return false;
}

}  // namespace detail

/// Tiles that DMA may run ahead of the units that use them.
inline constexpr std::int32_t most_tiles_ahead = 8;

/// Every buffer starts at the smallest multiplier that runs. Then, while all still fit: each gets a
/// second tile, so that producer and consumer overlap, and those that DMA fills grow one tile at a
/// time, in turn, to cover the latency of memory. Offsets are assigned in order, 64-byte aligned.
constexpr schedule size_buffers(const schedule& s, const device_spec& device) {
  schedule result = s;
  if (result.error) return result;
  std::int64_t used[2] = {detail::used_bytes(s, memory_space::local),
                          detail::used_bytes(s, memory_space::re)};
  const std::int64_t room[2] = {device.local_bytes, device.re_accumulator_bytes};
  const auto grow = [&](std::int32_t b, std::int32_t most) {
    buffer& candidate = result.buffers[b];
    buffer larger = candidate;
    ++larger.multiplier;
    const auto space = static_cast<std::size_t>(candidate.space);
    const std::int64_t more = detail::aligned_bytes(larger) - detail::aligned_bytes(candidate);
    if (larger.multiplier > most || used[space] + more > room[space]) return false;
    used[space] += more;
    candidate = larger;
    return true;
  };
  for (std::int32_t b = 0; b < s.buffers.size(); ++b) grow(b, s.buffers[b].multiplier + 1);
  bool dma[48] = {};
  for (std::int32_t b = 0; b < s.buffers.size(); ++b) {
    dma[b] = detail::filled_by_dma(s, static_cast<buffer_index>(b));
  }
  for (bool grew = true; grew;) {
    grew = false;
    for (std::int32_t b = 0; b < s.buffers.size(); ++b) {
      if (dma[b]) grew |= grow(b, most_tiles_ahead);
    }
  }
  std::int64_t next[2] = {};
  for (buffer& b : result.buffers) {
    std::int64_t& end = next[static_cast<std::size_t>(b.space)];
    b.offset = end;
    end += detail::aligned_bytes(b);
  }
  if (next[0] > room[0]) {
    result.fail({code::local_memory, s.buffers.empty() ? 0 : s.buffers[0].line, next[0], room[0]});
  }
  return result;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
