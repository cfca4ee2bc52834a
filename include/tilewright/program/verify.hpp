// Whether a command program can be run at all.
#pragma once

#include <cstdint>
#include <tilewright/config.hpp>
#include <tilewright/program/program.hpp>
#include <tilewright/program/queries.hpp>
#include <type_traits>

namespace tilewright::inline TILEWRIGHT_ABI {

/// What a device has room for.
struct program_limits {
  std::int64_t local_bytes = 0;
  std::int64_t re_bytes = 0;
  std::int32_t circular_buffers = 0;
  std::int32_t cores = max_cores;
  std::int32_t vector_core = 1;
};

/// What `verify` found: nothing, or an error (TW-E004, E013, E014, E015, or the program's own) and
/// the rule that is broken.
struct verdict {
  diagnostic error{};
  const char* why = "";

  constexpr explicit operator bool() const { return static_cast<bool>(error); }
};

namespace detail {

/// Registers that a program can have: each instruction gives a value to one at most.
inline constexpr std::int32_t max_registers =
    max_cores * std::remove_extent_t<decltype(command_program::cores)>::capacity();

class program_verifier {
 public:
  constexpr program_verifier(const command_program& what, const program_limits& limits)
      : program_(what), limits_(limits) {
    for (std::int8_t& owner : readers_) owner = -1;
    for (std::int8_t& owner : writers_) owner = -1;
  }

  constexpr verdict run() {
    if (program_.error) return {program_.error, "the program was not finished"};
    if (program_.registers < 0 || program_.registers > max_registers) {
      reject(0, "more registers than instructions", max_registers, program_.registers);
      return found_;
    }
    buffers();
    for (int core = 0; core < max_cores && !found_; ++core) list_of(core);
    return found_;
  }

 private:
  constexpr bool reject(std::int32_t line, const char* why, std::int64_t need = 0,
                        std::int64_t have = 0, code what = code::malformed) {
    if (!found_) found_ = {{what, line, need, have}, why};
    return false;
  }
  /// False, and an error, unless `holds`.
  constexpr bool demand(bool holds, std::int32_t line, const char* why, std::int64_t need = 0,
                        std::int64_t have = 0) {
    return holds || reject(line, why, need, have);
  }

  constexpr void buffers() {
    std::int32_t local = 0;
    for (const buffer& each : program_.buffers) {
      const bool in_re = each.space == memory_space::re;
      bool sound = each.type != dtype::none && each.multiplier >= 1 && each.offset >= 0 &&
                   each.tile.rank >= 0 && each.tile.rank <= max_rank;
      for (int d = 0; sound && d < each.tile.rank; ++d) sound = each.tile[d] >= 1;
      if (!demand(sound, each.line, "a buffer needs a type, tiles and an offset")) return;
      if (!demand(each.offset % size_of(each.type) == 0, each.line,
                  "a buffer's offset is no multiple of its element size")) {
        return;
      }
      const std::int64_t end = each.offset + each.bytes();
      if (in_re && end > limits_.re_bytes) {
        reject(each.line, "a buffer ends past the reduction engine's memory", end, limits_.re_bytes,
               code::accumulator_too_large);
      } else if (!in_re && end > limits_.local_bytes) {
        reject(each.line, "a buffer ends past local memory", end, limits_.local_bytes,
               code::local_memory);
      }
      if (!in_re) ++local;
    }
    if (local > limits_.circular_buffers) {
      reject(0, "more circular buffers than the device has", local, limits_.circular_buffers,
             code::too_many_buffers);
    }
  }

