// Tiles get circular buffers, and operations become commands on them.
#pragma once

#include <cstdint>

#include <tilewright/analysis/liveness.hpp>
#include <tilewright/analysis/tile_values.hpp>
#include <tilewright/config.hpp>
#include <tilewright/detail/on_heap.hpp>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/passes/schedule.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

class buffer_assigner {
 public:
  constexpr buffer_assigner(const graph& g, const device_spec& device) : g_(g), device_(device) {
    tile_ = tile_values(g);
    loops_ = enclosing_loops(g);
    for (node_id id = 0; id < g.size(); ++id) {
      accumulates_in_[id] = no_node;
      buffer_of_[id] = drained_[id] = -1;
    }
    find_accumulators();
    find_pushed_values();
  }

  constexpr schedule run() {
    result_.source = g_;
    for (node_id id = 0; id < g_.size(); ++id) visit(id);
    check_space();
    return result_;
  }

 private:
  /// A loop-carried accumulator stays where it is: phi -> dot -> phi, and nobody else looks at it
  /// inside the loop.
  constexpr void find_accumulators() {
    for (node_id id = 0; id < g_.size(); ++id) {
      if (g_[id].code != op::phi || !tile_[id]) continue;
      const node_id next = g_[id].operand(1);
      if (g_[next].code != op::dot || g_[next].operand(2) != id) continue;
      bool alone = loops_[next] == loops_[id];
      for (node_id user = loop_of(id) + 2; user < g_[loop_of(id)].value && alone; ++user) {
        if (user == id) continue;
        for (int i = 0; i < operand_slots(g_[user]); ++i) {
          const node_id used = g_[user].operand(i);
          alone = alone && (used != next && (used != id || (user == next && i == 2)));
        }
      }
      if (alone) accumulates_in_[next] = id;
    }
  }
  constexpr node_id loop_of(node_id phi) const { return g_[phi].operand(2); }

  /// Other loop-carried tiles are queues: the command that computes the next value pushes it
  /// behind the present one, which is released at the end of the iteration.
  constexpr void find_pushed_values() {
    for (node_id id = 0; id < g_.size(); ++id) pushed_into_[id] = no_node;
    for (node_id id = 0; id < g_.size(); ++id) {
      if (g_[id].code != op::phi || !tile_[id]) continue;
      const node_id next = g_[id].operand(1);
      const bool computed = tile_[next] && !is_view(g_[next].code) && g_[next].code != op::phi &&
                            g_[next].code != op::dot && loops_[next] == loop_of(id);
      if (computed && pushed_into_[next] == no_node) pushed_into_[next] = id;
    }
  }

  constexpr buffer_index add_buffer(node_id id, memory_space space, std::int32_t tiles) {
    buffer b;
    b.type = g_[id].type;
    b.tile = g_[id].dims;
    b.multiplier = tiles;
    b.space = space;
    b.line = g_[id].line;
    if (!result_.buffers.push_back(b)) {
      result_.fail({code::too_many_buffers, g_[id].line, result_.buffers.size() + 1,
                    device_.circular_buffers});
    }
    return static_cast<buffer_index>(result_.buffers.size() - 1);
  }

  // ---- operands ----

  /// The value of node `id` as an operand: a buffer for tiles, seen through views, else a scalar.
  constexpr operand use(node_id id) {
    operand result;
    result.type = g_[id].type;
    const view seen = view_of(id);
    if (!tile_[seen.base]) {
      result.from = operand::source::scalar;
      result.index = static_cast<std::int16_t>(seen.base);
      return result;
    }
    result.from = operand::source::buffer;
    result.index = read_buffer(seen.base);
    result.dims = seen.dims;
    const node_id carrier = pushed_into_[seen.base];
    if (carrier != no_node && is_inside(current_, loop_of(carrier))) result.ahead = 1;
    return result;
  }

