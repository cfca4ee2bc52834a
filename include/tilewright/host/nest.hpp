// Loop nests: the values of a nest, evaluated vector by vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tilewright/config.hpp>
#include <tilewright/host/frame.hpp>
#include <tilewright/host/plan.hpp>
#include <tilewright/host/simd_ops.hpp>
#include <utility>

namespace tilewright::inline TILEWRIGHT_ABI::detail {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

/// Element type of value `Index` of nest `Nest`.
template <class Code, int Nest, int Index>
using value_element = node_element<Code, Code::p.values[Code::p.nests[Nest].first + Index].id>;

/// A value while its nest runs. Values read from memory along the vector loop keep where the
/// current row lies: how far apart neighbours are, and how many of them may be read.
template <class Code, int Nest, int Index>
struct cell {
  register_t<value_element<Code, Nest, Index>> value;
  std::uint64_t row;
  std::int64_t stride;
  std::int64_t limit;
};
template <class Code, int Nest, class Indices>
struct cells_of;
template <class Code, int Nest, std::size_t... Index>
struct cells_of<Code, Nest, std::index_sequence<Index...>>
    : cell<Code, Nest, static_cast<int>(Index)>... {};

template <class Code, int Nest>
struct nest_evaluator {
  static constexpr const loop_nest& nest = Code::p.nests[Nest];
  static constexpr int vector_loop = nest.depth - 1;
  using cells =
      cells_of<Code, Nest, std::make_index_sequence<static_cast<std::size_t>(nest.count)>>;

  static constexpr const nest_value& value_at(int index) {
    return Code::p.values[nest.first + index];
  }
  template <int Index>
  static TILEWRIGHT_INLINE auto& at(cells& all) {
    return static_cast<cell<Code, Nest, Index>&>(all);
  }
  /// The dimension of a value that runs along loop `loop`, or -1.
  static constexpr int dim_along(const nest_value& v, int loop) {
    for (int d = 0; d < max_rank; ++d) {
      if (v.axes[d] == loop) return d;
    }
    return -1;
  }

  static constexpr bool is_structured_load(const nest_value& v) {
    return v.from == origin::compute && Code::g[v.id].code == op::load && Code::g[v.id].value >= 0;
  }
  static constexpr bool is_one(node_id id) {
    return id != no_node && Code::g[Code::p.plain[id]].code == op::constant &&
           Code::g[Code::p.plain[id]].value == 1;
  }

  /// Whether vectors may start at any element of a row: panels are only read at their multiples.
  static constexpr bool starts_anywhere() {
    for (int i = nest.until[vector_loop]; i < nest.count; ++i) {
      const nest_value& v = value_at(i);
      if (v.from == origin::tile && Code::p.tiles[v.tile].panel > 0) return false;
    }
    return true;
  }

  /// Iterations of each loop.
  static TILEWRIGHT_INLINE void find_bounds(const frame& f, std::int64_t* bounds) {
    [&]<std::size_t... Loop>(std::index_sequence<Loop...>) {
      ((bounds[Loop] = count<Code, nest.bounds[Loop]>(f, nest.extents[Loop])), ...);
    }
    (std::make_index_sequence<static_cast<std::size_t>(nest.depth)>{});
    [&]<std::size_t... Dim>(std::index_sequence<Dim...>) {
      if (((count<Code, nest.gates[Dim]>(f, 1) <= 0) || ...)) bounds[0] = 0;
    }
    (std::make_index_sequence<max_rank>{});
  }

  /// Runs the nest: `body.row(index)` before each vector loop, `body.vector<Partial>(cells, j,
  /// valid)` for each vector at j with `valid` lanes (all unless Partial), `body.end_row(count)`.
  /// `Careful` compiles the partial form only: less code where speed doesn't matter.
  template <bool Careful, class Body>
  static TILEWRIGHT_INLINE void run(frame& f, Body& body) {
    std::int64_t bounds[max_rank];
    std::int64_t index[max_rank] = {};
    find_bounds(f, bounds);
    cells all{};  // the compiler does not see that each value is evaluated before it is used
    evaluate_level<-1>(f, all, index);
    loops<0, Careful>(f, all, index, bounds, body);
  }

