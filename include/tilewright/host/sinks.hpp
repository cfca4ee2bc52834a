// What loop nests are run for: tiles, the user's memory, reductions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tilewright/config.hpp>
#include <tilewright/host/frame.hpp>
#include <tilewright/host/nest.hpp>
#include <tilewright/host/plan.hpp>
#include <tilewright/host/reduce.hpp>
#include <type_traits>
#include <utility>

namespace tilewright::inline TILEWRIGHT_ABI::detail {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

/// Writes a nest's value to a tile.
template <class Code, int Nest, int Tile>
struct to_tile {
  using evaluator = nest_evaluator<Code, Nest>;
  static constexpr const loop_nest& nest = Code::p.nests[Nest];
  using T = node_element<Code, Code::p.tiles[Tile].id>;

  const frame& f;
  scratch_t<T>* start = nullptr;

  template <std::size_t... D>
  static TILEWRIGHT_INLINE std::int64_t row_offset(const std::int64_t* index,
                                                   std::index_sequence<D...>) {
    std::int64_t offset = 0;
    ((offset +=
      nest.axes[D] >= 0 && nest.axes[D] != evaluator::vector_loop
          ? tile_offset<Code, Tile, static_cast<int>(D)>(index[nest.axes[D] < 0 ? 0 : nest.axes[D]])
          : 0),
     ...);
    return offset;
  }
  static constexpr int vector_dim() {
    for (int d = 0; d < max_rank; ++d) {
      if (nest.axes[d] == evaluator::vector_loop) return d;
    }
    return 0;  // one element
  }

  TILEWRIGHT_INLINE void row(const std::int64_t* index) {
    start = tile_data<Code, Tile>(f) + row_offset(index, std::make_index_sequence<max_rank>{});
  }
  template <bool Partial, class Cells>
  TILEWRIGHT_INLINE void vector(Cells& all, std::int64_t j, int valid) {
    constexpr int dim = vector_dim();
    const auto& value = evaluator::template at<nest.value>(all).value;
    scratch_t<T>* to = start + tile_offset<Code, Tile, dim>(j);
    if constexpr (Code::p.tiles[Tile].strides[dim] <= 1) {
      store_scratch<T>(to, value);  // tiles have room for whole vectors
    } else {
      scratch_t<T> elements[simd::lane_count];
      store_scratch<T>(elements, value);
      for (int lane = 0; lane < valid; ++lane) {
        start[tile_offset<Code, Tile, dim>(j + lane)] = elements[lane];
      }
    }
  }
  TILEWRIGHT_INLINE void end_row(std::int64_t) {}
};

/// Stores a nest's value to the user's memory, lanes in ascending order.
template <class Code, int Nest, node_id Store>
struct to_memory {
  using evaluator = nest_evaluator<Code, Nest>;
  static constexpr const loop_nest& nest = Code::p.nests[Nest];
  static constexpr const node& n = Code::g[Store];
  static constexpr bool structured = n.value >= 0;
  using T = element_t<n.type>;

  const frame& f;
  std::uint64_t start = 0;
  std::int64_t stride = 1;
  bool streaming = false;

  static constexpr int access_index = structured ? static_cast<int>(n.value) : 0;
  static constexpr int vector_dim() {
    for (int d = 0; d < n.dims.rank; ++d) {
      if (nest.axes[d] == evaluator::vector_loop) return d;
    }
    return -1;
  }
  /// Elements up to the next address that a vector is aligned at.
  TILEWRIGHT_INLINE int lanes_to_alignment() const {
    if constexpr (structured && simd::lanes > 1) {
      constexpr std::uint64_t bytes = sizeof(T) * simd::lane_count;
      if (unit_stride() || stride == 1) {
        return static_cast<int>((~start + 1) % bytes / sizeof(T));
      }
    }
    return 0;
  }
  /// Whole vectors follow, from lane `j` on.
  TILEWRIGHT_INLINE void begin_vectors(std::int64_t j) {
    constexpr std::uint64_t bytes = sizeof(T) * simd::lane_count;
    streaming = f.streams && (start + static_cast<std::uint64_t>(j) * sizeof(T)) % bytes == 0;
  }
  static constexpr bool unit_stride() {
    if (vector_dim() < 0) return true;
    const node_id stride_node =
        Code::g.accesses[access_index].strides[static_cast<std::size_t>(vector_dim())];
    return evaluator::is_one(stride_node);
  }

