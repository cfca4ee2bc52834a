// Where tiles lie in scratch memory: loop-carried blocks are updated in place where that is right,
// and tiles that are not alive at the same time share memory.
#pragma once

#include <cstdint>
#include <tilewright/config.hpp>
#include <tilewright/host/plan.hpp>
#include <tilewright/ir/graph.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

template <int Nodes>
class tile_placer {
 public:
  constexpr tile_placer(const graph& g, plan<Nodes>& p) : g_(g), p_(p) {}

  constexpr void run() {
    share_storage();
    place_tiles();
  }

 private:
  constexpr node_id operand(const node& n, int index) const {
    const node_id id = n.operand(index);
    return id == no_node ? no_node : p_.plain[id];
  }

  constexpr bool same_layout(const tile& a, const tile& b) const {
    bool same = a.elements == b.elements && a.panel == b.panel &&
                scratch_size(g_[a.id]) == scratch_size(g_[b.id]);
    for (int d = 0; d < max_rank; ++d) same = same && a.strides[d] == b.strides[d];
    return same;
  }

  /// Lets a phi's next value be computed in the phi's own tile where nobody reads the old value
  /// later, so that nothing is copied at the end of an iteration. Inner loops first.
  constexpr void share_storage() {
    for (std::int32_t i = p_.phi_count - 1; i >= 0; --i) {
      phi_plan& phi = p_.phis[i];
      if (phi.next < 0 || phi.temporary >= 0) continue;
      const node& n = g_[phi.id];
      const node_id loop = n.operand(2);
      const node_id next = operand(n, 1);
      const std::int16_t from = p_.tile_of[next];
      if (from < 0 || next < loop || p_.tiles[from].storage != from) continue;
      if (!same_layout(p_.tiles[from], p_.tiles[phi.tile])) continue;
      // The place where the shared memory is first overwritten.
      const node_id written = g_[next].code == op::phi ? g_[next].operand(2) : next;
      if (!read_only_in_place_until(phi, loop, next, written)) continue;
      p_.tiles[from].storage = phi.tile;
      phi.next = -1;
      for (std::int32_t k = 0; k < p_.phi_count; ++k) {  // an inner phi that starts with this one
        phi_plan& inner = p_.phis[k];
        if (inner.id == next && operand(g_[next], 0) == phi.id) inner.initial = -1;
      }
      for (std::int32_t s = 0; s < p_.step_count; ++s) {  // a dot that accumulates into it
        plan_step& dot = p_.steps[s];
        if (dot.code == step_code::dot && dot.id == next && operand(g_[next], 2) == phi.id) {
          dot.nest = -1;
        }
      }
    }
  }

  /// Whether every read of the phi inside its loop comes before `written`, or is part of computing
  /// the value at `written` and reads only the element being written.
  constexpr bool read_only_in_place_until(const phi_plan& phi, node_id loop, node_id next,
                                          node_id written) const {
    const node_id end = static_cast<node_id>(g_[loop].value);
    for (std::int32_t s = 0; s < p_.step_count; ++s) {
      const plan_step& reader = p_.steps[s];
      if (reader.id <= loop || reader.id >= end || reader.id < written) continue;
      if (reader.code == step_code::scalar || reader.code == step_code::loop) continue;
      const bool writer = reader.id == written;
      for (const std::int16_t nest : {reader.nest, reader.safe_value, reader.safe_store}) {
        if (nest >= 0 && !reads_allowed(p_.nests[nest], phi.tile, writer)) return false;
      }
      // Tiles that a step reads without a nest.
      if (reader.code == step_code::dot &&
          (operand(g_[reader.id], 0) == phi.id || operand(g_[reader.id], 1) == phi.id)) {
        return false;
      }
      if (reader.code == step_code::reduce && reader.nest < 0 &&
          operand(g_[reader.id], 0) == phi.id) {
        return false;
      }
    }
    for (std::int32_t k = 0; k < p_.phi_count; ++k) {
      const phi_plan& other = p_.phis[k];
      if (other.id == phi.id || other.tile < 0) continue;
      const node_id other_loop = g_[other.id].operand(2);
      const node_id other_end = static_cast<node_id>(g_[other_loop].value);
      // Started at the head of a loop further on (where only the phi that shares the memory may
      // read it, element by element), or copied at the end of this or a further loop.
      if (other.initial >= 0 && other_loop >= written && other_loop < end &&
          !reads_allowed(p_.nests[other.initial], phi.tile, other.id == next)) {
        return false;
      }
      if (other.next >= 0 && other_end >= written && other_end <= end &&
          !reads_allowed(p_.nests[other.next], phi.tile, false)) {
        return false;
      }
    }
    return true;
  }
  constexpr bool reads_allowed(const loop_nest& nest, std::int16_t which, bool in_place) const {
    for (std::int32_t i = 0; i < nest.count; ++i) {
      const nest_value& v = p_.values[nest.first + i];
      if (v.from != origin::tile || v.tile != which) continue;
      if (!in_place) return false;
      for (int d = 0; d < max_rank; ++d) {
        if (v.axes[d] != nest.axes[d]) return false;
      }
    }
    return true;
  }

  /// Gives each tile an offset; tiles that are not alive at the same time may share memory.
  constexpr void place_tiles() {
    for (std::int32_t i = 0; i < p_.tile_count; ++i) {
      const std::int16_t owner = owner_of(i);
      p_.tiles[i].storage = owner;
      tile& t = p_.tiles[owner];
      if (p_.tiles[i].first_use < t.first_use) t.first_use = p_.tiles[i].first_use;
      if (p_.tiles[i].last_use > t.last_use) t.last_use = p_.tiles[i].last_use;
    }
    for (std::int32_t i = 0; i < p_.tile_count; ++i) {
      tile& t = p_.tiles[i];
      if (t.storage != i) continue;
      const std::int64_t size = bytes_of(t);
      std::int64_t offset = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (std::int32_t k = 0; k < i; ++k) {
          const tile& other = p_.tiles[k];
          if (other.storage != k || other.last_use < t.first_use || other.first_use > t.last_use) {
            continue;
          }
          if (other.offset < offset + size && offset < other.offset + bytes_of(other)) {
            offset = other.offset + bytes_of(other);
            moved = true;
          }
        }
      }
      t.offset = offset;
      if (offset + size > p_.scratch_bytes) p_.scratch_bytes = offset + size;
    }
    for (std::int32_t i = 0; i < p_.tile_count; ++i) {
      p_.tiles[i].offset = p_.tiles[p_.tiles[i].storage].offset;
    }
  }
  constexpr std::int16_t owner_of(std::int32_t which) const {
    std::int16_t owner = static_cast<std::int16_t>(which);
    while (p_.tiles[owner].storage != owner) owner = p_.tiles[owner].storage;
    return owner;
  }
  constexpr std::int64_t bytes_of(const tile& t) const {
    return (static_cast<std::int64_t>(t.elements) * scratch_size(g_[t.id]) + 63) / 64 * 64;
  }

  const graph& g_;
  plan<Nodes>& p_;
};

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