 private:
  template <int Loop, bool Careful, class Body>
  static TILEWRIGHT_INLINE void loops(frame& f, cells& all, std::int64_t* index,
                                      const std::int64_t* bounds, Body& body) {
    if constexpr (Loop < vector_loop) {
      for (index[Loop] = 0; index[Loop] < bounds[Loop]; ++index[Loop]) {
        evaluate_level<Loop>(f, all, index);
        loops<Loop + 1, Careful>(f, all, index, bounds, body);
      }
    } else {
      const std::int64_t end = bounds[Loop];
      prepare(f, all, index);
      body.row(index);
      std::int64_t j = 0;
      if constexpr (Careful) {
        for (; j < end; j += simd::lanes) last_vector(all, j, end, body);
      } else {
        j = first_vector(f, all, end, body);
        // Rows vary up to here, and one vector stands for what lies behind.
        const std::int64_t varied = count<Code, nest.uniform_after>(f, end);
        const std::int64_t inside = varied < end ? varied : end;
        if constexpr (requires { Body::group; }) j = grouped(f, all, j, inside, body);
        for (; j + simd::lanes <= inside; j += simd::lanes) {
          evaluate_vector<part::inside>(all, j, simd::lanes);
          body.template vector<false>(all, j, simd::lanes);
        }
        if constexpr (nest.uniform_after != no_node) j = uniform_rest(all, j, varied, end, body);
        if (j < end) last_vector(all, j, end, body);
      }
      body.end_row(end);
    }
  }

  /// Whole vectors from `j` on, the first of which may still vary; returns where to go on.
  template <class Body>
  static TILEWRIGHT_INLINE std::int64_t uniform_rest(cells& all, std::int64_t j,
                                                     std::int64_t varied, std::int64_t end,
                                                     Body& body) {
    if (j < varied && j + simd::lanes <= end) {
      evaluate_vector<part::whole>(all, j, simd::lanes);
      body.template vector<false>(all, j, simd::lanes);
      j += simd::lanes;
      if (skips_rest(all, j, body)) return end;
    }
    if (j + simd::lanes <= end) {
      evaluate_vector<part::whole>(all, j, simd::lanes);
      if (skips_rest(all, j, body)) return end;
      for (; j + simd::lanes <= end; j += simd::lanes) {
        body.template vector<false>(all, j, simd::lanes);
      }
    }
    return j;
  }
  /// Whether `body` needs no more of a row whose elements from `j` on are that of the last lane.
  template <class Body>
  static TILEWRIGHT_INLINE bool skips_rest(cells& all, std::int64_t j, Body& body) {
    if constexpr (requires { body.skips_rest(all, j); }) return body.skips_rest(all, j);
    return false;
  }

  /// A vector that may be cut off by the end of the row.
  template <class Body>
  static TILEWRIGHT_INLINE void last_vector(cells& all, std::int64_t j, std::int64_t end,
                                            Body& body) {
    const int valid = end - j < simd::lanes ? static_cast<int>(end - j) : simd::lanes;
    evaluate_vector<part::first_lanes>(all, j, valid);
    body.template vector<true>(all, j, valid);
  }
  /// Whether values come from scratch memory, where whole vectors are aligned.
  static constexpr bool reads_tiles() {
    for (int i = nest.until[vector_loop]; i < nest.count; ++i) {
      if (value_at(i).from == origin::tile) return true;
    }
    return false;
  }
  /// The lanes up to an address that stores like better; returns where to go on.
  template <class Body>
  static TILEWRIGHT_INLINE std::int64_t first_vector(const frame& f, cells& all, std::int64_t end,
                                                     Body& body) {
    std::int64_t j = 0;
    if constexpr (requires { body.lanes_to_alignment(); }) {
      if constexpr (starts_anywhere()) {
        const int head = body.lanes_to_alignment();
        if (head > 0 && end >= 8 * simd::lanes && (f.streams || !reads_tiles())) {
          evaluate_vector<part::first_lanes>(all, 0, head);
          body.template vector<true>(all, 0, head);
          j = head;
        }
      }
      body.begin_vectors(j);
    }
    return j;
  }

