// Puts a recorded graph in execution order, with addresses and masks computed in 64 bits.
#pragma once

#include <cstdint>
#include <limits>

#include <tilewright/config.hpp>
#include <tilewright/lang/index_arithmetic.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {

/// Rebuilds a recorded graph in execution order: phis move to the head of their loops. Offsets of
/// pointers, and comparisons of blocks made from `tl.arange` (masks), are computed in 64 bits as far
/// as they are index arithmetic (`index_facts`), so that no product of an index and a stride can
/// wrap. That holds where the expression is promoted to i64 on its way, too.
class finisher {
 public:
  constexpr explicit finisher(const graph& recorded) : from_(recorded) {}

  constexpr graph run() {
    to_.argument_count = from_.argument_count;
    index_finder(from_).run(facts_);
    find_wide_forms();
    for (node_id id = 0; id < from_.size(); ++id) {
      if (from_[id].code == op::phi) continue;  // emitted with its loop
      emit(id);
      if (from_[id].code == op::loop) {
        start_loop(id);
        ++id;
      }
    }
    for (node& n : to_.nodes) {  // forward references
      if (n.code == op::phi) n.operands[1] = moved_[n.operand(1)];
      if (n.code == op::loop) n.value = moved_[n.value];
      if (n.code == op::cast) n.value = 0;
    }
    return to_;
  }

 private:
  /// Whether `n` is a mask: a comparison of indices, which is done in 64 bits. One with an unsigned
  /// operand is unsigned, which gives the same if the index cannot be negative; else it is no mask.
  constexpr bool is_mask(const node& n) const {
    const bool order = n.code == op::lt || n.code == op::le || n.code == op::gt || n.code == op::ge;
    if (!order || !is_int(from_[n.operand(0)].type)) return false;
    for (int i = 0; i < 2; ++i) {
      if (facts_[index_behind(n.operand(i))].lanes) return true;
    }
    return false;
  }
  /// The signed integer that was promoted to the unsigned type of a comparison's operand, or the
  /// operand itself.
  constexpr node_id index_behind(node_id id) const {
    const node& n = from_[id];
    const bool promoted =
        n.code == op::cast && n.value == by_promotion && is_int(n.type) && !is_signed_int(n.type);
    return promoted && facts_[n.operand(0)].bits >= 0 ? n.operand(0) : id;
  }

  /// Whether the 64-bit form of `n` is computed from those of its operands.
  constexpr bool is_recomputed(node_id id) const {
    const node& n = from_[id];
    if (!is_exact_in_64_bits(n.code)) return false;
    return n.type == dtype::i64 || (n.type == dtype::i32 && facts_[id].index);
  }
  /// Whether the 64-bit form of `id` is a node of its own.
  constexpr bool has_wide_form(node_id id) const {
    const node& n = from_[id];
    if (n.type != dtype::i64) return is_int(n.type);
    if (is_widened_i32(from_, n, facts_)) return facts_[n.operand(0)].index;
    if (!is_exact_in_64_bits(n.code)) return false;
    for (int i = 0; i < operand_slots(n); ++i) {
      if (from_[n.operand(i)].type == dtype::i64 && narrow_[n.operand(i)]) return true;
    }
    return false;
  }

  constexpr void find_wide_forms() {
    for (node_id id = 0; id < from_.size(); ++id) narrow_[id] = has_wide_form(id);
    for (node_id id = from_.size() - 1; id >= 0; --id) {
      const node& n = from_[id];
      if (n.code == op::add_pointer) want_wide(n.operand(1));
      if (is_mask(n)) {
        for (int i = 0; i < 2; ++i) {
          if (!needs_bound(n.operand(i))) want_wide(index_behind(n.operand(i)));
        }
      }
      if (!wide_wanted_[id]) continue;
      if (is_recomputed(id)) {
        for (int i = n.code == op::where ? 1 : 0; i < operand_slots(n); ++i) {
          want_wide(n.operand(i));
        }
      } else if (is_widened_i32(from_, n, facts_)) {
        want_wide(n.operand(0));
      }
    }
  }
  constexpr void want_wide(node_id id) { wide_wanted_[id] = narrow_[id]; }

