// A graph as text.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/detail/text.hpp>
#include <tilewright/ir/graph.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

template <class Text>
constexpr void put_type(Text& out, const node& n) {
  if (n.pointer) put(out, "ptr<");
  put(out, name_of(n.type));
  if (n.pointer) put(out, ">");
  if (n.dims.rank == 0) return;
  put(out, "[");
  for (int d = 0; d < n.dims.rank; ++d) put(out, d == 0 ? "" : ", ", n.dims[d]);
  put(out, "]");
}

template <class Text>
constexpr void put_node_id(Text& out, node_id id) {
  if (id == no_node) {
    put(out, "all");
  } else {
    put(out, "%", id);
  }
}

/// "[%3, all]": leading lanes per dimension; nothing if all lanes of all dimensions count.
template <class Text>
constexpr void put_extents(Text& out, const char* name, const node_id* extents, int rank) {
  bool limited = false;
  for (int d = 0; d < rank; ++d) limited |= extents[d] != no_node;
  if (!limited) return;
  put(out, " ", name, " [");
  for (int d = 0; d < rank; ++d) {
    put(out, d == 0 ? "" : ", ");
    put_node_id(out, extents[d]);
  }
  put(out, "]");
}

/// A constant as a number: integers exactly, floats as integer when they are one, else their bits.
template <class Text>
constexpr void put_constant(Text& out, const node& n) {
  const auto bits = static_cast<std::uint64_t>(n.value);
  if (!is_float(n.type)) {
    with_element(n.type, [&]<class T>() {
      put(out, " ", static_cast<std::int64_t>(convert<std::int64_t>(from_bits<T>(bits))));
    });
    return;
  }
  const double value =
      with_element(n.type, [&]<class T>() { return convert<double>(from_bits<T>(bits)); });
  const auto whole = convert<std::int64_t>(value);
  const bool minus_zero = value == 0 && bits != 0;
  if (static_cast<double>(whole) == value && !minus_zero && whole > -1000000 && whole < 1000000) {
    put(out, " ", whole, ".0");
    return;
  }
  put(out, " bits 0x");
  for (int shift = size_of(n.type) * 8 - 4; shift >= 0; shift -= 4) {
    const char digit[2] = {"0123456789abcdef"[bits >> shift & 15u], '\0'};
    put(out, digit);
  }
}

template <class Text>
constexpr void put_access(Text& out, const graph& g, const node& n) {
  const access& a = g.accesses[static_cast<std::int32_t>(n.value)];
  put(out, " at %", a.base, " + %", a.offset, " strides [");
  for (int d = 0; d < n.dims.rank; ++d) {
    put(out, d == 0 ? "" : ", ");
    if (a.strides[d] == no_node) {
      put(out, "0");
    } else {
      put(out, "%", a.strides[d]);
    }
  }
  put(out, "]");
  put_extents(out, "lanes", a.extents, n.dims.rank);
  if (a.fill) put(out, " fill");
}

}  // namespace detail

/// Appends one line a node to `out`, which has `append(const char*, size)`: id, type, operation,
/// operands, what matters of its value, its unit once assigned, and its source line.
template <class Text>
constexpr void dump(const graph& g, Text& out) {
  using detail::put;
  int depth = 1;
  for (node_id id = 0; id < g.size(); ++id) {
    const node& n = g[id];
    if (n.code == op::end_loop) --depth;
    for (int i = 0; i < depth; ++i) put(out, "  ");
    if (n.code == op::loop) ++depth;
    const bool has_value = n.code != op::store && n.code != op::loop && n.code != op::end_loop;
    if (has_value) {
      put(out, "%", id, ": ");
      detail::put_type(out, n);
      put(out, " = ");
    }
    put(out, name_of(n.code));
    if (n.code == op::reduce) put(out, " ", name_of(n.combine), " along ", n.value);
    if (n.code == op::constant) detail::put_constant(out, n);
    if (n.code == op::argument || n.code == op::program_id || n.code == op::num_programs ||
        n.code == op::arange || n.code == op::expand_dims) {
      put(out, " ", n.value);
    }
    for (int i = 0; i < operand_slots(n); ++i) {
      if (n.operand(i) != no_node) put(out, i == 0 ? " %" : ", %", n.operand(i));
    }
    if ((n.code == op::load || n.code == op::store) && n.value >= 0) detail::put_access(out, g, n);
    if (n.code != op::store) detail::put_extents(out, "matter", n.extents, max_rank);
    if (n.where != unit::core) put(out, " on ", name_of(n.where));
    if (n.line != 0) put(out, "  // line ", n.line);
    put(out, "\n");
  }
  if (g.error) put(out, "  error: ", sentence_of(g.error.what), " (line ", g.error.line, ")\n");
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
