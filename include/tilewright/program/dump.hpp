// A command program as text.
#pragma once

#include <cstdint>
#include <tilewright/config.hpp>
#include <tilewright/detail/text.hpp>
#include <tilewright/program/program.hpp>
#include <tilewright/program/queries.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

template <class Text>
constexpr void put_hexadecimal(Text& out, std::uint64_t bits) {
  int digits = 1;
  while (digits < 16 && bits >> (4 * digits) != 0) ++digits;
  put(out, "0x");
  for (int d = digits - 1; d >= 0; --d) {
    const char* const all = "0123456789abcdef";
    out.append(&all[bits >> (4 * d) & 15u], 1);
  }
}

/// "f32[64, 64]"
template <class Text>
constexpr void put_block(Text& out, dtype type, const shape& dims) {
  put(out, name_of(type), "[");
  for (int d = 0; d < dims.rank; ++d) put(out, d == 0 ? "" : ", ", dims[d]);
  put(out, "]");
}

/// "r3", or the word for none.
template <class Text>
constexpr void put_register(Text& out, register_index which, const char* none) {
  if (which < 0) {
    put(out, none);
  } else {
    put(out, "r", int{which});
  }
}

/// " name (r3, all)" of the registers of a command's dimensions, if there are any.
template <class Text>
constexpr void put_registers(Text& out, const char* name, const register_index* which, int rank,
                             const char* none) {
  bool any = false;
  for (int d = 0; d < rank; ++d) any = any || which[d] >= 0;
  if (!any) return;
  put(out, " ", name, " (");
  for (int d = 0; d < rank; ++d) {
    put(out, d == 0 ? "" : ", ");
    put_register(out, which[d], none);
  }
  put(out, ")");
}

/// "r3", "(b2, ahead 1, pop)" of an input, "(b2, push)" of an output.
template <class Text>
constexpr void put_operand(Text& out, const operand& which, bool input) {
  if (which.from == operand::source::none) {
    put(out, "none");
  } else if (which.from == operand::source::scalar) {
    put_register(out, which.index, "none");
  } else {
    put(out, "(b", int{which.index});
    if (input) put(out, ", ahead ", int{which.ahead});
    if (which.advances) put(out, input ? ", pop" : ", push");
    put(out, ")");
  }
}

/// "buffer b0: 2 x f32[64, 64] at 0, 32768 bytes  ; line 12"
template <class Text>
constexpr void put_buffer(Text& out, std::int32_t index, const buffer& each) {
  put(out, "buffer b", int{index}, ": ", int{each.multiplier}, " x ");
  put_block(out, each.type, each.tile);
  put(out, " at ", each.offset, each.space == memory_space::re ? " of RE, " : ", ", each.bytes(),
      " bytes  ; line ", int{each.line}, "\n");
}

/// "SE: add f32[1024] (b0, ahead 0, pop) (b1, ahead 0, pop) -> (b2, push), 24 cycles"
template <class Text>
constexpr void put_command(Text& out, const command& what) {
  put(out, name_of(what.where), ": ", name_of(what.code), " ");
  if (what.code == op::reduce) {
    put(out, "by ", name_of(what.combine), " along ", int{what.axis}, " ");
  }
  put_block(out, what.type, what.dims);
  if (what.code == op::arange) put(out, " from ", what.value);
  for (int i = 0; i < input_count(what.code); ++i) {
    put(out, " ");
    put_operand(out, what.inputs[i], true);
  }
  if (what.code == op::load) put(out, " argument ", int{what.argument});
  put(out, " -> ");
  if (what.code == op::store) {
    put(out, "argument ", int{what.argument});
  } else {
    put_operand(out, what.output, false);
  }
  if (what.in_place) put(out, " in place");
  if (is_transfer(what.code)) {
    put(out, " offset ");
    put_register(out, what.offset, "0");
    put_registers(out, "strides", what.strides, what.dims.rank, "0");
  }
  put_registers(out, "extents", what.extents, what.dims.rank, "all");
  if (what.fill) {
    put(out, " fill ");
    put_hexadecimal(out, static_cast<std::uint64_t>(what.fill_bits));
  }
  put(out, ", ", int{what.issue_cycles}, " cycles");
}

/// "r3 = mul i64 r1 r2"
template <class Text>
constexpr void put_scalar(Text& out, const instruction& step) {
  put_register(out, step.result, "none");
  put(out, " = ", name_of(step.code), " ", name_of(step.type));
  const int count = scalar_operand_count(step.code);
  if (count > 0 && scalar_operand_type(step) != step.type) {
    put(out, " of ", name_of(scalar_operand_type(step)));
  }
  if (count == 0) {
    put(out, " ");
    if (step.code == op::constant) {
      put_hexadecimal(out, static_cast<std::uint64_t>(step.value));
    } else {
      put(out, step.value);
    }
  }
  for (int i = 0; i < count; ++i) {
    put(out, " ");
    put_register(out, step.operands[i], "none");
  }
}

template <class Text>
constexpr void put_instruction(Text& out, const command_program& what, const instruction& step) {
  switch (step.what) {
    case instruction::kind::scalar: put_scalar(out, step); break;
    case instruction::kind::move:
      put_register(out, step.result, "none");
      put(out, " = ");
      put_register(out, step.operands[0], "none");
      break;
    case instruction::kind::load:
      put_register(out, step.result, "none");
      put(out, " = load ", name_of(step.type), " argument ", step.value, " at ");
      put_register(out, step.operands[0], "none");
      if (step.operands[1] >= 0) {
        put(out, " if ");
        put_register(out, step.operands[1], "none");
        put(out, " else ");
        put_register(out, step.operands[2], "0");
      }
      break;
    case instruction::kind::loop: {
      constexpr const char* words[] = {" from ", " to before ", " by "};
      put(out, "loop ", name_of(step.type), " ");
      put_register(out, step.result, "none");
      for (int i = 0; i < 3; ++i) {
        put(out, words[i]);
        put_register(out, step.operands[i], "none");
      }
      break;
    }
    case instruction::kind::end_loop: put(out, "end"); break;
    case instruction::kind::issue:
      if (step.target >= 0 && step.target < what.commands.size()) {
        put_command(out, what.commands[step.target]);
      } else {
        put(out, "no such command");
      }
      break;
    case instruction::kind::release: put(out, "release b", int{step.target}); break;
  }
}

}  // namespace detail

/// Appends the program to `out`, which has `append(const char*, size)`: parameters, buffers, and
/// each core's list, indented by loops, every line with the source line that it comes from. An
/// operand is written as (buffer, tiles ahead of its read pointer, pop or push).
template <class Text>
constexpr void dump(const command_program& what, Text& out) {
  using detail::put;
  for (std::int32_t p = 0; p < what.parameters.size(); ++p) {
    const parameter& each = what.parameters[p];
    put(out, "argument ", int{p}, ": ", each.pointer ? "pointer to " : "", name_of(each.type),
        each.writable ? ", writable\n" : "\n");
  }
  for (std::int32_t b = 0; b < what.buffers.size(); ++b)
    detail::put_buffer(out, b, what.buffers[b]);
  for (int core = 0; core < max_cores; ++core) {
    if (what.cores[core].empty()) continue;
    put(out, "core ", core, ":\n");
    int depth = 1;
    for (const instruction& step : what.cores[core]) {
      if (step.what == instruction::kind::end_loop && depth > 1) --depth;
      for (int i = 0; i < depth; ++i) put(out, "  ");
      detail::put_instruction(out, what, step);
      put(out, "  ; line ", int{step.line}, "\n");
      if (step.what == instruction::kind::loop) ++depth;
    }
  }
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
