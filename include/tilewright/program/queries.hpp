// Questions about commands.
#pragma once

#include <tilewright/config.hpp>
#include <tilewright/program/program.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Whether a command of this kind has a memory side.
constexpr bool is_transfer(op code) { return code == op::load || code == op::store; }

/// Which input an in-place command rewrites.
constexpr int rewritten_input(const command& what) { return what.code == op::dot ? 2 : 0; }

/// How many inputs a command of this kind has; the accumulator of a dot may be absent.
constexpr int input_count(op code) {
  switch (code) {
    case op::load:
    case op::arange: return 0;
    case op::store:
    case op::cast:
    case op::reduce:
    case op::constant:
    case op::copy: return 1;
    case op::dot: return 3;
    default: return arity_of(info_of(code).kind);
  }
}

/// How many operands a scalar instruction of this kind has; -1 when there is none of this kind.
constexpr int scalar_operand_count(op code) {
  switch (code) {
    case op::constant:
    case op::argument:
    case op::program_id:
    case op::num_programs: return 0;
    case op::cast: return 1;
    default: return info_of(code).kind == op_kind::structural ? -1 : arity_of(info_of(code).kind);
  }
}

/// Type of the operands of a scalar instruction.
constexpr dtype scalar_operand_type(const instruction& step) {
  return step.operand_type == dtype::none ? step.type : step.operand_type;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