  /// Vectors from `j` on in groups of Body::group, as long as they fit before `end`; returns where to
  /// go on. Short expressions are repeated, long ones looped over.
  template <class Body>
  static TILEWRIGHT_INLINE std::int64_t grouped(const frame& f, cells& all, std::int64_t j,
                                                std::int64_t end, Body& body) {
    constexpr int group = Body::group;
    using value = std::remove_cvref_t<decltype(body.template visit<false>(all, 0, 0))>;
    if constexpr (group <= 8 && (is_short() || Body::groups_long)) {
      for (; j + group * simd::lanes <= end; j += group * simd::lanes) {
        value values[static_cast<std::size_t>(group)];
        if constexpr (nest.depth == 1 && !is_short()) {
          if (f.streams) ask_for_next_row(all, j, group * simd::lanes);
        }
        if constexpr (is_short()) {
          [&]<std::size_t... Vector>(std::index_sequence<Vector...>) {
            ((evaluate_vector<part::inside>(all, j + static_cast<int>(Vector) * simd::lanes,
                                            simd::lanes),
              values[Vector] = body.template visit<false>(
                  all, j + static_cast<int>(Vector) * simd::lanes, simd::lanes)),
             ...);
          }
          (std::make_index_sequence<static_cast<std::size_t>(group)>{});
        } else {
          for (int vector = 0; vector < group; ++vector) {
            evaluate_vector<part::inside>(all, j + vector * simd::lanes, simd::lanes);
            values[vector] = body.template visit<false>(all, j + vector * simd::lanes, simd::lanes);
          }
        }
        body.take_group(values, j);
      }
    }
    return j;
  }
  static constexpr bool is_short() {
    int operations = 0;
    for (int i = nest.until[vector_loop]; i < nest.count; ++i) {
      const nest_value& v = value_at(i);
      if (v.from == origin::compute && needed.at[i]) {
        operations += info_of(Code::g[v.id].code).cost;
      }
    }
    return operations <= 6;
  }

  template <int First, class Function, std::size_t... Offset>
  static TILEWRIGHT_INLINE void each(Function&& function, std::index_sequence<Offset...>) {
    (function.template operator()<First + static_cast<int>(Offset)>(), ...);
  }
  /// Calls `function` with each value of level `Level`.
  template <int Level, class Function>
  static TILEWRIGHT_INLINE void each_of_level(Function&& function) {
    constexpr int first = Level < 0 ? 0 : nest.until[Level];
    each<first>(
        function,
        std::make_index_sequence<static_cast<std::size_t>(nest.until[Level + 1] - first)>{});
  }

  template <int Level>
  static TILEWRIGHT_INLINE void evaluate_level(const frame& f, cells& all,
                                               const std::int64_t* index) {
    if constexpr (Level < vector_loop) {
      each_of_level<Level>([&]<int Index>() { evaluate_uniform<Index>(f, all, index); });
    }
  }
  static TILEWRIGHT_INLINE void prepare(const frame& f, cells& all, const std::int64_t* index) {
    each_of_level<vector_loop>([&]<int Index>() {
      constexpr const nest_value& v = value_at(Index);
      if constexpr (v.from == origin::tile) {
        prepare_tile<Index>(f, all, index);
      } else if constexpr (is_structured_load(v)) {
        prepare_load<Index>(f, all, index);
      }
    });
  }
  /// What is known of a vector: all of its lanes lie in the row, and before uniform_after; they lie
  /// in the row; only the first `valid` ones do.
  enum class part { inside, whole, first_lanes };

