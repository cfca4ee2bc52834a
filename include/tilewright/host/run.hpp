// Runs one program of a planned graph: each step is a template instance of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tilewright/config.hpp>
#include <tilewright/error.hpp>
#include <tilewright/host/check.hpp>
#include <tilewright/host/dot.hpp>
#include <tilewright/host/frame.hpp>
#include <tilewright/host/nest.hpp>
#include <tilewright/host/plan.hpp>
#include <tilewright/host/reduce.hpp>
#include <tilewright/host/sinks.hpp>
#include <utility>

namespace tilewright::inline TILEWRIGHT_ABI::detail {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

// ---- stores that may overlap what they read ----

/// The memory that a structured access touches.
struct access_span {
  std::uint64_t first = 0;  ///< address of element (0, 0, ...)
  std::uint64_t low = 0, high = 0;
  std::int64_t strides[max_rank] = {};
  bool empty = false;
  bool distinct = true;  ///< no two elements are known to lie at one address
};

template <class Code, node_id Id>
TILEWRIGHT_INLINE access_span span_of(const frame& f) {
  constexpr const node& n = Code::g[Id];
  constexpr int which = static_cast<int>(n.value);
  constexpr const access& a = Code::g.accesses.items[which];
  constexpr std::int64_t size = size_of(n.type);
  access_span span;
  span.first = span.low = span.high = first_address<Code, which>(f);
  std::int64_t reach = 0;  // of the inner dimensions, in elements
  [&]<std::size_t... Outer>(std::index_sequence<Outer...>) {
    (
        [&] {
          constexpr int d = n.dims.rank - 1 - static_cast<int>(Outer);
          const std::int64_t extent = count<Code, a.extents[d]>(f, n.dims[d]);
          const std::int64_t stride = count<Code, a.strides[d]>(f, 0);
          span.strides[d] = stride;
          if (extent <= 0) span.empty = true;
          if (extent <= 1) return;
          const std::int64_t far = stride * (extent - 1);
          span.distinct = span.distinct && (stride < 0 ? -stride : stride) > reach;
          reach += far < 0 ? -far : far;
          (far < 0 ? span.low : span.high) += static_cast<std::uint64_t>(far * size);
        }(),
        ...);
  }
  (std::make_index_sequence<static_cast<std::size_t>(n.dims.rank)>{});
  span.high += static_cast<std::uint64_t>(size);
  return span;
}

/// Whether evaluating load `Value` in the nest of the store sees what the store has written already.
template <class Code, int Nest, int Value, node_id Store>
TILEWRIGHT_INLINE bool disturbs(const frame& f, const access_span& written) {
  constexpr const loop_nest& nest = Code::p.nests[Nest];
  constexpr const nest_value& v = Code::p.values[nest.first + Value];
  if constexpr (!nest_evaluator<Code, Nest>::is_structured_load(v)) {
    return false;
  } else {
    const access_span read = span_of<Code, v.id>(f);
    if (read.empty || written.empty || read.high <= written.low || written.high <= read.low) {
      return false;
    }
    // Overwriting each element right after reading it is fine.
    constexpr const shape& dims = Code::g[Store].dims;
    if (Code::g[v.id].dims != dims || size_of(Code::g[v.id].type) != size_of(Code::g[Store].type) ||
        !written.distinct || read.first != written.first) {
      return true;
    }
    for (int d = 0; d < dims.rank; ++d) {
      if (v.axes[d] != nest.axes[d]) return true;
      if (dims[d] > 1 && read.strides[d] != written.strides[d]) return true;
    }
    return false;
  }
}

template <class Code, int Step>
void run_store(frame& f) {
  constexpr const plan_step& s = Code::p.steps[Step];
  if constexpr (s.safe_store >= 0) {
    const access_span written = span_of<Code, s.id>(f);
    const bool disturbed = [&]<std::size_t... Value>(std::index_sequence<Value...>) {
      return (disturbs<Code, s.nest, static_cast<int>(Value), s.id>(f, written) || ...);
    }
    (std::make_index_sequence<static_cast<std::size_t>(Code::p.nests[s.nest].count)>{});
    if (disturbed) {
      fill_tile<Code, s.safe_value, s.tile, true>(f);
      to_memory<Code, s.safe_store, s.id> body{f};
      return nest_evaluator<Code, s.safe_store>::template run<true>(f, body);
    }
  }
  to_memory<Code, s.nest, s.id> body{f};
  nest_evaluator<Code, s.nest>::template run<false>(f, body);
}

// ---- reductions and products ----

/// Reduces a tile along any dimension.
template <class Code, int Step>
void run_tile_reduction(frame& f) {
  using result = reduction_result<Code, Step>;
  constexpr const plan_step& s = Code::p.steps[Step];
  constexpr const node& n = result::n;
  constexpr int rank = n.dims.rank;
  constexpr int axis = static_cast<int>(n.value);
  constexpr int from_tile = Code::p.tile_of[result::source_id];
  using Acc = typename result::Acc;
  using source = node_element<Code, result::source_id>;
  const std::int64_t used =
      count<Code, n.extents[rank]>(f, result::source.dims.extents[static_cast<std::size_t>(axis)]);
  std::int64_t bounds[max_rank + 1] = {};
  [&]<std::size_t... D>(std::index_sequence<D...>) {
    ((bounds[D] = static_cast<int>(D) < rank ? count<Code, n.extents[D]>(f, n.dims.extents[D]) : 1),
     ...);
  }
  (std::make_index_sequence<max_rank>{});
  const auto* from = tile_data<Code, from_tile>(f);
  const auto along_axis = [](std::int64_t e) { return tile_offset<Code, from_tile, axis>(e); };

  constexpr int inner = rank < 1 ? 0 : rank - 1;
  constexpr bool columns = result::template side_by_side<from_tile>();
  constexpr std::int64_t width = columns ? simd::lanes : 1;

  std::int64_t index[max_rank] = {};
  for (int d = 0; d < rank; ++d) {
    if (bounds[d] <= 0) return;
  }
  while (true) {
    std::int64_t read = 0, write = 0;
    [&]<std::size_t... D>(std::index_sequence<D...>) {
      ((static_cast<int>(D) < rank
            ? (read += tile_offset < Code, from_tile,
               static_cast<int>(D) < axis ? static_cast<int>(D)
                                          : static_cast<int>(D) + 1 > (index[D]),
               write += tile_offset < Code, s.tile < 0 ? 0 : s.tile,
               static_cast<int>(D) > (index[D]), 0)
            : 0),
       ...);
    }
    (std::make_index_sequence<max_rank - 1>{});
    if constexpr (columns) {
      const register_t<Acc> identity = splat(from_bits<Acc>(identity_of(n.combine, dtype_v<Acc>)));
      const register_t<Acc> total =
          used > 0 ? reduce_columns<n.combine, Acc, source>(from + read, used, along_axis)
                   : identity;
      const lane_array<Acc> totals = to_lanes<Acc>(total);
      for (std::int64_t lane = 0; lane < width && index[inner] + lane < bounds[inner]; ++lane) {
        result::put(f, result::with_padding(totals.at[lane], used), write + lane);
      }
    } else {
      const Acc total = used > 0
                            ? reduce_elements<n.combine, Acc, source>(from + read, used, along_axis)
                            : from_bits<Acc>(identity_of(n.combine, dtype_v<Acc>));
      result::put(f, result::with_padding(total, used), write);
    }
    int d = rank - 1;
    for (; d >= 0; --d) {
      index[d] += d == rank - 1 ? width : 1;
      if (index[d] < bounds[d]) break;
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

template <class Code, int Step>
void run_dot(frame& f) {
  constexpr const plan_step& s = Code::p.steps[Step];
  constexpr const node& n = Code::g[s.id];
  if constexpr (s.nest >= 0) fill_tile<Code, s.nest, s.tile, false>(f);
  constexpr node_id left_id = Code::p.plain[n.operand(0)];
  constexpr node_id right_id = Code::p.plain[n.operand(1)];
  constexpr int left = Code::p.tile_of[left_id];
  constexpr int right = Code::p.tile_of[right_id];
  constexpr const tile& left_tile = Code::p.tiles[left];
  constexpr const tile& right_tile = Code::p.tiles[right];
  constexpr const tile& acc_tile = Code::p.tiles[s.tile];
  using Acc = node_element<Code, Code::p.steps[Step].id>;
  const std::int64_t rows = count<Code, n.extents[0]>(f, n.dims.extents[0]);
  const std::int64_t columns = count<Code, n.extents[1]>(f, n.dims.extents[1]);
  const std::int64_t inner = count<Code, n.extents[2]>(f, Code::g[left_id].dims.extents[1]);
  auto* acc = tile_data<Code, s.tile>(f);
  const auto* x = tile_data<Code, left>(f);
  const auto* y = tile_data<Code, right>(f);
  if constexpr (std::is_same_v<Acc, float> && right_tile.panel > 0 && left_tile.panel == 0 &&
                acc_tile.panel == 0) {
    dot_panels<dot_rows(n.dims.extents[0]), right_tile.panel>(
        x, left_tile.strides[0], y, right_tile.panel_stride, acc, acc_tile.strides[0], rows,
        columns, inner);
  } else {
    dot_elements<Acc>(
        [&](std::int64_t i, std::int64_t p) {
          return convert<Acc>(x[tile_offset<Code, left, 0>(i) + tile_offset<Code, left, 1>(p)]);
        },
        [&](std::int64_t p, std::int64_t j) {
          return convert<Acc>(y[tile_offset<Code, right, 0>(p) + tile_offset<Code, right, 1>(j)]);
        },
        [&](std::int64_t i, std::int64_t j) -> Acc& {
          return acc[tile_offset<Code, s.tile, 0>(i) + tile_offset<Code, s.tile, 1>(j)];
        },
        rows, columns, inner);
  }
}

// ---- control ----

template <class Code, int Region>
void run_region(frame& f);

/// Gives the phis of a loop their values before its first iteration.
template <class Code, int Region, std::size_t... Phi>
TILEWRIGHT_INLINE void start_phis(frame& f, std::index_sequence<Phi...>) {
  (
      [&] {
        constexpr const phi_plan& phi = Code::p.phis[Code::p.regions[Region].first_phi + Phi];
        if constexpr (phi.tile < 0) {
          f.slots[Code::p.slot_of[phi.id]] = scalar_bits<Code, Code::g[phi.id].operand(0)>(f);
        } else if constexpr (phi.initial >= 0) {
          fill_tile<Code, phi.initial, phi.tile, true>(f);
        }
      }(),
      ...);
}
/// Gives them their next values, all at once.
template <class Code, int Region, std::size_t... Phi>
TILEWRIGHT_INLINE void advance_phis(frame& f, std::index_sequence<Phi...>) {
  constexpr const phi_plan* phis = Code::p.phis + Code::p.regions[Region].first_phi;
  [[maybe_unused]] const std::uint64_t next[] = {
      [&]() -> std::uint64_t {
        if constexpr (phis[Phi].tile >= 0) {
          return 0;
        } else {
          return scalar_bits<Code, Code::g[phis[Phi].id].operand(1)>(f);
        }
      }()...,
      0};
  (
      [&] {
        constexpr const phi_plan& phi = phis[Phi];
        if constexpr (phi.tile < 0) f.slots[Code::p.slot_of[phi.id]] = next[Phi];
        if constexpr (phi.temporary >= 0) fill_tile<Code, phi.next, phi.temporary, true>(f);
      }(),
      ...);
  (
      [&] {
        constexpr const phi_plan& phi = phis[Phi];
        if constexpr (phi.next >= 0 && phi.temporary < 0) {
          fill_tile<Code, phi.next, phi.tile, true>(f);
        }
      }(),
      ...);
  (
      [&] {
        constexpr const phi_plan& phi = phis[Phi];
        if constexpr (phi.temporary >= 0) fill_tile<Code, phi.from_temporary, phi.tile, true>(f);
      }(),
      ...);
}

/// Notes which arguments the pointers among the phis come from: those of their operands `From` (0:
/// initial, 1: next), all at once.
template <class Code, int Region, int From, std::size_t... Phi>
TILEWRIGHT_INLINE void set_origins(frame& f, std::index_sequence<Phi...>) {
  constexpr const phi_plan* phis = Code::p.phis + Code::p.regions[Region].first_phi;
  if constexpr (((phis[Phi].origin >= 0) || ...)) {
    const std::uint64_t origins[] = {[&]() -> std::uint64_t {
      if constexpr (phis[Phi].origin < 0) {
        return 0;
      } else {
        return origin_of<Code, Code::g[phis[Phi].id].operand(From)>(f);
      }
    }()...};
    ((phis[Phi].origin >= 0 ? void(f.slots[phis[Phi].origin] = origins[Phi]) : void()), ...);
  }
}

template <class Code, int Step>
void run_loop(frame& f) {
  constexpr const plan_step& s = Code::p.steps[Step];
  constexpr const node& n = Code::g[s.id];
  constexpr int body = s.body;
  using phis = std::make_index_sequence<static_cast<std::size_t>(Code::p.regions[body].phi_count)>;
  const std::int64_t first = scalar<Code, n.operand(0)>(f);
  const std::int64_t last = scalar<Code, n.operand(1)>(f);
  const std::int64_t by = scalar<Code, n.operand(2)>(f);
  if (by == 0) fail("tl.range with a step of 0");
  start_phis<Code, body>(f, phis{});
  set_origins<Code, body, 0>(f, phis{});
  for (std::int64_t i = first; by > 0 ? i < last : i > last; i += by) {
    if constexpr (Code::p.slot_of[s.id + 1] >= 0) {
      f.slots[Code::p.slot_of[s.id + 1]] = to_bits(static_cast<std::int32_t>(i));
    }
    run_region<Code, body>(f);
    advance_phis<Code, body>(f, phis{});
    set_origins<Code, body, 1>(f, phis{});
  }
}

template <class Code, int Step>
TILEWRIGHT_INLINE void run_step(frame& f) {
  constexpr const plan_step& s = Code::p.steps[Step];
  if constexpr (s.code == step_code::scalar) {
    run_scalar<Code, s.id>(f);
  } else if constexpr (s.code == step_code::materialize) {
    fill_tile<Code, s.nest, s.tile, false>(f);
  } else if constexpr (s.code == step_code::store) {
    run_store<Code, Step>(f);
  } else if constexpr (s.code == step_code::dot) {
    run_dot<Code, Step>(f);
  } else if constexpr (s.code == step_code::loop) {
    run_loop<Code, Step>(f);
  } else if constexpr (s.code == step_code::check) {
    run_check<Code, Step>(f);
  } else if constexpr (s.nest >= 0) {
    to_reduction<Code, Step> body(f);
    nest_evaluator<Code, s.nest>::template run<false>(f, body);
  } else {
    run_tile_reduction<Code, Step>(f);
  }
}

/// Runs order[First], ..., order[First + Count - 1], at most 16 in one expression.
template <class Code, int First, int Count>
TILEWRIGHT_INLINE void run_steps(frame& f) {
  if constexpr (Count <= 16) {
    [&]<std::size_t... Offset>(std::index_sequence<Offset...>) {
      (run_step<Code, Code::p.order[First + static_cast<int>(Offset)]>(f), ...);
    }
    (std::make_index_sequence<static_cast<std::size_t>(Count)>{});
  } else {
    run_steps<Code, First, Count / 2>(f);
    run_steps<Code, First + Count / 2, Count - Count / 2>(f);
  }
}
template <class Code, int Region>
void run_region(frame& f) {
  run_steps<Code, Code::p.regions[Region].first, Code::p.regions[Region].count>(f);
}

/// Runs program number `program` of the launch.
template <class Code>
void run_program(frame& f, std::int64_t program) {
  f.program = program;
  run_region<Code, 0>(f);
}

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