  /// The same for a command that takes nothing but whole tiles: a value that is repeated, in a view
  /// or as a scalar, is spread out first.
  constexpr operand use_whole(node_id id) {
    const operand value = use(id);
    const bool whole = value.from == operand::source::buffer && value.dims == g_[id].dims;
    return whole ? value : spread(value, id);
  }
  /// `value` in a tile of its own, of the type and shape of node `like`.
  constexpr operand spread(const operand& value, node_id like) {
    step s = start(op::copy, device_.se_takes(g_[like].type) ? unit::se : unit::vector, like);
    if (value.from == operand::source::scalar) s.work.code = op::constant;
    s.work.inputs[0] = value;
    const buffer_index whole = add_buffer(like, memory_space::local, 1);
    s.work.output = pushed(whole, like);
    result_.add(s);
    return buffer_operand(whole, like);
  }

  /// What a chain of views shows of the node `base` behind it: its extents where they lie in the
  /// shape of the outermost view, 1 where it is repeated.
  struct view {
    node_id base = no_node;
    shape dims{};
  };
  constexpr view view_of(node_id id) const {
    view seen{id, g_[id].dims};
    int shown_at[max_rank] = {0, 1, 2, 3, 4};  // by dimension of `base`: where it is shown
    while (is_view(g_[seen.base].code)) {
      const node& n = g_[seen.base];
      const shape& source = g_[n.operand(0)].dims;
      int source_at[max_rank] = {};
      for (int d = 0; d < n.dims.rank; ++d) {
        int from = d - (n.dims.rank - source.rank);
        if (n.code == op::expand_dims) from = d < n.value ? d : d == n.value ? -1 : d - 1;
        if (from < 0 || source[from] == 1) seen.dims[shown_at[d]] = 1;
        if (from >= 0) source_at[from] = shown_at[d];
      }
      for (int d = 0; d < source.rank; ++d) shown_at[d] = source_at[d];
      seen.base = n.operand(0);
    }
    return seen;
  }

  constexpr bool is_inside(node_id id, node_id loop) const {
    return id > loop && id <= g_[loop].value;
  }

  /// The buffer to read tile `base` from. Accumulators in RE are drained to local memory first.
  constexpr buffer_index read_buffer(node_id base) {
    const buffer_index own = buffer_of_[base];
    if (own < 0 || result_.buffers[own].space == memory_space::local) return own;
    if (drained_[base] < 0 || drained_in_[base] != loops_[current_]) {
      drained_in_[base] = loops_[current_];
      step drain = start(op::copy, unit::re, base);
      drain.work.inputs[0] = buffer_operand(own, base);
      drained_[base] = add_buffer(base, memory_space::local, 1);
      drain.work.output = pushed(drained_[base], base);
      result_.add(drain);
    }
    return drained_[base];
  }

  constexpr operand buffer_operand(buffer_index index, node_id id) const {
    operand result;
    result.from = operand::source::buffer;
    result.index = index;
    result.type = g_[id].type;
    result.dims = g_[id].dims;
    return result;
  }
  constexpr operand pushed(buffer_index index, node_id id) const {
    operand result = buffer_operand(index, id);
    result.advances = true;
    return result;
  }

  // ---- commands ----

  constexpr step start(op what, unit where, node_id id) const {
    const node& n = g_[id];
    step s;
    s.at = current_;
    s.work.where = where;
    s.work.code = what;
    s.work.type = n.type;
    s.work.dims = n.dims;
    s.work.line = n.line;
    s.work.issue_cycles = device_.issue_first;
    for (int d = 0; d < max_rank; ++d)
      s.work.extents[d] = static_cast<register_index>(n.extents[d]);
    return s;
  }

  /// Gives tile `id` its buffer and completes its command.
  constexpr void produce(node_id id, step& s) {
    const node_id carrier = pushed_into_[id];
    buffer_of_[id] =
        carrier != no_node ? buffer_of_[carrier] : add_buffer(id, memory_space::local, 1);
    s.work.output = pushed(buffer_of_[id], id);
    result_.add(s);
  }

  constexpr void visit(node_id id) {
    const node& n = g_[id];
    current_ = id;
    switch (n.code) {
      case op::loop: start_loop(id); return;
      case op::end_loop: finish_loop(id); return;
      case op::load:
        if (tile_[id]) load(id);
        return;
      case op::store: return store(id);
      case op::dot: return dot(id);
      case op::reduce: return reduce(id);
      case op::phi:
      case op::induction:
      case op::expand_dims:
      case op::broadcast: return;
      default:
        if (tile_[id]) elementwise(id);
    }
  }

