// Writing a command program by hand, one instruction after the other.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <tilewright/config.hpp>
#include <tilewright/ir/source_line.hpp>
#include <tilewright/program/program.hpp>
#include <type_traits>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Registers, one for each dimension from the outermost; dimensions not named have none.
struct register_list {
  register_index items[max_rank] = {-1, -1, -1, -1, -1};

  constexpr register_list() = default;
  constexpr register_list(std::initializer_list<register_index> values) {
    std::size_t at = 0;
    for (const register_index value : values) {
      if (at < static_cast<std::size_t>(max_rank)) items[at++] = value;
    }
  }
};

/// The memory side of a load or store. Every register holds an i64.
struct memory_access {
  std::int16_t argument = -1;
  register_index offset = -1;  ///< elements from the argument's address; -1 is 0
  register_list strides{};     ///< elements, per dimension of the tile; none is a stride of 0
  register_list extents{};     ///< leading lanes to move, per dimension; none is all of them
};

class core_builder;

namespace detail {

/// Adds to one of the program's lists and returns the position; when it is full, -1 and TW-E016.
template <class List, class Item>
constexpr std::int16_t append(command_program& owner, List& list, const Item& item,
                              source_line line) {
  if (!list.push_back(item)) {
    if (!owner.error) {
      owner.error = {code::program_full, line.number(), list.capacity() + 1, list.capacity()};
    }
    return -1;
  }
  return static_cast<std::int16_t>(list.size() - 1);
}

}  // namespace detail

/// Collects a `program`. Give it parameters and buffers, then write each core's list through
/// `core(0)`, `core(1)`. Usable in constant expressions. When a capacity is exceeded,
/// `finish().error` says so (TW-E016).
///
///   program_builder b;
///   const auto x = b.pointer(dtype::f32);
///   const auto tile = b.add_buffer(dtype::f32, make_shape<1024>(), 2);
///   auto core = b.core(0);
///   const auto one = core.constant(dtype::i64, 1);
///   core.load(b.push(tile), {.argument = x, .strides = {one}});
class program_builder {
 public:
  /// A parameter that points to elements of `type`; returns its position.
  constexpr std::int16_t pointer(dtype type, bool writable = false) {
    return add_parameter({type, true, writable});
  }
  /// A scalar parameter; returns its position.
  constexpr std::int16_t scalar(dtype type) { return add_parameter({type, false, false}); }

  /// A circular buffer of `multiplier` tiles. It follows the buffers of the same memory added
  /// before, at the next multiple of 64 bytes.
  constexpr buffer_index add_buffer(dtype type, const shape& tile, std::int32_t multiplier = 1,
                                    memory_space space = memory_space::local,
                                    source_line line = source_line::here()) {
    tilewright::buffer made{type, tile, multiplier, 0, space, line.number()};
    std::int64_t& end = ends_[static_cast<std::size_t>(space)];
    made.offset = (end + 63) / 64 * 64;
    end = made.offset + made.bytes();
    return detail::append(result_, result_.buffers, made, line);
  }

  /// Reads the tile `ahead` of the read pointer and leaves the pointer where it is.
  constexpr operand peek(buffer_index which, std::int16_t ahead = 0) const {
    return at(which, ahead, false);
  }
  /// Reads the tile `ahead` of the read pointer and pops one tile.
  constexpr operand pop(buffer_index which, std::int16_t ahead = 0) const {
    return at(which, ahead, true);
  }
  /// Writes the tile at the write pointer and pushes it.
  constexpr operand push(buffer_index which) const { return at(which, 0, true); }
  /// The value of a register as an operand.
  constexpr operand value(register_index which, dtype type) const {
    operand made;
    made.from = operand::source::scalar;
    made.index = which;
    made.type = type;
    return made;
  }

  /// Writes the list of core `index` (0 or 1) from where it ends.
  constexpr core_builder core(int index);

  /// The program so far.
  constexpr const command_program& finish() const { return result_; }

 private:
  friend class core_builder;

  constexpr std::int16_t add_parameter(const parameter& made) {
    return detail::append(result_, result_.parameters, made, source_line(0));
  }
  constexpr operand at(buffer_index which, std::int16_t ahead, bool advances) const {
    operand made;
    made.from = operand::source::buffer;
    made.index = which;
    made.ahead = ahead;
    made.advances = advances;
    if (which >= 0 && which < result_.buffers.size()) {
      made.type = result_.buffers[which].type;
      made.dims = result_.buffers[which].tile;
    }
    return made;
  }

