// Which integers of a traced graph are indices, and so are computed in 64 bits where they become an
// address or a mask.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/ir/graph.hpp>
#include <tilewright/types/convert.hpp>

namespace tilewright::inline TILEWRIGHT_ABI::detail {

/// What is known of one integer node.
struct index_facts {
  /// An i32 that is index arithmetic: `tl.arange`, program ids, running values and i32 parameters,
  /// and what operations of indices give.
  bool index = false;
  /// Made from `tl.arange`: comparisons of these are masks.
  bool lanes = false;
  /// In 64 bits the value lies in [0, 2^bits); -1 if that is not known.
  std::int8_t bits = -1;
};

/// Operations whose operands may be replaced by their 64-bit forms.
constexpr bool is_exact_in_64_bits(op what) {
  return what == op::add || what == op::sub || what == op::mul || what == op::neg ||
         what == op::maximum || what == op::minimum || what == op::where || what == op::copy ||
         what == op::broadcast || what == op::expand_dims;
}

/// Whether an i64 node is an i32 that was promoted, or that the author converted but cannot have
/// wrapped. What else the author converts is a value of its own.
constexpr bool is_widened_i32(const graph& g, const node& n, const index_facts* facts) {
  if (n.code != op::cast || n.type != dtype::i64 || g[n.operand(0)].type != dtype::i32)
    return false;
  const std::int8_t bits = facts[n.operand(0)].bits;
  return n.value == by_promotion || (bits >= 0 && bits <= 31);
}

/// The value of an integer constant.
constexpr std::int64_t constant_value(const node& n) {
  return with_element(n.type, [&]<class T>() {
    return convert<std::int64_t>(from_bits<T>(static_cast<std::uint64_t>(n.value)));
  });
}

/// Finds the `index_facts` of all nodes of a graph as recorded (phis behind their loops).
class index_finder {
 public:
  constexpr explicit index_finder(const graph& g) : g_(g) {}

  constexpr void run(index_facts* facts) {
    // A loop-carried i32 is taken for an index until one of its values turns out to be none.
    for (node_id id = 0; id < g_.size(); ++id) {
      facts[id].index = g_[id].code == op::phi && g_[id].type == dtype::i32 && !g_[id].pointer;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (node_id id = 0; id < g_.size(); ++id) {
        const node& n = g_[id];
        if (n.code != op::phi && is_int(n.type) && !n.pointer) facts[id] = facts_of(n, facts);
      }
      for (node_id id = 0; id < g_.size(); ++id) {
        const node& n = g_[id];
        if (n.code != op::phi || !facts[id].index) continue;
        facts[id].index = continues(n.operand(0), facts) && continues(n.operand(1), facts);
        changed = changed || !facts[id].index;
      }
    }
  }

 private:
  constexpr bool continues(node_id id, const index_facts* facts) const {
    while (g_[id].code == op::copy) id = g_[id].operand(0);
    return facts[id].index || g_[id].code == op::constant;
  }

  constexpr index_facts facts_of(const node& n, const index_facts* facts) const {
    const auto known = [&](int i) { return facts[n.operand(i)]; };
    index_facts result;
    switch (n.code) {
      case op::constant: result.bits = width_of(constant_value(n)); return result;
      case op::arange:
        result.index = result.lanes = true;
        result.bits = n.value < 0 ? std::int8_t{-1} : width_of(n.value + n.dims[0]);
        return result;
      case op::program_id:
      case op::num_programs:
        result.index = true;
        result.bits = 31;
        return result;
      case op::argument: result.index = n.type == dtype::i32; return result;
      case op::induction: {
        // It lies between the first value and the last if it counts up.
        const node& loop = g_[n.operand(0)];
        const node& step = g_[loop.operand(2)];
        result.index = true;
        if (facts[loop.operand(0)].bits >= 0 && step.code == op::constant &&
            constant_value(step) > 0) {
          result.bits = 31;
        }
        return result;
      }
      case op::cast:
        if (is_widened_i32(g_, n, facts)) result = known(0);
        return result;
      case op::div:
      case op::rem:
        // Computed in the operands' own type, since they may have wrapped; an index again.
        result.index = n.type == dtype::i32 && (known(0).index || known(1).index);
        result.lanes = known(0).lanes || known(1).lanes;
        result.bits = bits_of_quotient(n, facts);
        return result;
      default: break;
    }
    if (!is_exact_in_64_bits(n.code) || (n.type != dtype::i32 && n.type != dtype::i64)) {
      return result;
    }
    const int first = n.code == op::where ? 1 : 0;
    for (int i = first; i < operand_slots(n); ++i) {
      result.index = result.index || (n.type == dtype::i32 && known(i).index);
      result.lanes = result.lanes || known(i).lanes;
    }
    result.bits = bits_of(n, known(first).bits,
                          operand_slots(n) > first + 1 ? known(first + 1).bits : std::int8_t{-1});
    const bool may_have_wrapped = n.type == dtype::i32 && !result.index && result.bits > 31;
    if (may_have_wrapped) result.bits = -1;
    return result;
  }

  static constexpr std::int8_t bits_of(const node& n, std::int8_t x, std::int8_t y) {
    const bool both = x >= 0 && y >= 0;
    const std::int8_t larger = x > y ? x : y;
    int bits = -1;
    switch (n.code) {
      case op::add: bits = both ? larger + 1 : -1; break;
      case op::mul: bits = both ? x + y : -1; break;
      case op::maximum:
      case op::minimum:
      case op::where: bits = both ? larger : -1; break;
      case op::copy:
      case op::broadcast:
      case op::expand_dims: bits = x; break;
      default: break;
    }
    return static_cast<std::int8_t>(bits > 62 ? -1 : bits);
  }
  /// Of a division of what has not wrapped.
  constexpr std::int8_t bits_of_quotient(const node& n, const index_facts* facts) const {
    const std::int8_t x = facts[n.operand(0)].bits;
    const node& y = g_[n.operand(1)];
    const bool positive = y.code == op::constant && constant_value(y) > 0;
    const bool counts = n.code == op::rem ? facts[n.operand(1)].bits >= 0 : positive;
    return counts && x >= 0 && x < 8 * size_of(n.type) ? x : std::int8_t{-1};
  }

  static constexpr std::int8_t width_of(std::int64_t value) {
    if (value < 0) return -1;
    std::int8_t bits = 0;
    for (; value != 0; value >>= 1) ++bits;
    return bits;
  }

  const graph& g_;
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