  constexpr void load(node_id id) {
    const node& n = g_[id];
    const access& a = g_.accesses[static_cast<std::int32_t>(n.value)];
    step s = start(op::load, unit::dma_in, id);
    describe_memory(a, s.work);
    s.work.fill = a.fill;
    s.work.fill_bits = a.fill_bits;
    produce(id, s);
  }
  constexpr void store(node_id id) {
    const node& n = g_[id];
    operand value = use(n.operand(1));
    if (value.from == operand::source::scalar || !(value.dims == n.dims)) {
      value = spread(value, id);  // DMA writes whole tiles
    }
    step s = start(op::store, unit::dma_out, id);
    s.work.inputs[0] = value;
    describe_memory(g_.accesses[static_cast<std::int32_t>(n.value)], s.work);
    result_.add(s);
  }
  constexpr void describe_memory(const access& a, command& work) const {
    work.argument = static_cast<std::int16_t>(g_[a.base].value);
    work.offset = static_cast<register_index>(a.offset);
    for (int d = 0; d < max_rank; ++d) {
      work.strides[d] = static_cast<register_index>(a.strides[d]);
      work.extents[d] = static_cast<register_index>(a.extents[d]);
    }
  }

  constexpr void elementwise(node_id id) {
    const node& n = g_[id];
    operand inputs[3];
    for (int i = 0; i < operand_slots(n); ++i) inputs[i] = use(n.operand(i));
    step s = start(n.code, n.where, id);
    if (info_of(n.code).kind == op_kind::compare) s.work.type = g_[n.operand(0)].type;
    if (n.code == op::arange) s.work.value = n.value;
    for (int i = 0; i < 3; ++i) s.work.inputs[i] = inputs[i];
    produce(id, s);
  }

  constexpr void reduce(node_id id) {
    const node& n = g_[id];
    const node& source = g_[n.operand(0)];
    const operand input = use_whole(n.operand(0));
    step s = start(op::reduce, n.where, id);
    const int axis = static_cast<int>(n.value);
    s.work.combine = n.combine;
    s.work.axis = axis;
    s.work.dims = source.dims;
    for (int d = 0; d < source.dims.rank; ++d) {
      const int from = d < axis ? d : d == axis ? n.dims.rank : d - 1;
      s.work.extents[d] = static_cast<register_index>(n.extents[from]);
    }
    if (s.work.extents[axis] >= 0) {
      s.work.fill = true;
      s.work.fill_bits = g_.accesses[static_cast<std::int32_t>(source.value)].fill_bits;
    }
    s.work.inputs[0] = input;
    produce(id, s);
  }

  constexpr void dot(node_id id) {
    const node& n = g_[id];
    const operand left = use_whole(n.operand(0));
    const operand right = use_whole(n.operand(1));
    const shape dims = {
        {g_[n.operand(0)].dims[0], g_[n.operand(1)].dims[1], g_[n.operand(0)].dims[1]}, 3};
    if (accumulates_in_[id] >= 0) {
      buffer_of_[id] = buffer_of_[accumulates_in_[id]];
    } else {
      buffer_of_[id] = accumulator_buffer(id, n.where);
      start_with(n.operand(2), id, buffer_of_[id]);
    }
    step s = start(op::dot, n.where, id);
    s.work.type = g_[n.operand(0)].type;
    s.work.dims = dims;
    s.work.inputs[0] = left;
    s.work.inputs[1] = right;
    s.work.inputs[2] = buffer_operand(buffer_of_[id], id);
    s.work.output = s.work.inputs[2];
    s.work.in_place = true;
    if (n.where == unit::dpe) {
      const std::int32_t k_step = device_.dpe_k_bytes / size_of(s.work.type);
      const auto steps = [](std::int32_t extent, std::int32_t size) {
        return (extent + size - 1) / size;
      };
      s.work.issue_cycles +=
          device_.issue_repeat * (steps(dims[0], device_.dpe_tiles * device_.dpe_rows) *
                                      steps(dims[1], device_.dpe_columns) * steps(dims[2], k_step) -
                                  1);
    }
    result_.add(s);
  }
  constexpr buffer_index accumulator_buffer(node_id id, unit where) {
    return add_buffer(id, where == unit::dpe ? memory_space::re : memory_space::local, 1);
  }