  command_program result_{};
  std::int64_t ends_[2] = {0, 0};
};

/// Appends to one core's list. Scalar functions return the register of their result, which only
/// this core can read.
class core_builder {
 public:
  constexpr core_builder(program_builder& owner, int index) : owner_(&owner), core_(index) {}

  /// Core cycles that each command issued from here on takes to set up and issue.
  constexpr void set_issue_cycles(std::int32_t cycles) { issue_cycles_ = cycles; }

  constexpr register_index constant(dtype type, std::int64_t bits,
                                    source_line line = source_line::here()) {
    return read_value(op::constant, type, bits, line);
  }
  /// The scalar argument at `position`.
  constexpr register_index argument(std::int16_t position, source_line line = source_line::here()) {
    const dtype type = position >= 0 && position < owner_->result_.parameters.size()
                           ? owner_->result_.parameters[position].type
                           : dtype::none;
    return read_value(op::argument, type, position, line);
  }
  /// An i32, as `num_programs`.
  constexpr register_index program_id(int axis, source_line line = source_line::here()) {
    return read_value(op::program_id, dtype::i32, axis, line);
  }
  constexpr register_index num_programs(int axis, source_line line = source_line::here()) {
    return read_value(op::num_programs, dtype::i32, axis, line);
  }
  /// An element-wise operation on scalars of `type` (the x of a select is an i1).
  constexpr register_index apply(op operation, dtype type, register_index x, register_index y = -1,
                                 register_index z = -1, source_line line = source_line::here()) {
    instruction made;
    made.code = operation;
    made.type = result_type(info_of(operation).kind, type);
    made.operand_type = type;
    made.operands[0] = x;
    made.operands[1] = y;
    made.operands[2] = z;
    return append_result(made, line);
  }
  constexpr register_index cast(dtype from, dtype to, register_index x,
                                source_line line = source_line::here()) {
    instruction made;
    made.code = op::cast;
    made.type = to;
    made.operand_type = from;
    made.operands[0] = x;
    return append_result(made, line);
  }
  /// The element of argument `position` at `offset` (i64), loaded by the core itself, which waits
  /// for it; where `mask` (i1) is false, `otherwise` instead, or 0. The program must not store to
  /// that memory.
  constexpr register_index load_scalar(dtype type, std::int16_t position, register_index offset,
                                       register_index mask = -1, register_index otherwise = -1,
                                       source_line line = source_line::here()) {
    instruction made;
    made.what = instruction::kind::load;
    made.code = op::load;
    made.type = type;
    made.operands[0] = offset;
    made.operands[1] = mask;
    made.operands[2] = otherwise;
    made.value = position;
    return append_result(made, line);
  }
  /// to := from, for values that live across iterations.
  constexpr void move(register_index to, register_index from,
                      source_line line = source_line::here()) {
    instruction made;
    made.what = instruction::kind::move;
    made.result = to;
    made.operands[0] = from;
    append(made, line);
  }

  /// Opens a loop over `type` values from `first` to before `last`; returns the running value.
  constexpr register_index begin_loop(dtype type, register_index first, register_index last,
                                      register_index step, source_line line = source_line::here()) {
    instruction made;
    made.what = instruction::kind::loop;
    made.type = type;
    made.operands[0] = first;
    made.operands[1] = last;
    made.operands[2] = step;
    open_.push_back(static_cast<std::int16_t>(list().size()));
    return append_result(made, line);
  }
  constexpr void end_loop(source_line line = source_line::here()) {
    instruction made;
    made.what = instruction::kind::end_loop;
    if (!open_.empty()) {
      made.target = open_.back();
      open_.pop_back();
      list()[made.target].target = static_cast<std::int16_t>(list().size());
    }
    append(made, line);
  }

