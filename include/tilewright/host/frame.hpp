// One program while it runs: its arguments, its scalars and its scratch memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tilewright/config.hpp>
#include <tilewright/host/plan.hpp>
#include <tilewright/host/registers.hpp>
#include <tilewright/ir/evaluate.hpp>
#include <tilewright/launch/arguments.hpp>
#include <tilewright/launch/grid.hpp>
#include <type_traits>

namespace tilewright::inline TILEWRIGHT_ABI::detail {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

// `Code` is a class with a graph `g` and its plan `p` as static constants.

struct frame {
  const argument* arguments = nullptr;
  const grid* programs = nullptr;
  std::int64_t program = 0;
  std::byte* scratch = nullptr;
  std::uint64_t* slots = nullptr;  ///< bit patterns of scalars; addresses of scalar pointers
  bool streams = false;            ///< the launch writes more than caches hold: go past them
};

/// C++ type of the elements of a node; addresses are integers.
template <class Code, node_id Id>
using node_element = std::conditional_t<
    Code::g[Id].pointer, std::uint64_t,
    element_t<Code::g[Id].pointer || Code::g[Id].type == dtype::none ? dtype::u64
                                                                     : Code::g[Id].type>>;

/// Bit pattern of a scalar node.
template <class Code, node_id Id>
TILEWRIGHT_INLINE std::uint64_t scalar_bits(const frame& f) {
  constexpr node_id id = Code::p.plain[Id];
  if constexpr (Code::g[id].code == op::constant) {
    return static_cast<std::uint64_t>(Code::g[id].value);
  } else {
    return f.slots[Code::p.slot_of[id]];
  }
}
/// Value of a scalar node.
template <class Code, node_id Id>
TILEWRIGHT_INLINE node_element<Code, Id> scalar(const frame& f) {
  return from_bits<node_element<Code, Id>>(scalar_bits<Code, Id>(f));
}
/// Value of a scalar i64 node, or `otherwise` without one.
template <class Code, node_id Id>
TILEWRIGHT_INLINE std::int64_t count(const frame& f, std::int64_t otherwise) {
  if constexpr (Id == no_node) {
    return otherwise;
  } else {
    return static_cast<std::int64_t>(scalar_bits<Code, Id>(f));
  }
}

/// Address of the first element of a structured access.
template <class Code, int Access>
TILEWRIGHT_INLINE std::uint64_t first_address(const frame& f) {
  constexpr const access& a = Code::g.accesses.items[Access];
  constexpr std::int64_t size = size_of(Code::g[a.base].type);
  return scalar_bits<Code, a.base>(f) +
         static_cast<std::uint64_t>(count<Code, a.offset>(f, 0) * size);
}
/// The pointer type that elements of `Id`'s type are accessed through, at an address.
template <class T>
TILEWRIGHT_INLINE T* at_address(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

template <class Code, int Tile>
TILEWRIGHT_INLINE auto* tile_data(const frame& f) {
  using element = scratch_t<node_element<Code, Code::p.tiles[Tile].id>>;
  return reinterpret_cast<element*>(f.scratch + Code::p.tiles[Tile].offset);
}
/// Elements from the start of a tile to index `i` of dimension `Dim`.
template <class Code, int Tile, int Dim>
TILEWRIGHT_INLINE std::int64_t tile_offset(std::int64_t i) {
  constexpr const tile& t = Code::p.tiles[Tile];
  if constexpr (t.panel > 0 && Dim == 1) {
    return i / t.panel * t.panel_stride + i % t.panel;
  } else {
    return i * t.strides[Dim];
  }
}

/// Evaluates a scalar node into its slot.
template <class Code, node_id Id>
void run_scalar(frame& f) {
  constexpr const node& n = Code::g[Id];
  std::uint64_t result = 0;
  if constexpr (n.code == op::argument) {
    const argument& a = f.arguments[n.value];
    result = n.pointer ? reinterpret_cast<std::uintptr_t>(a.address) : a.bits;
  } else if constexpr (n.code == op::program_id) {
    // Spares a division in launches of one axis.
    result = n.value == 0 && f.program < f.programs->axes[0]
                 ? to_bits(static_cast<std::int32_t>(f.program))
                 : to_bits(f.programs->index(f.program, static_cast<int>(n.value)));
  } else if constexpr (n.code == op::num_programs) {
    result = to_bits(static_cast<std::int32_t>(f.programs->axes[n.value]));
  } else if constexpr (n.code == op::add_pointer) {
    const auto offset = convert<std::int64_t>(scalar<Code, n.operand(1)>(f));
    result =
        scalar_bits<Code, n.operand(0)>(f) + static_cast<std::uint64_t>(offset * size_of(n.type));
  } else if constexpr (n.code == op::load) {
    using T = node_element<Code, Id>;
    std::uint64_t address = 0;
    if constexpr (n.value >= 0) {
      address = first_address<Code, static_cast<int>(n.value)>(f);
    } else {
      address = scalar_bits<Code, n.operand(0)>(f);
    }
    bool wanted = true;
    if constexpr (n.operand(1) != no_node) wanted = scalar<Code, n.operand(1)>(f);
    if (wanted) {
      result = to_bits(load_one(at_address<const T>(address)));
    } else if constexpr (n.operand(2) != no_node) {
      result = scalar_bits<Code, n.operand(2)>(f);
    }
  } else if constexpr (n.code == op::cast) {
    result = to_bits(convert<node_element<Code, Id>>(scalar<Code, n.operand(0)>(f)));
  } else {
    constexpr op_kind kind = info_of(n.code).kind;
    static_assert(kind != op_kind::structural, "the host cannot run this operation on scalars");
    constexpr node_id typed = n.operand(kind == op_kind::select ? 1 : 0);
    auto value = apply_meaning<n.code, kind, node_element<Code, typed>>(
        [&f]<class T>(int index, std::type_identity<T>) {
          const std::uint64_t bits =
              index == 0   ? scalar_bits<Code, n.operand(0)>(f)
              : index == 1 ? scalar_bits<Code, n.operand(arity_of(kind) > 1 ? 1 : 0)>(f)
                           : scalar_bits<Code, n.operand(arity_of(kind) > 2 ? 2 : 0)>(f);
          return from_bits<T>(bits);
        });
    if constexpr (n.code == op::mul && std::is_floating_point_v<decltype(value)>) {
      value = simd::rounded_scalar(value);
    }
    result = to_bits(value);
  }
  f.slots[Code::p.slot_of[Id]] = result;
}

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