  template <part Part>
  static TILEWRIGHT_INLINE void evaluate_vector(cells& all, std::int64_t j, int valid) {
    each_of_level<vector_loop>([&]<int Index>() {
      constexpr const nest_value& v = value_at(Index);
      if constexpr (!needed.at[Index]) {
        return;
      } else if constexpr (v.from == origin::tile) {
        at<Index>(all).value = read_tile<Index>(all, j, valid);
      } else if constexpr (is_structured_load(v)) {
        at<Index>(all).value = read_structured<Index, Part>(all, j, valid);
      } else if constexpr (Code::g[v.id].code == op::load) {
        at<Index>(all).value = read_pointers<Index>(all, valid);
      } else {
        at<Index>(all).value = compute<Index>(all, j);
      }
    });
  }

  /// A value that is the same along the vector loop.
  template <int Index>
  static TILEWRIGHT_INLINE void evaluate_uniform(const frame& f, cells& all,
                                                 const std::int64_t* index) {
    constexpr const nest_value& v = value_at(Index);
    constexpr const node& n = Code::g[v.id];
    using T = value_element<Code, Nest, Index>;
    auto& value = at<Index>(all).value;
    if constexpr (v.from == origin::scalar) {
      value = splat<T>(scalar<Code, v.id>(f));
    } else if constexpr (v.from == origin::tile) {
      value = splat_scratch<T>(tile_row<Index>(f, index));
    } else if constexpr (n.code == op::constant) {
      value = splat<T>(from_bits<T>(static_cast<std::uint64_t>(n.value)));
    } else if constexpr (is_structured_load(v)) {
      prepare_load<Index>(f, all, index);
      value = read_one<Index>(all, at<Index>(all).row, at<Index>(all).limit > 0);
    } else if constexpr (n.code == op::load) {
      value = read_one<Index>(all, at<v.operands[0]>(all).value.at[0], true);
    } else {
      constexpr int loop = n.code == op::arange ? v.axes[0] : -1;
      value = compute<Index>(all, loop < 0 ? 0 : index[loop < 0 ? 0 : loop]);
    }
  }

  // ---- arithmetic ----

  template <int Index>
  static TILEWRIGHT_INLINE auto compute(cells& all, std::int64_t position) {
    constexpr const nest_value& v = value_at(Index);
    constexpr const node& n = Code::g[v.id];
    using T = value_element<Code, Nest, Index>;
    constexpr op_kind kind = info_of(n.code).kind;
    if constexpr (n.code == op::arange) {
      constexpr bool runs = v.level == vector_loop;
      return arange<T, runs>(n.value + position);
    } else if constexpr (n.code == op::cast) {
      using From = value_element<Code, Nest, v.operands[0]>;
      return cast<T, From>(at<v.operands[0]>(all).value);
    } else if constexpr (n.code == op::add_pointer) {
      using Offset = value_element<Code, Nest, v.operands[1]>;
      lane_array<std::uint64_t> result = at<v.operands[0]>(all).value;
      const lane_array<Offset> offsets = to_lanes<Offset>(at<v.operands[1]>(all).value);
      for (int lane = 0; lane < simd::lanes; ++lane) {
        result.at[lane] += static_cast<std::uint64_t>(convert<std::int64_t>(offsets.at[lane])) *
                           static_cast<std::uint64_t>(size_of(n.type));
      }
      return result;
    } else {
      static_assert(kind != op_kind::structural, "the host cannot run this operation");
      if constexpr (kind == op_kind::select) {
        return elementwise<n.code, T>(at<v.operands[0]>(all).value, at<v.operands[1]>(all).value,
                                      at<v.operands[2]>(all).value);
      } else {
        using X = value_element<Code, Nest, v.operands[0]>;
        if constexpr (compares_indices(Index)) {
          return compare_indices<Index>(all, position);
        } else if constexpr (arity_of(kind) == 2) {
          return elementwise<n.code, X>(at<v.operands[0]>(all).value, at<v.operands[1]>(all).value);
        } else {
          return elementwise<n.code, X>(at<v.operands[0]>(all).value);
        }
      }
    }
  }
  /// first, first + 1, ... if `Runs`, else first in every lane.
  template <class T, bool Runs>
  static TILEWRIGHT_INLINE register_t<T> arange(std::int64_t first) {
    if constexpr (std::is_same_v<T, std::int32_t>) {
      const std::int32_t start = static_cast<std::int32_t>(first);
      return Runs ? simd::iota(start) : simd::set(start);
    } else {
      lane_array<T> result;
      for (int lane = 0; lane < simd::lanes; ++lane) {
        result.at[lane] = static_cast<T>(first + (Runs ? lane : 0));
      }
      return from_lanes<T>(result);
    }
  }

