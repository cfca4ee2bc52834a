// The command program: what a processing element runs, as plain data.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/detail/inplace_vector.hpp>
#include <tilewright/ir/diagnostic.hpp>
#include <tilewright/ir/op_table.hpp>
#include <tilewright/types/shape.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Index of a scalar register, of a buffer, of a command; -1 is none.
using register_index = std::int16_t;
using buffer_index = std::int16_t;
using command_index = std::int16_t;

/// Where a buffer lives.
enum class memory_space : std::uint8_t { local, re };

/// A circular buffer of `multiplier` tiles at `offset` bytes of its memory space.
///
/// Producers and consumers see a queue of tiles. Tile number n occupies slot n % multiplier. A
/// read of tile n waits until more than n tiles were pushed; a write of tile n waits until more
/// than n - multiplier tiles were popped. All commands that write a buffer are issued by one core,
/// and all that read it by one core (not necessarily the same), so tile numbers follow from the
/// order of issue.
struct buffer {
  dtype type = dtype::none;
  shape tile{};
  std::int32_t multiplier = 1;
  std::int64_t offset = 0;
  memory_space space = memory_space::local;
  std::int32_t line = 0;  ///< source line of the block that it holds

  constexpr std::int64_t tile_bytes() const { return elements_of(tile) * size_of(type); }
  constexpr std::int64_t bytes() const { return tile_bytes() * multiplier; }
};

/// What a command reads or writes.
struct operand {
  enum class source : std::uint8_t { none, buffer, scalar };
  source from = source::none;
  std::int16_t index = -1;  ///< buffer or register
  dtype type = dtype::none;
  /// The tile's shape as the command sees it: extents of 1 are broadcast to the command's `dims`.
  shape dims{};
  /// Tiles past the read pointer at issue (reads only).
  std::int16_t ahead = 0;
  /// The pointer moves past the tile: a read pops it, a write pushes it. A pop takes effect when
  /// this command and all readers of the buffer issued before it have completed.
  bool advances = false;
};

/// Work for a unit (or, when `where` is `unit::vector`, for the vector core itself).
///
/// `code` says what is done, element by element over `dims`:
/// - op::load (DMA in): output tile := argument[offset + sum strides[d] * i_d] for lanes inside
///   `extents`; other lanes get `fill_bits` when `fill`, else keep what the slot held.
/// - op::store (DMA out): the same way back, inputs[0] to memory; lanes outside are not written.
/// - element-wise ops, op::cast: output := op(inputs...), over the lanes inside `extents`. `type`
///   is the type of the operands (op::cast: of the result).
/// - op::reduce: combines inputs[0] along `axis` with `combine`; `dims` and `extents` are those of
///   inputs[0]. If `fill`, the axis' lanes past the extent count as `fill_bits`; they are combined
///   once, last.
/// - op::dot: inputs[0] [m, k], inputs[1] [k, n], inputs[2] accumulator [m, n]; `dims` is
///   (m, n, k) and `extents` are in that order.
/// - op::constant: output := inputs[0] (a scalar) in every element; of an RE buffer, a clear.
/// - op::arange: output := `value` + index along the only dimension.
/// - op::copy: output := inputs[0]; from an RE buffer, a drain.
struct command {
  unit where = unit::se;
  op code = op::copy;
  op combine = op::add;
  dtype type = dtype::none;
  operand inputs[3]{};
  operand output{};
  shape dims{};
  /// Registers (i64) with the number of leading lanes to work on per dimension of `dims`, clamped
  /// to it; -1 means all.
  register_index extents[max_rank] = {-1, -1, -1, -1, -1};
  std::int32_t axis = 0;
  std::int64_t value = 0;
  /// The output rewrites the tile that inputs[2] (dot) or inputs[0] reads: no pointer moves, and
  /// commands issued later that touch the tile wait for this one.
  bool in_place = false;
  bool fill = false;
  std::int64_t fill_bits = 0;
  // The memory side of a load or store; the registers hold i64.
  std::int16_t argument = -1;
  register_index offset = -1;                               ///< elements
  register_index strides[max_rank] = {-1, -1, -1, -1, -1};  ///< elements; -1 is a stride of 0

  std::int32_t issue_cycles = 0;  ///< of the issuing core
  std::int32_t line = 0;
};

/// One step of a core's list.
struct instruction {
  enum class kind : std::uint8_t {
    scalar,    ///< result := code(operands) in `type`; constant, argument, program_id, ... too
    move,      ///< result := operands[0]
    load,      ///< result := element operands[0] (i64) of argument `value`; if operands[1] (i1) is
               ///< false, operands[2] or, without it, 0 instead. The core waits for the memory
    loop,      ///< result := operands[0]; while it is before operands[1], run the body, then add
               ///< operands[2]; `target` is the index of the matching end_loop
    end_loop,  ///< `target` is the index of the matching loop
    issue,     ///< hand command `target` to its unit's queue, or do it (vector core)
    release,   ///< pop one tile of buffer `target` once the readers issued before are done
  };
  kind what = kind::scalar;
  op code = op::constant;
  dtype type = dtype::none;          ///< of the result
  dtype operand_type = dtype::none;  ///< of the operands of compares and casts; else none or `type`
  register_index result = -1;
  register_index operands[3] = {-1, -1, -1};
  std::int16_t target = -1;
  std::int64_t value = 0;  ///< constant's bits, argument's position (also of a load), grid axis
  std::int32_t line = 0;
};

inline constexpr int max_cores = 2;
inline constexpr int max_arguments = 32;

/// A parameter of the kernel: a scalar of `type`, or a pointer to elements of `type`.
struct parameter {
  dtype type = dtype::none;
  bool pointer = false;
  bool writable = false;
};

/// What every processing element runs, once per program id.
struct command_program {
  detail::inplace_vector<buffer, 48> buffers;
  detail::inplace_vector<command, 256> commands;
  detail::inplace_vector<instruction, 1024> cores[max_cores];
  detail::inplace_vector<parameter, max_arguments> parameters;
  std::int32_t registers = 0;
  diagnostic error{};
};

/// A program that could not be made.
constexpr command_program failed_program(const diagnostic& why) {
  command_program failed;
  failed.error = why;
  return failed;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
