#include <gtest/gtest.h>

#include <cstdint>
#include <tilewright/program/builder.hpp>
#include <tilewright/program/verify.hpp>

namespace tilewright {
namespace {

constexpr program_limits roomy{393216, 32768, 15, 2, 1};

constexpr command_program scaled_sum() {
  program_builder b;
  const auto x = b.pointer(dtype::f32);
  const auto out = b.pointer(dtype::f32, true);
  const auto n = b.scalar(dtype::i32);
  const auto in = b.add_buffer(dtype::f32, make_shape<4, 8>(), 2);
  const auto sums = b.add_buffer(dtype::f32, make_shape<4>());
  auto mover = b.core(0);
  mover.set_issue_cycles(24);
  const auto one = mover.constant(dtype::i64, 1);
  const auto eight = mover.constant(dtype::i64, 8);
  const auto left = mover.cast(dtype::i32, dtype::i64, mover.argument(n));
  mover.load_filled(b.push(in), {.argument = x, .strides = {eight, one}, .extents = {-1, left}}, 0);
  auto worker = b.core(1);
  worker.reduce(unit::se, op::add, b.push(sums), b.pop(in), 1);
  worker.store(b.pop(sums), {.argument = out, .strides = {worker.constant(dtype::i64, 1)}});
  return b.finish();
}

// A program is a constant.
constexpr command_program constant = scaled_sum();
static_assert(!verify(constant, roomy));
static_assert(constant.commands.size() == 3);

TEST(Builder, LaysBuffersOutOneAfterTheOther) {
  program_builder b;
  const auto first = b.add_buffer(dtype::f32, make_shape<5>(), 3);  // 60 bytes
  const auto second = b.add_buffer(dtype::i8, make_shape<65>());
  const auto sums = b.add_buffer(dtype::f32, make_shape<2>(), 1, memory_space::re);
  const auto third = b.add_buffer(dtype::f16, make_shape<2>());
  const command_program p = b.finish();
  EXPECT_EQ(p.buffers[first].offset, 0);
  EXPECT_EQ(p.buffers[second].offset, 64);
  EXPECT_EQ(p.buffers[third].offset, 192);
  EXPECT_EQ(p.buffers[sums].offset, 0);
  EXPECT_EQ(p.buffers[sums].space, memory_space::re);
}

TEST(Builder, FillsCommandsIn) {
  const command_program p = constant;
  const command& load = p.commands[0];
  EXPECT_EQ(load.where, unit::dma_in);
  EXPECT_EQ(load.type, dtype::f32);
  EXPECT_EQ(load.dims, (make_shape<4, 8>()));
  EXPECT_TRUE(load.output.advances);
  EXPECT_TRUE(load.fill);
  EXPECT_EQ(load.extents[0], -1);
  EXPECT_GE(load.extents[1], 0);
  EXPECT_EQ(load.offset, -1);
  EXPECT_EQ(load.issue_cycles, 24);
  const command& reduce = p.commands[1];
  EXPECT_EQ(reduce.dims, (make_shape<4, 8>()));
  EXPECT_EQ(reduce.output.dims, (make_shape<4>()));
  EXPECT_EQ(reduce.axis, 1);
  EXPECT_EQ(reduce.issue_cycles, 0);
  const command& store = p.commands[2];
  EXPECT_EQ(store.output.from, operand::source::none);
  EXPECT_TRUE(store.inputs[0].advances);
}

TEST(Builder, NotesTheSourceLine) {
  program_builder b;
  const auto buffer = b.add_buffer(dtype::f32, make_shape<4>());
  const int buffer_line = __LINE__ - 1;
  auto core = b.core(0);
  const auto zero = core.constant(dtype::f32, 0);
  core.compute(unit::se, op::constant, dtype::f32, b.push(buffer), {b.value(zero, dtype::f32)});
  const int line = __LINE__ - 1;
  const command_program p = b.finish();
  EXPECT_EQ(p.buffers[0].line, buffer_line);
  EXPECT_EQ(p.commands[0].line, line);
  EXPECT_EQ(p.cores[0][1].line, line);
}

TEST(Builder, MatchesNestedLoops) {
  program_builder b;
  auto core = b.core(0);
  const auto zero = core.constant(dtype::i32, 0);
  const auto one = core.constant(dtype::i32, 1);
  core.begin_loop(dtype::i32, zero, one, one);  // instruction 2
  core.begin_loop(dtype::i32, zero, one, one);  // 3
  core.end_loop();                              // 4
  core.begin_loop(dtype::i32, zero, one, one);  // 5
  core.end_loop();                              // 6
  core.end_loop();                              // 7
  const auto& list = b.finish().cores[0];
  EXPECT_EQ(list[2].target, 7);
  EXPECT_EQ(list[3].target, 4);
  EXPECT_EQ(list[4].target, 3);
  EXPECT_EQ(list[5].target, 6);
  EXPECT_EQ(list[7].target, 2);
}

TEST(Builder, ComparesGiveBooleans) {
  program_builder b;
  auto core = b.core(0);
  const auto one = core.constant(dtype::i64, 1);
  const auto less = core.apply(op::lt, dtype::i64, one, one);
  core.apply(op::where, dtype::i64, less, one, one);
  const command_program p = b.finish();
  EXPECT_EQ(p.cores[0][1].type, dtype::i1);
  EXPECT_EQ(p.cores[0][1].operand_type, dtype::i64);
  EXPECT_EQ(p.cores[0][2].type, dtype::i64);
  EXPECT_FALSE(verify(p, roomy));
}

TEST(Builder, SaysWhenAProgramIsFull) {
  program_builder b;
  for (int i = 0; i < 49; ++i) {
    b.add_buffer(dtype::f32, make_shape<1>(), 1, memory_space::local, source_line(1000 + i));
  }
  const diagnostic error = b.finish().error;
  EXPECT_EQ(error.what, code::program_full);
  EXPECT_EQ(error.line, 1048);
  EXPECT_EQ(error.need, 49);
  EXPECT_EQ(error.have, 48);
  EXPECT_EQ(verify(b.finish(), roomy).error.what, code::program_full);
}

}  // namespace
}  // namespace tilewright