  // ---- comparisons of indices ----
  //
  // Masks compare 64-bit sums of indices that grow by one from lane to lane with what stays the same.
  // The answer holds in the first lanes, or in the others, and how many there are is a matter of two
  // scalars.

  static constexpr int unknown_slope = 1000;
  /// What a 64-bit integer grows by from lane to lane.
  static constexpr int slope_of(int index) {
    const nest_value& v = value_at(index);
    const node& n = Code::g[v.id];
    if (v.level < vector_loop) return 0;
    if (v.from != origin::compute || n.type != dtype::i64 || n.pointer) return unknown_slope;
    if (n.code == op::arange) return 1;
    if (n.code != op::add && n.code != op::sub) return unknown_slope;
    const int x = slope_of(v.operands[0]);
    const int y = slope_of(v.operands[1]);
    if (x == unknown_slope || y == unknown_slope) return unknown_slope;
    return n.code == op::add ? x + y : x - y;
  }
  static constexpr bool compares_indices(int index) {
    const nest_value& v = value_at(index);
    const op code = Code::g[v.id].code;
    if (v.from != origin::compute || v.level < vector_loop) return false;
    if (code != op::lt && code != op::le && code != op::gt && code != op::ge) return false;
    for (int i = 0; i < 2; ++i) {
      const node& operand = Code::g[value_at(v.operands[i]).id];
      if (operand.type != dtype::i64 || slope_of(v.operands[i]) == unknown_slope) return false;
    }
    const int slope = slope_of(v.operands[0]) - slope_of(v.operands[1]);
    return slope >= -1 && slope <= 1;
  }

  /// Which values of the vector loop are needed lane by lane.
  struct flags {
    bool at[static_cast<std::size_t>(nest.count)]{};
  };
  static constexpr flags find_needed() {
    flags result;
    for (const int root : {nest.value, nest.mask, nest.pointer}) {
      if (root >= 0) result.at[root] = true;
    }
    for (int i = nest.count - 1; i >= 0; --i) {
      if (!result.at[i] || compares_indices(i)) continue;
      for (const int operand : value_at(i).operands) {
        if (operand >= 0) result.at[operand] = true;
      }
    }
    return result;
  }
  static constexpr flags needed = find_needed();

  /// Whether an index is so large that it might wrap within a vector.
  static constexpr bool may_wrap(std::int64_t index) {
    constexpr std::int64_t reach = std::int64_t{1} << 20;
    return index > std::numeric_limits<std::int64_t>::max() - reach ||
           index < std::numeric_limits<std::int64_t>::min() + reach;
  }

  /// An index, in lane 0.
  template <int Index>
  static TILEWRIGHT_INLINE std::int64_t first_index(cells& all, std::int64_t position) {
    constexpr const nest_value& v = value_at(Index);
    constexpr const node& n = Code::g[v.id];
    if constexpr (v.level < vector_loop) {
      return at<Index>(all).value.at[0];
    } else if constexpr (n.code == op::arange) {
      return n.value + position;
    } else {
      const std::int64_t x = first_index<v.operands[0]>(all, position);
      const std::int64_t y = first_index<v.operands[1]>(all, position);
      return n.code == op::add ? scalar_math::add(x, y) : scalar_math::sub(x, y);
    }
  }