  /// A command that pushes the value of node `from` into `target`, the buffer of tile `id`.
  constexpr void start_with(node_id from, node_id id, buffer_index target) {
    const bool in_re = result_.buffers[target].space == memory_space::re;
    const unit mover = device_.se_takes(g_[id].type) ? unit::se : unit::vector;
    const operand value = use(from);
    step s = start(op::copy, in_re ? unit::re : mover, id);
    if (value.from == operand::source::scalar) s.work.code = op::constant;
    s.work.inputs[0] = value;
    s.work.output = pushed(target, id);
    result_.add(s);
  }

  // ---- loops ----

  constexpr void start_loop(node_id loop) {
    for_each_phi(g_, loop, [&](node_id phi) {
      if (!tile_[phi]) return;
      const node_id next = g_[phi].operand(1);
      const bool accumulates = accumulates_in_[next] == phi;
      buffer_of_[phi] = accumulates ? accumulator_buffer(phi, g_[next].where)
                                    : add_buffer(phi, memory_space::local, 2);
      start_with(g_[phi].operand(0), phi, buffer_of_[phi]);
    });
    step s;
    s.what = step::kind::loop;
    s.at = loop;
    s.work.line = g_[loop].line;
    result_.add(s);
  }

  constexpr void finish_loop(node_id end) {
    const node_id loop = g_[end].operand(0);
    for_each_phi(g_, loop, [&](node_id phi) {
      const node_id next = g_[phi].operand(1);
      if (!tile_[phi] || accumulates_in_[next] == phi || pushed_into_[next] == phi) return;
      start_with(next, phi, buffer_of_[phi]);
    });
    for_each_phi(g_, loop, [&](node_id phi) {
      if (!tile_[phi] || accumulates_in_[g_[phi].operand(1)] == phi) return;
      step s;
      s.what = step::kind::release;
      s.at = end;
      s.released = buffer_of_[phi];
      result_.add(s);
    });
    step s;
    s.what = step::kind::end_loop;
    s.at = end;
    result_.add(s);
  }

  constexpr void check_space() {
    std::int64_t local = 0;
    std::int64_t re = 0;
    std::int32_t circular = 0;
    std::int32_t largest = 0;
    for (const buffer& b : result_.buffers) {
      if (b.space == memory_space::re) {
        re += b.bytes();
        if (re > device_.re_accumulator_bytes) {
          result_.fail({code::accumulator_too_large, b.line, re, device_.re_accumulator_bytes});
        }
        continue;
      }
      local += b.bytes();
      ++circular;
      if (b.bytes() > result_.buffers[largest].bytes()) {
        largest = static_cast<std::int32_t>(&b - result_.buffers.begin());
      }
    }
    if (circular > device_.circular_buffers) {
      result_.fail({code::too_many_buffers, result_.buffers.back().line, circular,
                    device_.circular_buffers});
    }
    if (local > device_.local_bytes) {
      result_.fail({code::local_memory, result_.buffers[largest].line, local, device_.local_bytes});
    }
  }

  const graph& g_;
  const device_spec& device_;
  schedule result_{};
  node_flags tile_{};
  node_map loops_{};
  node_map pushed_into_{};     // by value: the phi whose queue it is pushed into
  node_id current_ = no_node;  // the node being visited
  buffer_index buffer_of_[TILEWRIGHT_MAX_NODES] = {};
  buffer_index drained_[TILEWRIGHT_MAX_NODES] = {};    // local copy of a tile in RE ...
  node_map drained_in_{};                              // ... made in this loop
  node_id accumulates_in_[TILEWRIGHT_MAX_NODES] = {};  // by dot: the phi that it updates in place
};

}  // namespace detail

/// Gives each tile a circular buffer of the smallest multiplier that runs, accumulators of the DPE
/// in the reduction engine, and makes the commands in program order. Errors: TW-E013 (local
/// memory), TW-E014 (number of buffers), TW-E015 (accumulators), TW-E016.
constexpr schedule assign_buffers(const graph& g, const device_spec& device) {
  if (g.error) return failed_schedule(g.error);
  return detail::on_heap([&] { return detail::buffer_assigner(g, device); })->run();
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