  TILEWRIGHT_INLINE void row(const std::int64_t* index) {
    if constexpr (structured) {
      constexpr const access& a = Code::g.accesses.items[access_index];
      std::int64_t offset = 0;
      [&]<std::size_t... D>(std::index_sequence<D...>) {
        ((offset +=
          nest.axes[D] >= 0 && nest.axes[D] != evaluator::vector_loop
              ? count<Code, a.strides[D]>(f, 0) * index[nest.axes[D] < 0 ? 0 : nest.axes[D]]
              : 0),
         ...);
      }
      (std::make_index_sequence<max_rank>{});
      start = first_address<Code, access_index>(f) +
              static_cast<std::uint64_t>(offset * static_cast<std::int64_t>(sizeof(T)));
      if constexpr (vector_dim() >= 0 && !unit_stride()) {
        stride = count<Code, a.strides[vector_dim()]>(f, 0);
      }
    }
  }
  /// Vectors that are computed before they are stored, where that is all there is to do.
  static constexpr int group = structured && nest.mask < 0 && unit_stride() ? 4 : 100;
  static constexpr bool groups_long = false;
  template <bool Partial, class Cells>
  TILEWRIGHT_INLINE const auto& visit(Cells& all, std::int64_t, int) const {
    return evaluator::template at<nest.value>(all).value;
  }
  TILEWRIGHT_INLINE void take_group(const register_t<T>* values, std::int64_t j) const {
    T* to = at_address<T>(start) + j;
    // A fold, not a loop: the compiler would put the vectors in memory to loop over them.
    [&]<std::size_t... Vector>(std::index_sequence<Vector...>) {
      if constexpr (is_word<T>) {
        if (streaming) {
          return (simd::stream(to + static_cast<int>(Vector) * simd::lanes, values[Vector]), ...);
        }
      }
      (store_all(to + static_cast<int>(Vector) * simd::lanes, values[Vector]), ...);
    }
    (std::make_index_sequence<static_cast<std::size_t>(group)>{});
  }
  TILEWRIGHT_INLINE void put_whole(T* to, const register_t<T>& value) const {
    if constexpr (is_word<T>) {
      if (streaming) return simd::stream(to, value);
    }
    store_all(to, value);
  }

  template <bool Partial, class Cells>
  TILEWRIGHT_INLINE void vector(Cells& all, std::int64_t j, int valid) {
    const auto& value = evaluator::template at<nest.value>(all).value;
    T* to = at_address<T>(start);
    if constexpr (structured && nest.mask < 0) {
      if (unit_stride() || stride == 1) {
        if constexpr (Partial) {
          store_first(to + j, value, valid);
        } else {
          put_whole(to + j, value);
        }
        return;
      }
    }
    simd::mask wanted = simd::first_lanes(valid);
    if constexpr (nest.mask >= 0) {
      wanted = simd::both(wanted, evaluator::template at<nest.mask>(all).value);
    }
    if constexpr (structured && is_word<T>) {
      if (unit_stride() || stride == 1) return simd::store_masked(to + j, value, wanted);
    }
    const mask_lanes want(wanted);
    const lane_array<T> elements = to_lanes<T>(value);
    for (int lane = 0; lane < simd::lanes; ++lane) {
      if (want.at[lane] == 0) continue;
      if constexpr (structured) {
        std::memcpy(to + (j + lane) * stride, &elements.at[lane], sizeof(T));
      } else {
        std::memcpy(at_address<T>(evaluator::template at<nest.pointer>(all).value.at[lane]),
                    &elements.at[lane], sizeof(T));
      }
    }
  }
  TILEWRIGHT_INLINE void end_row(std::int64_t) {}
};

/// Where results of a reduction go: a scalar slot, or the element of a tile.
template <class Code, int Step>
struct reduction_result {
  static constexpr const plan_step& s = Code::p.steps[Step];
  static constexpr const node& n = Code::g[s.id];
  using T = element_t<n.type>;
  using Acc = element_t<accumulator_type(n.type)>;
  static constexpr node_id source_id = Code::p.plain[n.operand(0)];
  static constexpr const node& source = Code::g[source_id];

  /// Whether neighbouring results and their sources in tile `From` lie side by side, so that they
  /// can be done in one vector.
  template <int From>
  static constexpr bool side_by_side() {
    if constexpr (n.dims.rank == 0 || s.tile < 0) {
      return false;
    } else {
      constexpr int inner = n.dims.rank - 1;
      constexpr int source_inner = inner < n.value ? inner : inner + 1;
      return is_simd_type(dtype_v<Acc>) && n.dims[inner] > 1 &&
             Code::p.tiles[From].strides[source_inner] == 1 &&
             Code::p.tiles[s.tile].strides[inner] == 1;
    }
  }