  template <int Index>
  static TILEWRIGHT_INLINE simd::mask compare_indices(cells& all, std::int64_t position) {
    constexpr const nest_value& v = value_at(Index);
    constexpr op code = Code::g[v.id].code;
    constexpr int x_slope = slope_of(v.operands[0]);
    constexpr int y_slope = slope_of(v.operands[1]);
    constexpr int slope = x_slope - y_slope;
    const std::int64_t x = first_index<v.operands[0]>(all, position);
    const std::int64_t y = first_index<v.operands[1]>(all, position);
    if ((x_slope != 0 && may_wrap(x)) || (y_slope != 0 && may_wrap(y))) [[unlikely]] {
      lane_array<bool> holds;
      for (int lane = 0; lane < simd::lanes; ++lane) {
        const std::int64_t moved_x = scalar_math::add(x, std::int64_t{x_slope} * lane);
        const std::int64_t moved_y = scalar_math::add(y, std::int64_t{y_slope} * lane);
        holds.at[lane] = meaning<code>::eval(moved_x, moved_y);
      }
      return from_lanes<bool>(holds);
    }
    if constexpr (slope == 0) {
      return simd::set(meaning<code>::eval(x, y));
    } else {
      // One side moves up relative to the other, so that "less" holds in the first lanes.
      constexpr bool y_moves = slope < 0;
      constexpr bool less = code == op::lt || code == op::le;
      constexpr bool negated = less == y_moves;
      constexpr bool inclusive = (code == op::le || code == op::ge) != negated;
      const std::int64_t moving = y_moves ? y : x;
      const std::int64_t still = y_moves ? x : y;
      int count = 0;
      if (moving < still || (inclusive && moving == still)) {
        const std::uint64_t distance =
            static_cast<std::uint64_t>(still) - static_cast<std::uint64_t>(moving);
        count = distance >= simd::lane_count ? simd::lanes
                                             : static_cast<int>(distance) + (inclusive ? 1 : 0);
      }
      const simd::mask holds = simd::first_lanes(count);
      return negated ? simd::negate(holds) : holds;
    }
  }

  // ---- scratch memory ----

  /// Where the element at `index` lies, taking 0 along the vector loop.
  template <int Index>
  static TILEWRIGHT_INLINE const auto* tile_row(const frame& f, const std::int64_t* index) {
    constexpr const nest_value& v = value_at(Index);
    std::int64_t offset = 0;
    [&]<std::size_t... D>(std::index_sequence<D...>) {
      ((v.axes[D] >= 0 && v.axes[D] != vector_loop
            ? (offset +=
               tile_offset<Code, v.tile, static_cast<int>(D)>(index[v.axes[D] < 0 ? 0 : v.axes[D]]),
               0)
            : 0),
       ...);
    }
    (std::make_index_sequence<max_rank>{});
    return tile_data<Code, v.tile>(f) + offset;
  }
  template <int Index>
  static TILEWRIGHT_INLINE void prepare_tile(const frame& f, cells& all,
                                             const std::int64_t* index) {
    at<Index>(all).row = reinterpret_cast<std::uintptr_t>(tile_row<Index>(f, index));
  }
  template <int Index>
  static TILEWRIGHT_INLINE auto read_tile(cells& all, std::int64_t j, int valid) {
    constexpr const nest_value& v = value_at(Index);
    constexpr int dim = dim_along(v, vector_loop);
    using T = value_element<Code, Nest, Index>;
    const auto* row = at_address<const scratch_t<T>>(at<Index>(all).row);
    if constexpr (Code::p.tiles[v.tile].strides[dim] == 1) {
      return load_scratch<T>(row + tile_offset<Code, v.tile, dim>(j));
    } else {
      scratch_t<T> gathered[simd::lane_count] = {};
      for (int lane = 0; lane < valid; ++lane) {
        gathered[lane] = row[tile_offset<Code, v.tile, dim>(j + lane)];
      }
      return load_scratch<T>(gathered);
    }
  }

  // ---- the user's memory ----