  constexpr void list_of(int core) {
    const auto& list = program_.cores[core];
    if (!list.empty() && !demand(core < limits_.cores, list[0].line,
                                 "instructions for a core that the device has not")) {
      return;
    }
    for (dtype& type : types_) type = dtype::none;
    inplace_vector<std::int16_t, 64> open;
    for (std::int32_t at = 0; at < list.size() && !found_; ++at) {
      const instruction& step = list[at];
      switch (step.what) {
        case instruction::kind::scalar: scalar(step); break;
        case instruction::kind::move:
          if (reads(step.operands[0], step.line)) {
            writes(step, types_[step.operands[0]]);
          }
          break;
        case instruction::kind::load: load(step); break;
        case instruction::kind::loop:
          demand(is_signed_int(step.type) && size_of(step.type) >= 4, step.line,
                 "a loop runs over i32 or i64");
          for (const register_index each : step.operands) reads_as(each, step.type, step.line);
          writes(step, step.type);
          demand(open.push_back(static_cast<std::int16_t>(at)), step.line,
                 "loops are nested too deep", at, open.capacity());
          break;
        case instruction::kind::end_loop:
          if (demand(!open.empty() && step.target == open.back() && list[open.back()].target == at,
                     step.line, "a loop and its end do not match")) {
            open.pop_back();
          }
          break;
        case instruction::kind::issue:
          if (demand(step.target >= 0 && step.target < program_.commands.size(), step.line,
                     "no such command")) {
            issue(program_.commands[step.target], core);
          }
          break;
        case instruction::kind::release:
          if (has_buffer(step.target, step.line)) used_by(readers_[step.target], core, step.line);
          break;
      }
    }
    if (!open.empty()) reject(list[open.back()].line, "a loop has no end");
  }

  // ---- registers --------------------------------------------------------------------------------

  constexpr bool reads(register_index which, std::int32_t line) {
    return demand(which >= 0 && which < program_.registers, line, "no such register", which,
                  program_.registers) &&
           demand(types_[which] != dtype::none, line,
                  "a register is read before this core gives it a value", which);
  }
  constexpr bool reads_as(register_index which, dtype type, std::int32_t line) {
    return reads(which, line) &&
           demand(types_[which] == type, line, "a register has another type", which);
  }
  constexpr void writes(const instruction& step, dtype type) {
    if (!demand(step.result >= 0 && step.result < program_.registers, step.line, "no such register",
                step.result, program_.registers)) {
      return;
    }
    demand(types_[step.result] == dtype::none || types_[step.result] == type, step.line,
           "a register changes its type", step.result);
    types_[step.result] = type;
  }

  constexpr void scalar(const instruction& step) {
    const int count = scalar_operand_count(step.code);
    const op_info& info = info_of(step.code);
    demand(count >= 0, step.line, "not an operation on scalars");
    demand(step.type != dtype::none, step.line, "a scalar has no type");
    if (step.code == op::argument) {
      const bool exists = step.value >= 0 && step.value < program_.parameters.size();
      if (demand(exists, step.line, "no such parameter", step.value, program_.parameters.size())) {
        const parameter& which = program_.parameters[static_cast<std::int32_t>(step.value)];
        demand(!which.pointer && which.type == step.type, step.line,
               "a scalar parameter of another type, or a pointer", step.value);
      }
    } else if (step.code == op::program_id || step.code == op::num_programs) {
      demand(step.value >= 0 && step.value < 3, step.line, "a grid has axes 0 to 2", step.value);
    }
    for (int i = 0; i < count; ++i) {
      const dtype type =
          info.kind == op_kind::select && i == 0 ? dtype::i1 : scalar_operand_type(step);
      reads_as(step.operands[i], type, step.line);
    }
    if (info.kind != op_kind::structural) {
      demand(accepts(info.kind, scalar_operand_type(step)), step.line,
             "the operation does not take this type");
      demand(result_type(info.kind, scalar_operand_type(step)) == step.type, step.line,
             "the operation has a result of another type");
    }
    writes(step, step.type);
  }

  constexpr void load(const instruction& step) {
    reads_as(step.operands[0], dtype::i64, step.line);
    if (step.operands[1] >= 0) reads_as(step.operands[1], dtype::i1, step.line);
    if (step.operands[2] >= 0) reads_as(step.operands[2], step.type, step.line);
    const bool exists = step.value >= 0 && step.value < program_.parameters.size();
    if (demand(exists, step.line, "no such parameter", step.value, program_.parameters.size())) {
      const parameter& from = program_.parameters[static_cast<std::int32_t>(step.value)];
      demand(from.pointer && from.type == step.type, step.line,
             "a core's load takes a pointer to what it loads", step.value);
    }
    writes(step, step.type);
  }

  // ---- commands ---------------------------------------------------------------------------------

  constexpr bool has_buffer(std::int32_t which, std::int32_t line) {
    return demand(which >= 0 && which < program_.buffers.size(), line, "no such buffer", which,
                  program_.buffers.size());
  }
  constexpr void used_by(std::int8_t& owner, int core, std::int32_t line) {
    demand(owner < 0 || owner == core, line,
           "a buffer is read by both cores, or written by both cores");
    owner = static_cast<std::int8_t>(core);
  }