  /// The elements behind the axis's extent are one value, combined once.
  static TILEWRIGHT_INLINE Acc with_padding(Acc total, std::int64_t used) {
    constexpr std::int64_t all = source.dims.extents[static_cast<std::size_t>(n.value)];
    if constexpr (n.extents[n.dims.rank] != no_node) {
      if (used < all) {
        constexpr auto bits = static_cast<std::uint64_t>(
            Code::g.accesses.items[static_cast<std::size_t>(source.value)].fill_bits);
        const Acc padding = convert<Acc>(from_bits<element_t<source.type>>(bits));
        return used > 0 ? meaning<n.combine>::eval(total, padding) : padding;
      }
    }
    return total;
  }
  /// Stores `total` as element `index` of the result.
  static TILEWRIGHT_INLINE void put(frame& f, Acc total, std::int64_t offset) {
    const T value = convert<T>(total);
    if constexpr (s.tile < 0) {
      f.slots[Code::p.slot_of[s.id]] = to_bits(value);
    } else {
      tile_data<Code, s.tile>(f)[offset] = value;
    }
  }
};

/// Where values go that nothing reads again.
struct to_nowhere {
  const frame& f;
};

/// Reduces the rows of a nest along its vector loop, and keeps them in a tile if the plan says so.
template <class Code, int Step>
struct to_reduction {
  using result = reduction_result<Code, Step>;
  static constexpr const plan_step& s = Code::p.steps[Step];
  static constexpr const loop_nest& nest = Code::p.nests[s.nest];
  static constexpr const node& n = Code::g[s.id];
  using evaluator = nest_evaluator<Code, s.nest>;
  using Acc = typename result::Acc;
  using keeper = std::conditional_t<(s.kept >= 0),
                                    to_tile<Code, s.nest, (s.kept >= 0 ? s.kept : 0)>, to_nowhere>;

  frame& f;
  reduction_stream<n.combine, Acc> stream;
  keeper keep;
  std::int64_t offset = 0;
  std::int64_t uniform_from = -1;  // elements from here on are all `rest`, and not taken
  Acc rest{};

  TILEWRIGHT_INLINE explicit to_reduction(frame& of) : f(of), keep{of} {}

  TILEWRIGHT_INLINE void row(const std::int64_t* index) {
    stream.start();
    uniform_from = -1;
    if constexpr (s.kept >= 0) keep.row(index);
    if constexpr (s.tile >= 0) {
      offset = [&]<std::size_t... D>(std::index_sequence<D...>) {
        return (std::int64_t{0} + ... +
                (nest.axes[D] >= 0 && static_cast<int>(D) < n.dims.rank
                     ? tile_offset<Code, s.tile, static_cast<int>(D)>(
                           index[nest.axes[D] < 0 ? 0 : nest.axes[D]])
                     : 0));
      }
      (std::make_index_sequence<max_rank>{});
    }
  }
  /// The element of each lane as the type that is accumulated in.
  template <bool Partial, class Cells>
  TILEWRIGHT_INLINE register_t<Acc> visit(Cells& all, std::int64_t j, int valid) {
    if constexpr (s.kept >= 0) keep.template vector<Partial>(all, j, valid);
    using source = node_element<Code, result::source_id>;
    return cast<Acc, source>(evaluator::template at<nest.value>(all).value);
  }
  template <bool Partial, class Cells>
  TILEWRIGHT_INLINE void vector(Cells& all, std::int64_t j, int valid) {
    const register_t<Acc> value = visit<Partial>(all, j, valid);
    if (nest.uniform_after == no_node || uniform_from < 0) {
      stream.template take<Partial>(value, valid);
    }
  }
  /// Vectors of four chunks of the tree, which are taken in one go.
  static constexpr int group = 4 * static_cast<int>(reduction_lanes) / simd::lanes;
  static constexpr bool groups_long = true;
  TILEWRIGHT_INLINE void take_group(const register_t<Acc>* values, std::int64_t) {
    stream.take_four(values);
  }

  /// From element `j` on all elements are that of the last lane. It stands for the rest in a maximum
  /// or minimum, and in a sum if it is +0. Returns whether the rest need not be visited.
  template <class Cells>
  TILEWRIGHT_INLINE bool skips_rest(Cells& all, std::int64_t j) {
    using source = node_element<Code, result::source_id>;
    rest = to_lanes<Acc>(cast<Acc, source>(evaluator::template at<nest.value>(all).value))
               .at[simd::lanes - 1];
    const bool cut = n.combine != op::add || to_bits(rest) == 0;
    if (cut) uniform_from = j;
    if constexpr (s.kept >= 0) return cut && !Code::p.tiles[s.kept].read_behind;
    return cut;
  }
  TILEWRIGHT_INLINE void end_row(std::int64_t end) {
    const bool cut = nest.uniform_after != no_node && uniform_from >= 0;
    const std::int64_t taken = cut ? uniform_from : end;
    Acc total =
        taken > 0 ? stream.finish(taken) : from_bits<Acc>(identity_of(n.combine, dtype_v<Acc>));
    if (cut) total = meaning<n.combine>::eval(total, rest);
    result::put(f, result::with_padding(total, end), offset);
  }
};

template <class Code, int Nest, int Tile, bool Careful>
void fill_tile(frame& f) {
  to_tile<Code, Nest, Tile> body{f};
  nest_evaluator<Code, Nest>::template run<Careful>(f, body);
}

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
