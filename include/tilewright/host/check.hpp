// Whether loads and stores stay inside of their arguments: the steps that only checked code has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tilewright/analysis/pointer_root.hpp>
#include <tilewright/config.hpp>
#include <tilewright/host/frame.hpp>
#include <tilewright/host/nest.hpp>
#include <tilewright/host/plan.hpp>
#include <tilewright/ir/scalar_math.hpp>
#include <tilewright/launch/bounds.hpp>
#include <utility>

namespace tilewright::inline TILEWRIGHT_ABI::detail {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

/// The slot that holds which argument the pointers of phi `id` come from.
template <class Code>
constexpr int origin_slot(node_id id) {
  int k = 0;
  while (Code::p.phis[k].id != id) ++k;
  return Code::p.phis[k].origin;
}

/// Position of the argument that the pointers of node `Id` come from.
template <class Code, node_id Id>
std::uint64_t origin_of(const frame& f) {
  constexpr node_id root = pointer_root(Code::g, Id);
  if constexpr (Code::g[root].code == op::argument) {
    return static_cast<std::uint64_t>(Code::g[root].value);
  } else {
    return f.slots[origin_slot<Code>(root)];
  }
}

/// `from` + `stride` * `steps`, or the end of i64 that lies on the way.
inline std::int64_t moved(std::int64_t from, std::int64_t stride, std::int64_t steps) {
  std::int64_t way = 0, to = 0;
  if (!__builtin_mul_overflow(stride, steps, &way) && !__builtin_add_overflow(from, way, &to)) {
    return to;
  }
  return stride < 0 ? std::numeric_limits<std::int64_t>::min()
                    : std::numeric_limits<std::int64_t>::max();
}

/// What structured access `Id` touches, which has extents and no mask.
template <class Code, node_id Id>
element_range box_of(const frame& f) {
  constexpr const node& n = Code::g[Id];
  constexpr const access& a = Code::g.accesses.items[static_cast<std::size_t>(n.value)];
  element_range box;
  box.take(count<Code, a.offset>(f, 0));
  [&]<std::size_t... D>(std::index_sequence<D...>) {
    (
        [&] {
          const std::int64_t extent = count<Code, a.extents[D]>(f, n.dims.extents[D]);
          const std::int64_t stride = count<Code, a.strides[D]>(f, 0);
          if (extent <= 0) box = {};
          if (box.empty()) return;
          std::int64_t& end = stride < 0 ? box.low : box.high;
          end = moved(end, stride, extent - 1);
        }(),
        ...);
  }
  (std::make_index_sequence<static_cast<std::size_t>(n.dims.rank)>{});
  return box;
}

/// Takes note of the elements that the lanes of a nest touch, where its mask holds.
template <class Code, int Step>
struct to_range {
  static constexpr const plan_step& s = Code::p.steps[Step];
  static constexpr const loop_nest& nest = Code::p.nests[s.nest];
  static constexpr const node& n = Code::g[s.id];
  static constexpr bool structured = n.value >= 0;
  static constexpr int access_index = structured ? static_cast<int>(n.value) : 0;
  using evaluator = nest_evaluator<Code, s.nest>;

  const frame& f;
  std::uint64_t base = 0;  ///< address of the argument that pointers come from
  element_range touched{};
  std::int64_t first = 0;  ///< of a structured access: element of the row's lane 0
  std::int64_t stride = 0;

  // Sums of indices and strides wrap, as they do in blocks of pointers.
  void row(const std::int64_t* index) {
    if constexpr (structured) {
      constexpr const access& a = Code::g.accesses.items[access_index];
      first = count<Code, a.offset>(f, 0);
      stride = 0;
      [&]<std::size_t... D>(std::index_sequence<D...>) {
        (
            [&] {
              constexpr int loop = nest.axes[D];
              const std::int64_t along = count<Code, a.strides[D]>(f, 0);
              if constexpr (loop >= 0 && loop == evaluator::vector_loop) {
                stride = along;
              } else if constexpr (loop >= 0) {
                first = scalar_math::add(first, scalar_math::mul(along, index[loop]));
              }
            }(),
            ...);
      }
      (std::make_index_sequence<static_cast<std::size_t>(n.dims.rank)>{});
    }
  }
  template <bool Partial, class Cells>
  void vector(Cells& all, std::int64_t j, int valid) {
    simd::mask wanted = simd::first_lanes(valid);
    if constexpr (nest.mask >= 0) {
      wanted = simd::both(wanted, evaluator::template at<nest.mask>(all).value);
    }
    const mask_lanes want(wanted);
    for (int lane = 0; lane < simd::lanes; ++lane) {
      if (want.at[lane] == 0) continue;
      if constexpr (structured) {
        touched.take(scalar_math::add(first, scalar_math::mul(stride, j + lane)));
      } else {
        const std::uint64_t address = evaluator::template at<nest.pointer>(all).value.at[lane];
        touched.take(static_cast<std::int64_t>(address - base) / size_of(n.type));
      }
    }
  }
  void end_row(std::int64_t) {}
};

/// Fails if a load or store leaves an argument of known size.
template <class Code, int Step>
void run_check(frame& f) {
  constexpr const plan_step& s = Code::p.steps[Step];
  constexpr const node& n = Code::g[s.id];
  constexpr node_id pointers =
      n.value < 0 ? n.operand(0) : Code::g.accesses.items[static_cast<std::size_t>(n.value)].base;
  const std::uint64_t origin = origin_of<Code, pointers>(f);
  const argument& given = f.arguments[origin];
  if (given.elements < 0) return;
  element_range touched;
  if constexpr (s.nest < 0) {
    touched = box_of<Code, s.id>(f);
  } else {
    to_range<Code, Step> body{f, reinterpret_cast<std::uintptr_t>(given.address)};
    nest_evaluator<Code, s.nest>::template run<true>(f, body);
    touched = body.touched;
  }
  check_bounds("host", n, f.program, static_cast<std::int64_t>(origin), given, touched);
}

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