  constexpr void issue(const command& what, int core) {
    const std::int32_t line = what.line;
    demand(what.where != unit::vector || core == limits_.vector_core, line,
           "vector work for a core without vector unit", core, limits_.vector_core);
    if (!demand(what.dims.rank >= 0 && what.dims.rank <= max_rank, line, "too many dimensions")) {
      return;
    }
    for (int d = 0; d < what.dims.rank; ++d) {
      demand(what.dims[d] >= 1, line, "an extent below 1");
      if (what.extents[d] >= 0) reads_as(what.extents[d], dtype::i64, line);
    }
    const int inputs = input_count(what.code);
    for (int i = 0; i < 3; ++i) {
      const operand& input = what.inputs[i];
      const bool optional = what.code == op::dot && i == 2 && !what.in_place;
      if (input.from == operand::source::none) {
        demand(i >= inputs || optional, line, "an operand is missing");
      } else if (demand(i < inputs, line, "more operands than the operation has")) {
        operand_of(what, input, core, true);
      }
    }
    if (what.code == op::store) {
      demand(what.output.from == operand::source::none, line, "a store has no output tile");
    } else if (demand(what.output.from == operand::source::buffer, line,
                      "the output is no buffer")) {
      operand_of(what, what.output, core, what.in_place);
    }
    if (found_) return;
    if (what.in_place) rewrites(what);
    if (is_transfer(what.code)) {
      memory_side(what);
    } else {
      operation(what);
    }
  }

  constexpr void operand_of(const command& what, const operand& each, int core, bool reader) {
    const std::int32_t line = what.line;
    if (each.from == operand::source::scalar) {
      reads_as(each.index, each.type, line);
      demand(what.code != op::store && what.code != op::dot && what.code != op::reduce, line,
             "this operand cannot be a scalar");
      return;
    }
    if (!has_buffer(each.index, line)) return;
    const buffer& ring = program_.buffers[each.index];
    demand(each.type == ring.type, line, "an operand and its buffer differ in type", each.index);
    demand(each.dims.rank >= 0 && each.dims.rank <= max_rank &&
               elements_of(each.dims) <= elements_of(ring.tile),
           line, "an operand is larger than its tile", elements_of(each.dims),
           elements_of(ring.tile));
    demand(each.ahead >= 0 && each.ahead < ring.multiplier, line,
           "a tile further ahead than the buffer has room for", each.ahead, ring.multiplier);
    demand(ring.space == memory_space::local || what.where == unit::dpe || what.where == unit::re ||
               what.where == unit::se,
           line, "only DPE, RE and SE reach the reduction engine's memory");
    used_by((reader ? readers_ : writers_)[each.index], core, line);
  }

  constexpr void rewrites(const command& what) {
    const operand& input = what.inputs[rewritten_input(what)];
    demand(input.from == operand::source::buffer && input.index == what.output.index &&
               input.dims == what.output.dims && !input.advances && !what.output.advances,
           what.line, "an in-place command's output is the tile of its input, and stays there");
  }

  constexpr void memory_side(const command& what) {
    const std::int32_t line = what.line;
    const bool loads = what.code == op::load;
    demand(what.where == (loads ? unit::dma_in : unit::dma_out), line,
           "loads are for DMA in, stores for DMA out");
    demand(!what.in_place, line, "a transfer cannot be in place");
    if (what.offset >= 0) reads_as(what.offset, dtype::i64, line);
    for (int d = 0; d < what.dims.rank; ++d) {
      if (what.strides[d] >= 0) reads_as(what.strides[d], dtype::i64, line);
    }
    if (!demand(what.argument >= 0 && what.argument < program_.parameters.size(), line,
                "no such parameter", what.argument, program_.parameters.size())) {
      return;
    }
    const parameter& where = program_.parameters[what.argument];
    const operand& tile = loads ? what.output : what.inputs[0];
    demand(where.pointer && where.type == what.type && tile.type == what.type, line,
           "a transfer's parameter is a pointer of the tile's type", what.argument);
    demand(loads || where.writable, line, "a store to a parameter that is not writable",
           what.argument);
    demand(loads ? tile.dims == what.dims : broadcasts_to(tile.dims, what.dims), line,
           "the tile's shape is not the transfer's");
  }

