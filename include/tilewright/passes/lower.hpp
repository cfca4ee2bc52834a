// The command program: each core's list of scalar instructions, loops, issues and releases.
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

class lowering {
 public:
  constexpr lowering(const schedule& s, std::int32_t cores) : s_(s), g_(s.source), cores_(cores) {
    tile_ = tile_values(g_);
  }

  constexpr command_program run() {
    result_.buffers = s_.buffers;
    for (node_id id = 0; id < g_.size(); ++id) {
      const node& n = g_[id];
      if (n.code == op::argument) {
        while (result_.parameters.size() <= n.value) result_.parameters.push_back({});
        result_.parameters[static_cast<std::int32_t>(n.value)] = {n.type, n.pointer, n.writable};
      }
      if (is_core_scalar(id)) register_of_[id] = static_cast<register_index>(result_.registers++);
    }
    add_commands();
    for (std::int32_t core = 0; core < cores_; ++core) emit_core(core);
    return result_;
  }

 private:
  /// What a core can hold in a register. A block that is one scalar repeated counts as that scalar.
  constexpr bool is_core_scalar(node_id id) const {
    const node& n = g_[id];
    if (tile_[id] || n.pointer || n.type == dtype::none) return false;
    return n.code != op::store && n.code != op::loop && n.code != op::end_loop && !is_view(n.code);
  }

  constexpr register_index to_register(register_index node) const {
    return node < 0 ? node : register_of_[node];
  }

  constexpr void add_commands() {
    for (std::int32_t i = 0; i < s_.steps.size(); ++i) {
      if (s_.steps[i].what != step::kind::command) continue;
      command c = s_.steps[i].work;
      c.offset = to_register(c.offset);
      for (register_index& r : c.strides) r = to_register(r);
      for (register_index& r : c.extents) r = to_register(r);
      for (operand& input : c.inputs) {
        if (input.from == operand::source::scalar) input.index = to_register(input.index);
      }
      command_of_[i] = static_cast<command_index>(result_.commands.size());
      if (!result_.commands.push_back(c)) fail_full(c.line);
    }
  }

  constexpr void fail_full(std::int32_t line) {
    if (!result_.error) {
      result_.error = {code::program_full, line, result_.commands.size() + 1,
                       result_.commands.capacity()};
    }
  }

  // ---- what a core needs ----

  constexpr void need(node_id id) {
    if (id >= 0 && !needed_[id]) {
      needed_[id] = true;
      stack_[depth_++] = id;
    }
  }
  constexpr void find_needed(std::int32_t core) {
    needed_ = node_flags{};
    node_id around = no_node;  // the loop around the step
    for (const step& at : s_.steps) {
      if (at.what == step::kind::loop) around = at.at;
      if (at.what == step::kind::end_loop) around = loops_[g_[at.at].operand(0)];
      if (at.core != core || at.what == step::kind::loop || at.what == step::kind::end_loop)
        continue;
      need(around);
      if (at.what == step::kind::release) continue;
      need(at.work.offset);
      for (const register_index r : at.work.strides) need(r);
      for (const register_index r : at.work.extents) need(r);
      for (const operand& input : at.work.inputs) {
        if (input.from == operand::source::scalar) need(input.index);
      }
    }
    while (depth_ > 0) {
      const node_id id = stack_[--depth_];
      need(loops_[id]);
      for (int i = 0; i < operand_slots(g_[id]); ++i) need(g_[id].operand(i));
      if (g_[id].code == op::load) need(access_of(g_[id]).offset);
    }
  }
  // ---- instructions ----

  constexpr instruction start(instruction::kind what, node_id id) const {
    instruction i;
    i.what = what;
    i.code = g_[id].code;
    i.type = g_[id].type;
    i.line = g_[id].line;
    return i;
  }
  constexpr void push(std::int32_t core, const instruction& i) {
    if (!result_.cores[core].push_back(i)) fail_full(i.line);
  }

  constexpr void emit_core(std::int32_t core) {
    loops_ = enclosing_loops(g_);
    find_needed(core);
    std::int32_t next_step = 0;
    for (node_id id = 0; id < g_.size(); ++id) {
      const node& n = g_[id];
      if (needed_[id] && n.code != op::loop && is_core_scalar(id)) emit_scalar(core, id);
      // Commands that belong to the head of a loop run before it, those of its end inside it.
      for (; next_step < s_.steps.size() && s_.steps[next_step].at == id; ++next_step) {
        emit_step(core, next_step);
      }
    }
  }