  /// DMA from memory into a tile.
  constexpr void load(const operand& output, const memory_access& from,
                      source_line line = source_line::here()) {
    command made = transfer(op::load, unit::dma_in, output, from);
    made.output = output;
    issue(made, line);
  }
  /// As `load`; lanes outside the extents get `fill_bits`.
  constexpr void load_filled(const operand& output, const memory_access& from,
                             std::int64_t fill_bits, source_line line = source_line::here()) {
    command made = transfer(op::load, unit::dma_in, output, from);
    made.output = output;
    made.fill = true;
    made.fill_bits = fill_bits;
    issue(made, line);
  }
  /// DMA from a tile to memory.
  constexpr void store(const operand& input, const memory_access& to,
                       source_line line = source_line::here()) {
    command made = transfer(op::store, unit::dma_out, input, to);
    made.inputs[0] = input;
    issue(made, line);
  }
  /// output := operation(inputs...) over the output's shape; `type` is that of the operands.
  constexpr void compute(unit where, op operation, dtype type, const operand& output,
                         std::initializer_list<operand> inputs, const register_list& extents = {},
                         source_line line = source_line::here()) {
    command made = plain(where, operation, type, output, inputs, extents);
    issue(made, line);
  }
  /// As `compute`; the output is the tile that the first input peeks at.
  constexpr void compute_in_place(unit where, op operation, dtype type,
                                  std::initializer_list<operand> inputs,
                                  const register_list& extents = {},
                                  source_line line = source_line::here()) {
    command made = plain(where, operation, type, *inputs.begin(), inputs, extents);
    made.in_place = true;
    issue(made, line);
  }
  /// output := inputs combined along `axis` of the input's shape.
  constexpr void reduce(unit where, op combine, const operand& output, const operand& input,
                        std::int32_t axis, const register_list& extents = {},
                        source_line line = source_line::here()) {
    command made = plain(where, op::reduce, input.type, output, {input}, extents);
    made.combine = combine;
    made.axis = axis;
    made.dims = input.dims;
    issue(made, line);
  }
  /// accumulator += left [m, k] times right [k, n], in place; extents are those of m, n, k.
  constexpr void dot(unit where, const operand& left, const operand& right,
                     const operand& accumulator, const register_list& extents = {},
                     source_line line = source_line::here()) {
    command made =
        plain(where, op::dot, left.type, accumulator, {left, right, accumulator}, extents);
    made.dims.rank = 3;
    made.dims[0] = left.dims[0];
    made.dims[1] = right.dims[1];
    made.dims[2] = left.dims[1];
    made.in_place = true;
    issue(made, line);
  }
  /// Any command. Its line and, when it has none, its issue cycles are filled in.
  constexpr void issue(command made, source_line line = source_line::here()) {
    made.line = line.number();
    if (made.issue_cycles == 0) made.issue_cycles = issue_cycles_;
    instruction step;
    step.what = instruction::kind::issue;
    step.target = detail::append(owner_->result_, owner_->result_.commands, made, line);
    append(step, line);
  }
  /// Pops one tile of `which` once the commands issued before that read it are done.
  constexpr void release(buffer_index which, source_line line = source_line::here()) {
    instruction made;
    made.what = instruction::kind::release;
    made.target = which;
    append(made, line);
  }

 private:
  using instruction_list = std::remove_extent_t<decltype(command_program::cores)>;

  constexpr instruction_list& list() { return owner_->result_.cores[core_]; }

  constexpr void append(instruction made, source_line line) {
    made.line = line.number();
    detail::append(owner_->result_, list(), made, line);
  }
  constexpr register_index append_result(instruction made, source_line line) {
    made.result = static_cast<register_index>(owner_->result_.registers++);
    append(made, line);
    return made.result;
  }
  constexpr register_index read_value(op what, dtype type, std::int64_t value, source_line line) {
    instruction made;
    made.code = what;
    made.type = type;
    made.value = value;
    return append_result(made, line);
  }
  static constexpr command plain(unit where, op operation, dtype type, const operand& output,
                                 std::initializer_list<operand> inputs,
                                 const register_list& extents) {
    command made;
    made.where = where;
    made.code = operation;
    made.type = type;
    made.output = output;
    made.dims = output.dims;
    std::size_t at = 0;
    for (const operand& input : inputs) {
      if (at < 3) made.inputs[at++] = input;
    }
    for (std::size_t d = 0; d < static_cast<std::size_t>(max_rank); ++d) {
      made.extents[d] = extents.items[d];
    }
    return made;
  }
  static constexpr command transfer(op operation, unit where, const operand& tile,
                                    const memory_access& access) {
    command made;
    made.where = where;
    made.code = operation;
    made.type = tile.type;
    made.dims = tile.dims;
    made.argument = access.argument;
    made.offset = access.offset;
    for (std::size_t d = 0; d < static_cast<std::size_t>(max_rank); ++d) {
      made.strides[d] = access.strides.items[d];
      made.extents[d] = access.extents.items[d];
    }
    return made;
  }

  program_builder* owner_;
  int core_;
  std::int32_t issue_cycles_ = 0;
  detail::inplace_vector<std::int16_t, 32> open_{};
};

constexpr core_builder program_builder::core(int index) { return core_builder(*this, index); }

}  // namespace tilewright::inline TILEWRIGHT_ABI