  constexpr void operation(const command& what) {
    switch (what.code) {
      case op::dot: dot(what); return;
      case op::reduce: reduce(what); return;
      default: break;
    }
    const std::int32_t line = what.line;
    const op_kind kind = info_of(what.code).kind;
    const bool plain = what.code == op::copy || what.code == op::constant;
    const bool other = plain || what.code == op::cast || what.code == op::arange;
    if (!demand(other || kind != op_kind::structural, line, "not an operation of a unit")) return;
    demand(
        what.where == unit::se || what.where == unit::vector || (plain && what.where == unit::re),
        line, "this unit does not do this operation");
    demand(what.output.dims == what.dims, line, "the output's shape is not the command's");
    demand(what.output.type == (other ? what.type : result_type(kind, what.type)), line,
           "the result has another type");
    demand(other || accepts(kind, what.type), line, "the operation does not take this type");
    demand(what.code != op::arange || what.dims.rank == 1, line, "an arange has one dimension");
    demand(what.code != op::constant || what.inputs[0].from == operand::source::scalar, line,
           "a constant's operand is a scalar");
    for (int i = 0; i < input_count(what.code); ++i) {
      const operand& input = what.inputs[i];
      const bool condition = kind == op_kind::select && i == 0;
      demand(what.code == op::cast || input.type == (condition ? dtype::i1 : what.type), line,
             "an operand has another type", i);
      demand(input.from != operand::source::buffer || broadcasts_to(input.dims, what.dims), line,
             "an operand does not broadcast to the command's shape", i);
    }
  }

  constexpr void dot(const command& what) {
    const std::int32_t line = what.line;
    demand(what.where == unit::dpe || what.where == unit::vector, line,
           "this unit does not do this operation");
    if (!demand(what.dims.rank == 3, line, "a dot's shape is (m, n, k)")) return;
    const auto is = [](const shape& dims, std::int32_t rows, std::int32_t columns) {
      return dims.rank == 2 && dims[0] == rows && dims[1] == columns;
    };
    const operand& sum = what.inputs[2];
    const std::int32_t m = what.dims[0];
    const std::int32_t n = what.dims[1];
    const std::int32_t k = what.dims[2];
    demand(is(what.inputs[0].dims, m, k) && is(what.inputs[1].dims, k, n) &&
               is(what.output.dims, m, n) &&
               (sum.from == operand::source::none || is(sum.dims, m, n)),
           line, "a dot takes [m, k], [k, n] and [m, n]");
    demand(what.inputs[0].type == what.type && what.inputs[1].type == what.type, line,
           "an operand has another type");
    demand(what.output.type != dtype::i1 && size_of(what.output.type) >= 4, line,
           "a dot accumulates in 32 or 64 bits");
    demand(sum.from == operand::source::none || sum.type == what.output.type, line,
           "the accumulator and the result differ in type");
  }

  constexpr void reduce(const command& what) {
    const std::int32_t line = what.line;
    demand(what.where == unit::se || what.where == unit::vector, line,
           "this unit does not do this operation");
    demand(what.combine == op::add || what.combine == op::maximum || what.combine == op::minimum,
           line, "a reduction combines by add, maximum or minimum");
    demand(size_of(accumulator_type(what.output.type)) >= 4, line,
           "a reduction accumulates in 32 or 64 bits");
    demand(what.inputs[0].dims == what.dims, line, "the input's shape is not the command's");
    demand(!what.in_place, line, "a reduction cannot be in place");
    if (!demand(what.axis >= 0 && what.axis < what.dims.rank, line, "no such axis", what.axis,
                what.dims.rank)) {
      return;
    }
    demand(elements_of(what.output.dims) * what.dims[what.axis] == elements_of(what.dims), line,
           "the output's shape is not the input's without the axis");
  }

  const command_program& program_;
  const program_limits limits_;
  verdict found_{};
  dtype types_[max_registers]{};  // of the registers, on the core at hand
  // The core that reads (writes) each buffer, -1 while none does.
  std::int8_t readers_[decltype(command_program::buffers)::capacity()]{};
  std::int8_t writers_[decltype(command_program::buffers)::capacity()]{};
};

}  // namespace detail

/// Checks a program against a device's limits and the rules of program.hpp: buffers fit and each
/// has one core that reads and one that writes; loops match; registers have a value of the right
/// type on the core that reads them; every command that is issued has the operands, shapes, types
/// and unit that its operation needs. `need` and `have` of the error are what the rule speaks of.
constexpr verdict verify(const command_program& what, const program_limits& limits) {
  return detail::program_verifier(what, limits).run();
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