  constexpr void emit_scalar(std::int32_t core, node_id id) {
    const node& n = g_[id];
    if (n.code == op::load) return emit_load(core, id);
    if (n.code == op::induction) return;  // the loop instruction's result
    if (n.code == op::phi) return;        // moved before the loop and at its end
    instruction i =
        start(n.code == op::copy ? instruction::kind::move : instruction::kind::scalar, id);
    i.result = register_of_[id];
    for (int k = 0; k < operand_slots(n); ++k) i.operands[k] = register_of_[n.operand(k)];
    i.value = n.value;
    const bool compares = info_of(n.code).kind == op_kind::compare;
    if (compares || n.code == op::cast) i.operand_type = g_[n.operand(0)].type;
    push(core, i);
  }

  constexpr const access& access_of(const node& n) const {
    return g_.accesses[static_cast<std::int32_t>(n.value)];
  }
  constexpr void emit_load(std::int32_t core, node_id id) {
    const node& n = g_[id];
    instruction i = start(instruction::kind::load, id);
    i.result = register_of_[id];
    i.operands[0] = register_of_[access_of(n).offset];
    for (int k = 1; k < 3; ++k) {
      if (n.operand(k) != no_node) i.operands[k] = register_of_[n.operand(k)];
    }
    i.value = g_[access_of(n).base].value;
    push(core, i);
  }

  constexpr void emit_step(std::int32_t core, std::int32_t index) {
    const step& at = s_.steps[index];
    switch (at.what) {
      case step::kind::loop:
        if (needed_[at.at]) start_loop(core, at.at);
        return;
      case step::kind::end_loop:
        if (needed_[g_[at.at].operand(0)]) finish_loop(core, at.at);
        return;
      case step::kind::command:
        if (at.core == core) {
          instruction i = start(instruction::kind::issue, at.at);
          i.code = at.work.code;
          i.line = at.work.line;
          i.target = command_of_[index];
          push(core, i);
        }
        return;
      case step::kind::release:
        if (at.core == core) {
          instruction i = start(instruction::kind::release, at.at);
          i.target = at.released;
          push(core, i);
        }
        return;
    }
  }

  constexpr void move_phis(std::int32_t core, node_id loop, int operand) {
    for_each_phi(g_, loop, [&](node_id phi) {
      if (!needed_[phi] || !is_core_scalar(phi)) return;
      instruction i = start(instruction::kind::move, phi);
      i.result = register_of_[phi];
      i.operands[0] = register_of_[g_[phi].operand(operand)];
      push(core, i);
    });
  }
  constexpr void start_loop(std::int32_t core, node_id loop) {
    move_phis(core, loop, 0);
    instruction i = start(instruction::kind::loop, loop);
    i.result = register_of_[loop + 1];
    for (int k = 0; k < 3; ++k) i.operands[k] = register_of_[g_[loop].operand(k)];
    open_loops_[open_count_++] = static_cast<std::int16_t>(result_.cores[core].size());
    push(core, i);
  }
  constexpr void finish_loop(std::int32_t core, node_id end) {
    move_phis(core, g_[end].operand(0), 1);
    instruction i = start(instruction::kind::end_loop, end);
    i.target = open_loops_[--open_count_];
    if (result_.error) return;
    result_.cores[core][i.target].target = static_cast<std::int16_t>(result_.cores[core].size());
    push(core, i);
  }

  const schedule& s_;
  const graph& g_;
  std::int32_t cores_;
  command_program result_{};
  node_flags tile_{};
  node_flags needed_{};
  node_map stack_{};
  std::int32_t depth_ = 0;
  node_map loops_{};
  std::int16_t open_loops_[32] = {};
  std::int32_t open_count_ = 0;
  register_index register_of_[TILEWRIGHT_MAX_NODES] = {};
  command_index command_of_[320] = {};
};

}  // namespace detail

/// Emits the program. Scalars that both cores need are computed by both. Errors: TW-E016.
constexpr command_program lower(const schedule& s, const device_spec& device) {
  if (s.error) return failed_program(s.error);
  return detail::on_heap([&] { return detail::lowering(s, device.cores); })->run();
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