  /// The extent of a structured access along `dim`; no_node when the nest never leaves it.
  static constexpr node_id extent_to_check(const nest_value& v, int dim) {
    const access& a = Code::g.accesses[static_cast<std::int32_t>(Code::g[v.id].value)];
    const node_id extent = a.extents[dim];
    const int loop = v.axes[dim];
    return extent != no_node && loop >= 0 && Code::p.plain[extent] == nest.bounds[loop] ? no_node
                                                                                        : extent;
  }

  template <int Index>
  static TILEWRIGHT_INLINE void prepare_load(const frame& f, cells& all,
                                             const std::int64_t* index) {
    constexpr const nest_value& v = value_at(Index);
    constexpr const node& n = Code::g[v.id];
    constexpr int which = static_cast<int>(n.value);
    constexpr const access& a = Code::g.accesses.items[which];
    auto& here = at<Index>(all);
    std::int64_t offset = 0;
    bool inside = true;
    here.stride = 0;
    here.limit = 1;
    [&]<std::size_t... D>(std::index_sequence<D...>) {
      (([&] {
         if constexpr (static_cast<int>(D) < n.dims.rank) {
           constexpr int loop = v.axes[D];
           constexpr node_id extent = extent_to_check(v, static_cast<int>(D));
           const std::int64_t stride = count<Code, a.strides[D]>(f, 0);
           if constexpr (loop >= 0 && loop == vector_loop) {
             here.stride = stride;
             here.limit = count<Code, extent>(f, n.dims[static_cast<int>(D)]);
           } else {
             const std::int64_t i = loop < 0 ? 0 : index[loop < 0 ? 0 : loop];
             offset += stride * i;
             if constexpr (extent != no_node) inside = inside && i < count<Code, extent>(f, 0);
           }
         }
       }()),
       ...);
    }
    (std::make_index_sequence<max_rank>{});
    if (!inside) here.limit = 0;
    here.row = first_address<Code, which>(f) + static_cast<std::uint64_t>(offset * size_of(n.type));
  }

  /// What lanes hold that are not read.
  template <int Index>
  static constexpr auto padding() {
    using T = value_element<Code, Nest, Index>;
    constexpr const node& n = Code::g[value_at(Index).id];
    if constexpr (n.value < 0) {
      return T{};
    } else {
      return from_bits<T>(static_cast<std::uint64_t>(
          Code::g.accesses.items[static_cast<std::size_t>(n.value)].fill_bits));
    }
  }
  template <int Index>
  static constexpr bool has_mask = value_at(Index).operands[1] >= 0;

  /// `loaded` where `wanted` holds, else `other` or 0.
  template <int Index>
  static TILEWRIGHT_INLINE auto with_other(
      cells& all, simd::mask wanted, const register_t<value_element<Code, Nest, Index>>& loaded) {
    using T = value_element<Code, Nest, Index>;
    constexpr int other = value_at(Index).operands[2];
    if constexpr (other < 0) {
      return elementwise<op::where, T>(wanted, loaded, splat(padding<Index>()));
    } else {
      return elementwise<op::where, T>(wanted, loaded, at<other>(all).value);
    }
  }

  template <int Index>
  static TILEWRIGHT_INLINE auto read_one(cells& all, std::uint64_t address, bool inside) {
    using T = value_element<Code, Nest, Index>;
    if constexpr (has_mask<Index>) {
      const simd::mask mask = at<value_at(Index).operands[1]>(all).value;
      const bool wanted = inside && !simd::none(mask);
      const T loaded = wanted ? load_one(at_address<const T>(address)) : T{};
      return with_other<Index>(all, simd::set(wanted), splat<T>(loaded));
    } else {
      return splat<T>(inside ? load_one(at_address<const T>(address)) : padding<Index>());
    }
  }

