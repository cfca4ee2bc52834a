#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <tilewright/program/builder.hpp>
#include <tilewright/program/verify.hpp>
#include <vector>

namespace tilewright {
namespace {

constexpr program_limits limits{16384, 1024, 4, 2, 1};

// A sound program with everything in it: loop, move, transfers, dot, reduce, in-place and release.
//   buffers: 0 in f16[4, 4], 1 sum f32[4, 4] in RE, 2 out f32[4, 4], 3 row f32[4]
//   commands: 0 clear, 1 load, 2 dot, 3 drain, 4 neg in place, 5 reduce, 6 store
command_program sound() {
  program_builder b;
  const auto x = b.pointer(dtype::f16);
  const auto y = b.pointer(dtype::f32, true);
  const auto n = b.scalar(dtype::i32);
  const auto in =
      b.add_buffer(dtype::f16, make_shape<4, 4>(), 2, memory_space::local, source_line(1));
  const auto sum =
      b.add_buffer(dtype::f32, make_shape<4, 4>(), 1, memory_space::re, source_line(2));
  const auto out =
      b.add_buffer(dtype::f32, make_shape<4, 4>(), 1, memory_space::local, source_line(3));
  const auto row =
      b.add_buffer(dtype::f32, make_shape<4>(), 1, memory_space::local, source_line(4));
  auto a = b.core(0);
  const auto zero = a.constant(dtype::i64, 0, source_line(10));  // 0
  const auto one = a.constant(dtype::i64, 1, source_line(11));   // 1
  const auto four = a.constant(dtype::i64, 4, source_line(12));  // 2
  const auto last =
      a.cast(dtype::i32, dtype::i64, a.argument(n, source_line(13)), source_line(13));  // 3, 4
  const auto offset = a.apply(op::add, dtype::i64, zero, one, -1, source_line(14));     // 5
  const auto nothing = a.constant(dtype::f32, 0, source_line(15));                      // 6
  a.compute(unit::re, op::constant, dtype::f32, b.push(sum), {b.value(nothing, dtype::f32)}, {},
            source_line(16));                                  // 7
  a.begin_loop(dtype::i64, zero, last, one, source_line(17));  // 8
  a.load(b.push(in), {.argument = x, .offset = offset, .strides = {four, one}},
         source_line(18));                                                       // 9
  a.dot(unit::dpe, b.peek(in), b.pop(in), b.peek(sum), {one}, source_line(19));  // 10
  a.move(offset, a.apply(op::add, dtype::i64, offset, four, -1, source_line(20)),
         source_line(20));      // 11, 12
  a.end_loop(source_line(21));  // 13
  a.compute(unit::se, op::copy, dtype::f32, b.push(out), {b.pop(sum)}, {}, source_line(22));  // 14
  auto c = b.core(1);
  const auto step = c.constant(dtype::i64, 1, source_line(30));                               // 0
  c.compute_in_place(unit::vector, op::neg, dtype::f32, {b.peek(out)}, {}, source_line(31));  // 1
  c.reduce(unit::se, op::add, b.push(row), b.peek(out), 1, {}, source_line(32));              // 2
  c.release(out, source_line(33));                                                            // 3
  c.store(b.pop(row), {.argument = y, .strides = {step}}, source_line(34));                   // 4
  return b.finish();
}

struct fault {
  std::int32_t line;
  const char* why;
  std::function<void(command_program&)> change;
};

TEST(Verify, AcceptsASoundProgram) {
  const verdict found = verify(sound(), limits);
  EXPECT_FALSE(found) << found.why << ", line " << found.error.line;
}

TEST(Verify, FindsEveryKindOfFault) {
  const std::vector<fault> faults = {
      // buffers
      {1, "a buffer needs a type, tiles and an offset",
       [](command_program& p) { p.buffers[0].multiplier = 0; }},
      {3, "a buffer needs a type, tiles and an offset",
       [](command_program& p) { p.buffers[2].tile[0] = 0; }},
      {3, "a buffer's offset is no multiple of its element size",
       [](command_program& p) { p.buffers[2].offset = 130; }},
      // registers
      {0, "more registers than instructions", [](command_program& p) { p.registers = 5000; }},
      {14, "no such register", [](command_program& p) { p.cores[0][5].operands[0] = 99; }},
      {14, "a register is read before this core gives it a value",
       [](command_program& p) { p.cores[0][5].operands[0] = p.cores[0][6].result; }},
      {14, "a register has another type",
       [](command_program& p) { p.cores[0][5].operands[0] = p.cores[0][3].result; }},
      {20, "a register changes its type",
       [](command_program& p) { p.cores[0][12].result = p.cores[0][6].result; }},
      {10, "no such register", [](command_program& p) { p.cores[0][0].result = -1; }},
      // scalars
      {14, "not an operation on scalars",
       [](command_program& p) { p.cores[0][5].code = op::load; }},
      {14, "the operation does not take this type",
       [](command_program& p) {
         p.cores[0][0].type = p.cores[0][1].type = p.cores[0][5].type = dtype::f64;
         p.cores[0][5].operand_type = dtype::f64;
         p.cores[0][5].code = op::shl;
       }},
      {14, "the operation has a result of another type",
       [](command_program& p) { p.cores[0][5].code = op::lt; }},
      {13, "no such parameter", [](command_program& p) { p.cores[0][3].value = 3; }},
      {13, "a scalar parameter of another type, or a pointer",
       [](command_program& p) { p.cores[0][3].value = 0; }},
      {10, "a grid has axes 0 to 2",
       [](command_program& p) {
         p.cores[0][0].code = op::program_id;
         p.cores[0][0].value = 3;
       }},
      // control
      {17, "a loop runs over i32 or i64",
       [](command_program& p) { p.cores[0][8].type = dtype::u32; }},
      {21, "a loop and its end do not match",
       [](command_program& p) { p.cores[0][13].target = 7; }},
      {21, "a loop and its end do not match",
       [](command_program& p) { p.cores[0][8].target = 12; }},
      {17, "a loop has no end",
       [](command_program& p) {
         p.cores[0][13].what = instruction::kind::release;
         p.cores[0][13].target = 0;
       }},
      {16, "no such command", [](command_program& p) { p.cores[0][7].target = 7; }},
      {33, "no such buffer", [](command_program& p) { p.cores[1][3].target = 4; }},
      // who does what
      {31, "vector work for a core without vector unit",
       [](command_program& p) { std::swap(p.cores[0], p.cores[1]); }},
      {32, "a buffer is read by both cores, or written by both cores",
       [](command_program& p) {
         p.commands[5].inputs[0].index = 0;
         p.commands[5].inputs[0].type = dtype::f16;
         p.commands[5].type = dtype::f16;
       }},
      {16, "this unit does not do this operation",
       [](command_program& p) { p.commands[0].where = unit::dpe; }},
      {19, "this unit does not do this operation",
       [](command_program& p) { p.commands[2].where = unit::se; }},
      {31, "only DPE, RE and SE reach the reduction engine's memory",
       [](command_program& p) { p.buffers[2].space = memory_space::re; }},
      {18, "loads are for DMA in, stores for DMA out",
       [](command_program& p) { p.commands[1].where = unit::dma_out; }},
      // operands
      {22, "an operand is missing",
       [](command_program& p) { p.commands[3].inputs[0].from = operand::source::none; }},
      {22, "more operands than the operation has",
       [](command_program& p) { p.commands[3].inputs[1] = p.commands[3].inputs[0]; }},
      {22, "the output is no buffer",
       [](command_program& p) { p.commands[3].output.from = operand::source::none; }},
      {34, "a store has no output tile",
       [](command_program& p) { p.commands[6].output = p.commands[6].inputs[0]; }},
      {22, "no such buffer", [](command_program& p) { p.commands[3].inputs[0].index = 9; }},
      {22, "an operand and its buffer differ in type",
       [](command_program& p) { p.commands[3].inputs[0].type = dtype::i32; }},
      {22, "an operand is larger than its tile",
       [](command_program& p) { p.commands[3].inputs[0].dims[0] = 5; }},
      {19, "a tile further ahead than the buffer has room for",
       [](command_program& p) { p.commands[2].inputs[0].ahead = 2; }},
      {19, "this operand cannot be a scalar",
       [](command_program& p) {
         p.commands[2].inputs[0].from = operand::source::scalar;
         p.commands[2].inputs[0].type = dtype::i64;
         p.commands[2].inputs[0].index = p.cores[0][0].result;
       }},
      {31, "an in-place command's output is the tile of its input, and stays there",
       [](command_program& p) { p.commands[4].inputs[0].advances = true; }},
      // shapes and types
      {18, "no such parameter", [](command_program& p) { p.commands[1].argument = 3; }},
      {18, "a transfer's parameter is a pointer of the tile's type",
       [](command_program& p) { p.commands[1].argument = 1; }},
      {34, "a store to a parameter that is not writable",
       [](command_program& p) { p.parameters[1].writable = false; }},
      {18, "the tile's shape is not the transfer's",
       [](command_program& p) { p.commands[1].dims[0] = 2; }},
      {19, "an extent below 1", [](command_program& p) { p.commands[2].dims[0] = 0; }},
      {19, "a register has another type",
       [](command_program& p) { p.commands[2].extents[0] = p.cores[0][6].result; }},
      {22, "the output's shape is not the command's",
       [](command_program& p) { p.commands[3].dims[0] = 2; }},
      {22, "the result has another type",
       [](command_program& p) { p.commands[3].type = dtype::i32; }},
      {32, "not an operation of a unit",
       [](command_program& p) {
         p.commands[5].code = op::end_loop;
         p.commands[5].inputs[0] = {};
       }},
      {16, "a constant's operand is a scalar",
       [](command_program& p) { p.commands[0].inputs[0] = p.commands[3].inputs[0]; }},
      {19, "a dot takes [m, k], [k, n] and [m, n]",
       [](command_program& p) { p.commands[2].dims[2] = 3; }},
      {19, "a dot's shape is (m, n, k)", [](command_program& p) { p.commands[2].dims.rank = 2; }},
      {19, "an operand has another type",
       [](command_program& p) { p.commands[2].type = dtype::bf16; }},
      {32, "a reduction combines by add, maximum or minimum",
       [](command_program& p) { p.commands[5].combine = op::mul; }},
      {32, "no such axis", [](command_program& p) { p.commands[5].axis = 2; }},
      {32, "the input's shape is not the command's",
       [](command_program& p) { p.commands[5].dims[1] = 2; }},
      {32, "the output's shape is not the input's without the axis",
       [](command_program& p) { p.commands[5].output.dims[0] = 2; }},
  };
  for (const fault& each : faults) {
    command_program p = sound();
    each.change(p);
    const verdict found = verify(p, limits);
    EXPECT_EQ(found.error.what, code::malformed) << each.why;
    EXPECT_STREQ(found.why, each.why);
    EXPECT_EQ(found.error.line, each.line) << each.why;
  }
}

TEST(Verify, ChecksWhatTheDeviceHasRoomFor) {
  program_limits small = limits;
  small.local_bytes = 191;  // in: 64 bytes at 0, out: 64 at 64, row: 16 at 128
  EXPECT_FALSE(verify(sound(), small));
  small.local_bytes = 143;
  verdict found = verify(sound(), small);
  EXPECT_EQ(found.error.what, code::local_memory);
  EXPECT_EQ(found.error.line, 4);
  EXPECT_EQ(found.error.need, 144);
  EXPECT_EQ(found.error.have, 143);

  small = limits;
  small.re_bytes = 63;
  found = verify(sound(), small);
  EXPECT_EQ(found.error.what, code::accumulator_too_large);
  EXPECT_EQ(found.error.need, 64);

  // What lies in RE is no circular buffer of local memory.
  small = limits;
  small.circular_buffers = 3;
  EXPECT_FALSE(verify(sound(), small));
  small.circular_buffers = 2;
  found = verify(sound(), small);
  EXPECT_EQ(found.error.what, code::too_many_buffers);
  EXPECT_EQ(found.error.need, 3);
  EXPECT_EQ(found.error.have, 2);

  small = limits;
  small.cores = 1;
  EXPECT_STREQ(verify(sound(), small).why, "instructions for a core that the device has not");
}

}  // namespace
}  // namespace tilewright