  constexpr node_id push(const node& n) {
    if (!to_.nodes.push_back(n)) {
      to_.fail({code::graph_full, n.line, to_.size() + 1, to_.nodes.capacity()});
    }
    return to_.size() - 1;
  }

  constexpr bool is_phi_of(node_id id, node_id loop) const {
    return from_[id].code == op::phi && from_[id].operand(2) == loop;
  }

  /// The running value and the phis follow their loop at once.
  constexpr void start_loop(node_id loop) {
    place(loop + 1);
    node_id first = static_cast<node_id>(from_[loop].value);
    const node_id last = first;
    while (is_phi_of(first - 1, loop)) --first;
    for (node_id phi = first; phi < last; ++phi) place(phi);
    for (node_id phi = first; phi < last; ++phi) widen(phi);
    widen(loop + 1);
  }

  constexpr void emit(node_id id) {
    place(id);
    widen(id);
  }
  constexpr void widen(node_id id) {
    if (!wide_wanted_[id]) return;
    const node& n = from_[id];
    wide_[id] = is_widened_i32(from_, n, facts_) ? wide_[n.operand(0)] : push(widened(id));
  }
  /// `id` in 64 bits.
  constexpr node_id wide_form(node_id id) const {
    return wide_wanted_[id] ? wide_[id] : moved_[id];
  }

  constexpr void place(node_id id) {
    node n = from_[id];
    const bool mask = is_mask(n);
    for (int i = 0; i < operand_slots(n); ++i) {
      const node_id used = n.operand(i);
      const bool forward = n.code == op::phi && i == 1;
      if (used == no_node || forward) continue;
      if (mask) {
        n.operands[i] = needs_bound(used) ? bounded(used) : wide_form(index_behind(used));
      } else {
        n.operands[i] = n.code == op::add_pointer && i == 1 ? wide_form(used) : moved_[used];
      }
    }
    moved_[id] = push(n);
    if (n.code == op::end_loop) {
      // The widened phis in the loop hold values of its last iteration; users behind the loop need
      // the results.
      const node_id loop = from_[id].operand(0);
      for (node_id phi = id - 1; is_phi_of(phi, loop); --phi) {
        if (wide_wanted_[phi]) wide_[phi] = push(widened(phi));
      }
    }
  }

  /// Whether an operand of a mask may be too large for i64.
  constexpr bool needs_bound(node_id id) const {
    return from_[id].type == dtype::u64 && index_behind(id) == id;
  }
  /// Such an operand as i64: 2^63 and more stand above all indices, as 2^63 - 1 does.
  constexpr node_id bounded(node_id operand) {
    const node& n = from_[operand];
    node limit;
    limit.type = dtype::u64;
    limit.line = n.line;
    limit.value = std::numeric_limits<std::int64_t>::max();
    node least = limit;
    least.code = op::minimum;
    least.value = 0;
    least.dims = n.dims;
    least.operands[0] = moved_[operand];
    least.operands[1] = push(limit);
    return push(extended(least, push(least)));
  }

  constexpr node widened(node_id id) const {
    node n = from_[id];
    const bool leaf = n.code == op::constant || n.code == op::arange;
    if (!leaf && !is_recomputed(id)) return extended(n, moved_[id]);
    if (n.code == op::constant) n.value = constant_value(n);
    if (!leaf) {
      for (int i = 0; i < operand_slots(n); ++i) {
        const bool condition = n.code == op::where && i == 0;
        n.operands[i] = condition ? moved_[n.operand(i)] : wide_form(n.operand(i));
      }
    }
    n.type = dtype::i64;
    return n;
  }
  /// The value `source`, which looks like `n`, as i64.
  static constexpr node extended(const node& n, node_id source) {
    node wide;
    wide.code = op::cast;
    wide.type = dtype::i64;
    wide.line = n.line;
    wide.dims = n.dims;
    wide.operands[0] = source;
    return wide;
  }

  const graph& from_;
  graph to_{};
  index_facts facts_[TILEWRIGHT_MAX_NODES];
  node_id moved_[TILEWRIGHT_MAX_NODES] = {};
  node_id wide_[TILEWRIGHT_MAX_NODES] = {};
  bool narrow_[TILEWRIGHT_MAX_NODES] = {};  ///< has another form in 64 bits
  bool wide_wanted_[TILEWRIGHT_MAX_NODES] = {};
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