  /// In launches over more memory than caches hold, the next program most likely goes on where this
  /// one ends. Loops that compute a lot have time to fetch that. (Asking for memory that does not
  /// exist does no harm.)
  static TILEWRIGHT_INLINE void ask_for_next_row(cells& all, std::int64_t j,
                                                 std::int64_t elements) {
    each_of_level<vector_loop>([&]<int Index>() {
      if constexpr (is_structured_load(value_at(Index))) {
        constexpr std::int64_t size = sizeof(value_element<Code, Nest, Index>);
        const cell<Code, Nest, Index>& here = at<Index>(all);
        const std::uint64_t first = here.row + static_cast<std::uint64_t>((j + here.limit) * size);
        for (std::int64_t line = 0; line < elements * size; line += 64) {
          __builtin_prefetch(at_address<const void>(first + static_cast<std::uint64_t>(line)));
        }
      }
    });
  }

  template <int Index, part Part>
  static TILEWRIGHT_INLINE auto read_structured(cells& all, std::int64_t j, int valid) {
    constexpr const nest_value& v = value_at(Index);
    constexpr const node& n = Code::g[v.id];
    constexpr int dim = dim_along(v, vector_loop);
    constexpr node_id stride_node =
        Code::g.accesses.items[static_cast<std::size_t>(n.value)].strides[dim];
    using T = value_element<Code, Nest, Index>;
    const cell<Code, Nest, Index>& here = at<Index>(all);
    const T* row = at_address<const T>(here.row);
    const std::int64_t left = here.limit - j < valid ? here.limit - j : valid;
    const bool contiguous = is_one(stride_node) || here.stride == 1;
    if constexpr (has_mask<Index>) {
      simd::mask wanted = at<v.operands[1]>(all).value;
      wanted = simd::both(wanted, simd::first_lanes(static_cast<int>(left < 0 ? 0 : left)));
      if constexpr (is_word<T>) {
        if (contiguous) return with_other<Index>(all, wanted, simd::load_masked(row + j, wanted));
      }
      const mask_lanes want(wanted);
      lane_array<T> result;
      for (int lane = 0; lane < simd::lanes; ++lane) {
        result.at[lane] = want.at[lane] != 0 ? load_one(row + (j + lane) * here.stride) : T{};
      }
      return with_other<Index>(all, wanted, from_lanes<T>(result));
    } else {
      if (contiguous) {
        if constexpr (Part != part::first_lanes && always_inside(v, Part == part::inside)) {
          return load_all(row + j);
        } else {
          return load_first(row + j, left, padding<Index>());
        }
      }
      lane_array<T> result;
      for (int lane = 0; lane < simd::lanes; ++lane) {
        result.at[lane] = lane < left ? load_one(row + (j + lane) * here.stride) : padding<Index>();
      }
      return from_lanes<T>(result);
    }
  }
  /// Whether a vector that lies in the row lies inside of a load's extents, `before` uniform_after.
  static constexpr bool always_inside(const nest_value& v, bool before) {
    for (int d = 0; d < Code::g[v.id].dims.rank; ++d) {
      const node_id extent = extent_to_check(v, d);
      const bool known = before && v.axes[d] == vector_loop && extent != no_node &&
                         Code::p.plain[extent] == nest.uniform_after;
      if (extent != no_node && !known) return false;
    }
    return true;
  }

  /// A gather: one address a lane.
  template <int Index>
  static TILEWRIGHT_INLINE auto read_pointers(cells& all, int valid) {
    constexpr const nest_value& v = value_at(Index);
    using T = value_element<Code, Nest, Index>;
    const lane_array<std::uint64_t>& addresses = at<v.operands[0]>(all).value;
    simd::mask wanted = simd::first_lanes(valid);
    if constexpr (has_mask<Index>) wanted = simd::both(wanted, at<v.operands[1]>(all).value);
    const mask_lanes want(wanted);
    lane_array<T> result;
    for (int lane = 0; lane < simd::lanes; ++lane) {
      result.at[lane] =
          want.at[lane] != 0 ? load_one(at_address<const T>(addresses.at[lane])) : T{};
    }
    return with_other<Index>(all, wanted, from_lanes<T>(result));
  }
};

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace tilewright::inline TILEWRIGHT_ABI::detail
