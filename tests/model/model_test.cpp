#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/model/model.hpp>
#include <tilewright/program/builder.hpp>
#include <vector>

#include "model/tiny_device.hpp"

namespace tilewright {
namespace {

using test::issue_cycles;
using test::pointer_to;
using test::scalar_of;
using test::tiny_device;
using test::unbacked_argument;

void expect_account(const cycle_account& account, std::int64_t busy, std::int64_t data,
                    std::int64_t space, std::int64_t issue, std::int64_t idle) {
  EXPECT_EQ(account.busy, busy);
  EXPECT_EQ(account.data, data);
  EXPECT_EQ(account.space, space);
  EXPECT_EQ(account.issue, issue);
  EXPECT_EQ(account.idle, idle);
}

model_options timing() {
  model_options options;
  options.mode = model_mode::timing;
  return options;
}

// `loads` loads of `elements` f32 each, into a buffer with room for all; the other core takes the
// tiles out again.
command_program loads_only(int loads, int elements) {
  program_builder b;
  const auto x = b.pointer(dtype::f32);
  shape tile;
  tile.rank = 1;
  tile[0] = elements;
  const auto buffer = b.add_buffer(dtype::f32, tile, loads);
  auto core = b.core(0);
  core.set_issue_cycles(issue_cycles);
  const auto one = core.constant(dtype::i64, 1);
  for (int i = 0; i < loads; ++i) core.load(b.push(buffer), {.argument = x, .strides = {one}});
  auto taker = b.core(1);
  for (int i = 0; i < loads; ++i) taker.release(buffer);
  return b.finish();
}

TEST(Model, ALoadStreamsAndThenArrives) {
  const argument x = unbacked_argument(dtype::f32, 16);
  const report r = run_program(loads_only(1, 16), tiny_device(), grid(1), {&x, 1}, timing());
  // The constant takes 1 cycle, the issue 4 + 1: issued at 6. 64 bytes stream at 8 a cycle until
  // 14, the last byte arrives 10 cycles later.
  EXPECT_EQ(r.cycles, 24);
  expect_account(r.of(track::core_0), 6, 0, 0, 0, 18);
  // The release takes 1 + 1.
  expect_account(r.of(track::core_1), 2, 0, 0, 0, 22);
  expect_account(r.of(track::dma_in), 8, 0, 0, 6, 10);
  expect_account(r.of(track::se), 0, 0, 0, 6, 18);
  EXPECT_EQ(r.of(memory::sram).read, 64);
  EXPECT_EQ(r.of(memory::dram).moved(), 0);
  EXPECT_EQ(r.commands, 1);
}

TEST(Model, LatenciesOfSuccessiveLoadsOverlap) {
  const argument x = unbacked_argument(dtype::f32, 16);
  const report r = run_program(loads_only(2, 16), tiny_device(), grid(1), {&x, 1}, timing());
  // Issued at 6 and 11; streams 6-14 and 14-22; arrivals at 24 and 32.
  EXPECT_EQ(r.cycles, 32);
  EXPECT_EQ(r.of(track::dma_in).busy, 16);
  // The same 64 bytes twice: they had to move only once.
  EXPECT_EQ(r.arguments[0].read, 128);
  EXPECT_EQ(r.arguments[0].compulsory_read, 64);
}

TEST(Model, DramIsSlowerAndFurtherAway) {
  const argument x = unbacked_argument(dtype::f32, 16);
  model_options options = timing();
  options.placements[0] = placement::dram;
  const report r = run_program(loads_only(1, 16), tiny_device(), grid(1), {&x, 1}, options);
  // Issued at 6, 64 bytes at 4 a cycle until 22, 20 cycles (20 ns at 1 GHz) of latency.
  EXPECT_EQ(r.cycles, 42);
  EXPECT_EQ(r.roofline.cycles, 16);
  EXPECT_STREQ(r.roofline.name, "DRAM");
  EXPECT_EQ(r.argument_memory[0], memory::dram);
}

TEST(Model, OutstandingBytesBoundTheRate) {
  device_spec spec = tiny_device();
  spec.dma_outstanding_bytes = 40;  // over 10 cycles: 4 bytes a cycle
  const argument x = unbacked_argument(dtype::f32, 16);
  const report r = run_program(loads_only(1, 16), spec, grid(1), {&x, 1}, timing());
  EXPECT_EQ(r.cycles, 6 + 16 + 10);
}

// x -> SE -> y, `tiles` times.
command_program negate(int tiles, int in_multiplier) {
  program_builder b;
  const auto x = b.pointer(dtype::f32);
  const auto y = b.pointer(dtype::f32, true);
  const auto in = b.add_buffer(dtype::f32, make_shape<16>(), in_multiplier);
  const auto out = b.add_buffer(dtype::f32, make_shape<16>(), 2);
  auto mover = b.core(0);
  mover.set_issue_cycles(issue_cycles);
  const auto one = mover.constant(dtype::i64, 1);
  for (int i = 0; i < tiles; ++i) mover.load(b.push(in), {.argument = x, .strides = {one}});
  auto worker = b.core(1);
  worker.set_issue_cycles(issue_cycles);
  const auto step = worker.constant(dtype::i64, 1);
  for (int i = 0; i < tiles; ++i) {
    worker.compute(unit::se, op::neg, dtype::f32, b.push(out), {b.pop(in)});
    worker.store(b.pop(out), {.argument = y, .strides = {step}});
  }
  return b.finish();
}

TEST(Model, UnitsWaitForData) {
  std::vector<float> x(16);
  std::vector<float> y(16, -1.0f);
  for (std::size_t i = 0; i < 16; ++i) x[i] = static_cast<float>(i) + 0.5f;
  const argument arguments[] = {pointer_to(x), pointer_to(y)};
  const report r = run_program(negate(1, 1), tiny_device(), grid(1), arguments);
  // Load issued at 6, arrives at 24. SE command issued at 1 + 4 + 2 = 7, starts at 24, works
  // 16 / 4 = 4 cycles, result 5 later at 33. Store issued at 12, streams 33-41, ends at 51.
  EXPECT_EQ(r.cycles, 51);
  expect_account(r.of(track::se), 4, 17, 0, 7, 23);
  expect_account(r.of(track::dma_out), 8, 21, 0, 12, 10);
  expect_account(r.of(track::core_1), 12, 0, 0, 0, 39);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(y[i], -x[i]);
  EXPECT_EQ(r.of(memory::sram).written, 64);
  EXPECT_EQ(r.flops, 16);
}

TEST(Model, UnitsWaitForSpace) {
  const argument arguments[] = {unbacked_argument(dtype::f32, 16),
                                unbacked_argument(dtype::f32, 16)};
  const report r = run_program(negate(2, 1), tiny_device(), grid(1), arguments, timing());
  // The first load arrives at 24; SE works 24-28 and pops at 33, when the second load (issued at
  // 11) may start: 33-41, arriving at 51. SE 51-55, result at 60. The second store, 60-68, ends at
  // 78.
  EXPECT_EQ(r.cycles, 78);
  expect_account(r.of(track::dma_in), 16, 0, 33 - 14, 6, 78 - 41);
}

TEST(Model, AFullQueueStopsTheCore) {
  const argument x = unbacked_argument(dtype::f32, 64);
  const report r = run_program(loads_only(4, 64), tiny_device(), grid(1), {&x, 1}, timing());
  // 256 bytes stream for 32 cycles. Loads are ready to issue at 6, 11, 16 and 21. The first starts
  // at once, two wait in the queue, so the fourth is issued when the second starts, at 38.
  expect_account(r.of(track::core_0), 21, 0, 17, 0, r.cycles - 38);
  EXPECT_EQ(r.cycles, 6 + 4 * 32 + 10);

  device_spec deeper = tiny_device();
  deeper.queue_depth = 3;
  const report s = run_program(loads_only(4, 64), deeper, grid(1), {&x, 1}, timing());
  expect_account(s.of(track::core_0), 21, 0, 0, 0, s.cycles - 21);
}

TEST(Model, ProcessingElementsShareBandwidthFairly) {
  device_spec spec = tiny_device();
  spec.pe_cols = 2;
  spec.sram_bytes_per_cycle = 12;
  // Program 0 loads 24 elements (96 bytes), program 1 loads 12 (48 bytes).
  program_builder b;
  const auto x = b.pointer(dtype::f32);
  const auto in = b.add_buffer(dtype::f32, make_shape<24>());
  auto core = b.core(0);
  core.set_issue_cycles(issue_cycles);
  const auto one = core.constant(dtype::i64, 1);
  const auto pid = core.cast(dtype::i32, dtype::i64, core.program_id(0));
  const auto less = core.apply(op::mul, dtype::i64, pid, core.constant(dtype::i64, 12));
  const auto count = core.apply(op::sub, dtype::i64, core.constant(dtype::i64, 24), less);
  core.load(b.push(in), {.argument = x, .strides = {one}, .extents = {count}});
  b.core(1).release(in);
  const argument arguments[] = {unbacked_argument(dtype::f32, 24)};
  const report r = run_program(b.finish(), spec, grid(2), arguments, timing());
  // Seven scalars and the issue: both start at 12, at 6 bytes a cycle each. Program 1 is through
  // after 8 cycles; program 0 then has 48 bytes left and goes on at its own limit, 8 a cycle: 6
  // more. Then the latency of 10.
  EXPECT_EQ(r.pes[1].end, 12 + 8 + 10);
  EXPECT_EQ(r.pes[0].end, 12 + 14 + 10);
}

TEST(Model, DotsInAChainFillTheDpeOnce) {
  program_builder b;
  const auto x = b.pointer(dtype::f16);
  const auto y = b.pointer(dtype::f32, true);
  const auto in = b.add_buffer(dtype::f16, make_shape<4, 4>());
  const auto sum = b.add_buffer(dtype::f32, make_shape<4, 4>(), 1, memory_space::re);
  const auto out = b.add_buffer(dtype::f32, make_shape<4, 4>());
  auto mover = b.core(0);
  const auto one = mover.constant(dtype::i64, 1);
  const auto four = mover.constant(dtype::i64, 4);
  mover.load(b.push(in), {.argument = x, .strides = {four, one}});
  mover.compute(unit::re, op::constant, dtype::f32, b.push(sum),
                {b.value(mover.constant(dtype::f32, 0), dtype::f32)});
  mover.dot(unit::dpe, b.peek(in), b.peek(in), b.peek(sum));
  mover.dot(unit::dpe, b.peek(in), b.pop(in), b.peek(sum));
  mover.compute(unit::re, op::copy, dtype::f32, b.push(out), {b.pop(sum)});
  auto writer = b.core(1);
  const auto row = writer.constant(dtype::i64, 4);
  const auto column = writer.constant(dtype::i64, 1);
  writer.store(b.pop(out), {.argument = y, .strides = {row, column}});

  std::vector<f16> a;
  for (int i = 0; i < 16; ++i) a.push_back(f16(static_cast<float>(i % 5) - 1.5f));
  std::vector<float> result(16);
  const argument arguments[] = {pointer_to(a), pointer_to(result)};
  const report r = run_program(b.finish(), tiny_device(), grid(1), arguments);
  // The load is issued at 3 (two scalars, no issue cycles, one push), 32 bytes stream for 4
  // cycles and arrive at 17. A dot of 4 x 4 x 4 takes 2 * 2 * 2 native steps of 2 cycles; the
  // first one 3 more to fill: 17-36, the second 36-52. Draining 64 bytes takes 8 cycles at 8 a
  // cycle and 1 of latency: 61. The store: 8 + 10.
  EXPECT_EQ(r.of(track::dpe).busy, 3 + 16 + 16);
  EXPECT_EQ(r.cycles, 79);
  EXPECT_EQ(r.multiply_accumulates, 128);
  EXPECT_EQ(r.flops, 256);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      double expected = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        expected += 2.0 * static_cast<double>(a[4 * i + k]) * static_cast<double>(a[4 * k + j]);
      }
      EXPECT_EQ(result[4 * i + j], expected) << i << "," << j;
    }
  }
}

TEST(Model, VectorWorkStopsItsCore) {
  program_builder b;
  const auto x = b.pointer(dtype::f32);
  const auto in = b.add_buffer(dtype::f32, make_shape<16>());
  const auto out = b.add_buffer(dtype::f32, make_shape<16>());
  auto mover = b.core(0);
  mover.load(b.push(in), {.argument = x, .strides = {mover.constant(dtype::i64, 1)}});
  mover.release(out);
  auto worker = b.core(1);
  worker.set_issue_cycles(issue_cycles);
  worker.compute(unit::vector, op::add, dtype::f32, b.push(out), {b.peek(in), b.peek(in)});
  worker.release(in);
  const argument arguments[] = {unbacked_argument(dtype::f32, 16)};
  const report r = run_program(b.finish(), tiny_device(), grid(1), arguments, timing());
  // The tile arrives at 2 + 8 + 10 = 20. The core comes to its work at 5 and waits; then 2 cycles
  // of start-up and 16 / 4 operations a cycle: done at 26. The release takes 1 + 1.
  EXPECT_EQ(r.cycles, 28);
  expect_account(r.of(track::vector), 6, 15, 0, 5 + 2, 0);
  expect_account(r.of(track::core_1), 5 + 6 + 2, 15, 0, 0, 0);
}

TEST(Model, TheUnitTakesTheCommandIssuedFirst) {
  // Both cores hand work to SE; core 1's is issued first although core 0 comes first in a tie.
  program_builder b;
  const auto y = b.pointer(dtype::f32, true);
  const auto first = b.add_buffer(dtype::f32, make_shape<4>());
  const auto second = b.add_buffer(dtype::f32, make_shape<4>());
  auto a = b.core(0);
  const auto zero = a.constant(dtype::f32, 0);
  a.set_issue_cycles(3);
  a.compute(unit::se, op::constant, dtype::f32, b.push(first), {b.value(zero, dtype::f32)});
  a.release(first);
  auto c = b.core(1);
  const auto nothing = c.constant(dtype::f32, 0);
  c.set_issue_cycles(2);
  c.compute(unit::se, op::constant, dtype::f32, b.push(second), {b.value(nothing, dtype::f32)});
  c.store(b.pop(second), {.argument = y, .strides = {c.constant(dtype::i64, 1)}});
  model_options options = timing();
  options.trace = true;
  const argument arguments[] = {unbacked_argument(dtype::f32, 4)};
  const report r = run_program(b.finish(), tiny_device(), grid(1), arguments, options);
  std::vector<std::int64_t> starts;
  for (const trace_slice& slice : r.trace) {
    if (slice.where == track::se) starts.push_back(slice.start);
  }
  // Issued at 4 (core 1: 1 + 2 + 1) and 5 (core 0: 1 + 3 + 1); each keeps SE for 1 cycle.
  EXPECT_EQ(starts, (std::vector<std::int64_t>{4, 5}));
}

TEST(Model, CommandsWaitForInPlaceWorkIssuedBefore) {
  // y = -(-(x + x)): in place on SE, then on the vector core; the store must see both.
  program_builder b;
  const auto x = b.pointer(dtype::f32);
  const auto y = b.pointer(dtype::f32, true);
  const auto tile = b.add_buffer(dtype::f32, make_shape<8>(), 2);
  auto mover = b.core(0);
  mover.load(b.push(tile), {.argument = x, .strides = {mover.constant(dtype::i64, 1)}});
  auto worker = b.core(1);
  const auto one = worker.constant(dtype::i64, 1);
  worker.compute_in_place(unit::se, op::add, dtype::f32, {b.peek(tile), b.peek(tile)});
  worker.compute_in_place(unit::vector, op::neg, dtype::f32, {b.peek(tile)});
  worker.compute_in_place(unit::se, op::neg, dtype::f32, {b.peek(tile)});
  worker.store(b.pop(tile), {.argument = y, .strides = {one}});
  std::vector<float> in = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> out(8);
  const argument arguments[] = {pointer_to(in), pointer_to(out)};
  const report r = run_program(b.finish(), tiny_device(), grid(1), arguments);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(out[i], 2 * in[i]);
  // The load is issued at 2, arrives at 2 + 4 + 10 = 16. SE 16-18, result at 23; vector core 2 + 2
  // cycles to 27; SE 27-29, result at 34; the store 34-38, ends at 48.
  EXPECT_EQ(r.cycles, 48);
}

TEST(Model, LoopsRunOnTheCores) {
  // for i in 0..n: load tile i; the other core adds tile i to tile i + 1 and skips on.
  program_builder b;
  const auto x = b.pointer(dtype::i32);
  const auto y = b.pointer(dtype::i32, true);
  const auto n = b.scalar(dtype::i64);
  const auto in = b.add_buffer(dtype::i32, make_shape<4>(), 3);
  const auto out = b.add_buffer(dtype::i32, make_shape<4>(), 2);
  auto mover = b.core(0);
  {
    const auto zero = mover.constant(dtype::i64, 0);
    const auto one = mover.constant(dtype::i64, 1);
    const auto four = mover.constant(dtype::i64, 4);
    const auto last = mover.apply(op::add, dtype::i64, mover.argument(n), one);
    const auto i = mover.begin_loop(dtype::i64, zero, last, one);
    mover.load(
        b.push(in),
        {.argument = x, .offset = mover.apply(op::mul, dtype::i64, i, four), .strides = {one}});
    mover.end_loop();
  }
  auto worker = b.core(1);
  {
    const auto zero = worker.constant(dtype::i64, 0);
    const auto one = worker.constant(dtype::i64, 1);
    const auto offset = worker.constant(dtype::i64, 0);
    worker.begin_loop(dtype::i64, zero, worker.argument(n), one);
    worker.compute(unit::se, op::add, dtype::i32, b.push(out), {b.pop(in), b.peek(in, 1)});
    worker.store(b.pop(out), {.argument = y, .offset = offset, .strides = {one}});
    worker.move(offset, worker.apply(op::add, dtype::i64, offset, worker.constant(dtype::i64, 4)));
    worker.end_loop();
    worker.release(in);
  }
  for (const std::int64_t count : {0, 1, 7}) {
    std::vector<std::int32_t> source;
    for (int i = 0; i < 4 * (count + 1); ++i) source.push_back(i * i);
    std::vector<std::int32_t> result(static_cast<std::size_t>(4 * count + 4), -1);
    const argument arguments[] = {pointer_to(source), pointer_to(result), scalar_of(count)};
    const report r = run_program(b.finish(), tiny_device(), grid(1), arguments);
    EXPECT_EQ(r.commands, count + 1 + 2 * count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(4 * count); ++i) {
      EXPECT_EQ(result[i], source[i] + source[i + 4]);
    }
    for (std::size_t i = static_cast<std::size_t>(4 * count); i < result.size(); ++i) {
      EXPECT_EQ(result[i], -1);
    }
  }
}

// Program p spends p + 1 vector commands of 10 cycles each and nothing else.
command_program triangular() {
  program_builder b;
  const auto tile = b.add_buffer(dtype::f32, make_shape<40>());
  auto core = b.core(1);
  const auto zero = core.constant(dtype::i32, 0);
  const auto one = core.constant(dtype::i32, 1);
  const auto value = core.constant(dtype::f32, 0);
  const auto last = core.apply(op::add, dtype::i32, core.program_id(0), one);
  core.begin_loop(dtype::i32, zero, last, one);
  core.compute(unit::vector, op::constant, dtype::f32, b.push(tile), {b.value(value, dtype::f32)});
  core.release(tile);
  core.end_loop();
  return b.finish();
}

TEST(Model, ZigzagBalancesTriangularWork) {
  device_spec spec = tiny_device();
  spec.pe_cols = 2;
  spec.scalar_cycles = 0;
  spec.loop_cycles = 0;
  spec.pointer_update_cycles = 0;
  spec.vector_startup = 0;
  model_options options = timing();
  const auto cycles = [&](distribution how) {
    options.how = how;
    return run_program(triangular(), spec, grid(8), {}, options).cycles;
  };
  // Linear: 5 + 6 + 7 + 8 = 26 on the second element. Zigzag: 1 + 4 + 5 + 8 = 18 and
  // 2 + 3 + 6 + 7 = 18. Round-robin: 2 + 4 + 6 + 8 = 20.
  EXPECT_EQ(cycles(distribution::linear), 260);
  EXPECT_EQ(cycles(distribution::zigzag), 180);
  EXPECT_EQ(cycles(distribution::round_robin), 200);
}

TEST(Model, EmptyLaunchesTakeNoTime) {
  const argument x = unbacked_argument(dtype::f32, 16);
  for (const grid& none : {grid(0), grid(5, 0), grid(1, 1, 0)}) {
    const report r = run_program(loads_only(1, 16), tiny_device(), none, {&x, 1}, timing());
    EXPECT_EQ(r.cycles, 0);
    EXPECT_EQ(r.commands, 0);
    EXPECT_EQ(r.roofline_part(), 1.0);
  }
  // Programs without instructions take none either.
  const report r = run_program(command_program{}, tiny_device(), grid(100), {}, timing());
  EXPECT_EQ(r.cycles, 0);
  EXPECT_EQ(r.programs, 100);
}

TEST(Model, EveryTrackAccountsForEveryCycle) {
  device_spec spec = tiny_device();
  spec.pe_rows = 2;
  spec.pe_cols = 3;
  const argument arguments[] = {unbacked_argument(dtype::f32, 16),
                                unbacked_argument(dtype::f32, 16)};
  const report r = run_program(negate(5, 2), spec, grid(8), arguments, timing());
  ASSERT_EQ(r.pes.size(), 6u);
  std::int64_t programs = 0;
  for (const pe_report& pe : r.pes) {
    programs += pe.programs;
    EXPECT_LE(pe.end, r.cycles);
    for (const cycle_account& account : pe.tracks) {
      EXPECT_EQ(account.total(), r.cycles);
    }
    // Core 0: a constant and five issues at 4 + 1. Core 1: a constant, five issues at 4 + 2 and five
    // at 4 + 1. Cores wait for nothing but room in a queue.
    const cycle_account& mover = pe.of(track::core_0);
    const cycle_account& worker = pe.of(track::core_1);
    EXPECT_EQ(mover.busy, pe.programs * (1 + 5 * 5));
    EXPECT_EQ(worker.busy, pe.programs * (1 + 5 * 6 + 5 * 5));
    EXPECT_EQ(mover.data + mover.issue + worker.data + worker.issue, 0);
    EXPECT_EQ(pe.of(track::se).busy, pe.programs * 5 * 4);
    // The last store arrives 10 cycles after DMA is done with it.
    EXPECT_EQ(pe.of(track::dma_out).idle, r.cycles - pe.end + (pe.programs > 0 ? 10 : 0));
  }
  EXPECT_EQ(programs, 8);
  EXPECT_EQ(r.commands, 8 * 15);
  for (const cycle_account& account : r.totals) EXPECT_EQ(account.total(), 6 * r.cycles);
  EXPECT_EQ(r.of(track::se).busy, 8 * 5 * 4);
}

TEST(Model, TheSameRunTwiceIsTheSame) {
  device_spec spec = tiny_device();
  spec.pe_cols = 7;
  spec.sram_bytes_per_cycle = 13;
  model_options options = timing();
  options.trace = true;
  const argument arguments[] = {unbacked_argument(dtype::f32, 16),
                                unbacked_argument(dtype::f32, 16)};
  const report first = run_program(negate(6, 2), spec, grid(31), arguments, options);
  const report second = run_program(negate(6, 2), spec, grid(31), arguments, options);
  EXPECT_EQ(first.cycles, second.cycles);
  ASSERT_EQ(first.trace.size(), second.trace.size());
  for (std::size_t i = 0; i < first.trace.size(); ++i) {
    EXPECT_EQ(first.trace[i].start, second.trace[i].start);
    EXPECT_EQ(first.trace[i].end, second.trace[i].end);
    EXPECT_EQ(first.trace[i].pe, second.trace[i].pe);
  }
}

TEST(Model, BothModesTakeTheSameTime) {
  std::vector<float> x(16, 1.0f);
  std::vector<float> y(16);
  const argument arguments[] = {pointer_to(x), pointer_to(y)};
  device_spec spec = tiny_device();
  spec.pe_cols = 3;
  EXPECT_EQ(run_program(negate(4, 2), spec, grid(7), arguments).cycles,
            run_program(negate(4, 2), spec, grid(7), arguments, timing()).cycles);
}

TEST(Model, NamesTheBottleneck) {
  const argument x = unbacked_argument(dtype::f32, 1024);
  device_spec spec = tiny_device();
  // One element streams at its own limit, half of what the memory has.
  report r = run_program(loads_only(3, 1024), spec, grid(1), {&x, 1}, timing());
  EXPECT_STREQ(r.bottleneck.name, "DMA in");
  EXPECT_GT(r.bottleneck.part, 0.98);
  // Four of them want twice what it has.
  spec.pe_cols = 4;
  r = run_program(loads_only(3, 1024), spec, grid(4), {&x, 1}, timing());
  EXPECT_STREQ(r.bottleneck.name, "SRAM bandwidth");
  EXPECT_GT(r.bottleneck.part, 0.98);
  // Tiny loads: the core cannot issue them fast enough.
  r = run_program(loads_only(16, 1), tiny_device(), grid(1), {&x, 1}, timing());
  EXPECT_STREQ(r.bottleneck.name, "issue on core 0");
}

TEST(Model, RooflineCountsEachByteOnce) {
  // 3 loads of the same 4096 bytes at 16 a cycle: 256 cycles, although they take 1536.
  const argument x = unbacked_argument(dtype::f32, 1024);
  const report r = run_program(loads_only(3, 1024), tiny_device(), grid(1), {&x, 1}, timing());
  EXPECT_STREQ(r.roofline.name, "SRAM");
  EXPECT_EQ(r.roofline.cycles, 256);
  EXPECT_NEAR(r.roofline_part(), 256.0 / static_cast<double>(r.cycles), 1e-12);
}

TEST(Model, LaunchTimeStandsApart) {
  const argument x = unbacked_argument(dtype::f32, 16);
  EXPECT_EQ(run_program(loads_only(1, 16), mtia_2i, grid(1), {&x, 1}, timing()).launch_cycles,
            1350);  // 1 us at 1.35 GHz
}

TEST(Model, SummaryNamesWhatMatters) {
  const argument x = unbacked_argument(dtype::f32, 16);
  const report r = run_program(loads_only(1, 16), tiny_device(), grid(1), {&x, 1}, timing());
  const std::string text = summary_of(r);
  EXPECT_NE(text.find("24 cycles (0.024 us at 1.00 GHz), 1 programs, 1 commands"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("SRAM: 64 bytes read (64 compulsory), 0 written"), std::string::npos);
  EXPECT_NE(text.find("DMA in          33.3     0.0     0.0    25.0    41.7"), std::string::npos)
      << text;
}

// ---- failures -----------------------------------------------------------------------------------

std::string failure_of(const command_program& what, const device_spec& spec, const grid& programs,
                       std::span<const argument> arguments, const model_options& options) {
  try {
    run_program(what, spec, programs, arguments, options);
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

TEST(ModelFailure, DeadlockNamesWhoWaitsForWhat) {
  // Tiles into room for two, and nobody takes them. The third waits for room, the fourth behind it,
  // and the core with the fifth.
  program_builder b;
  const auto x = b.pointer(dtype::f32);
  const auto in =
      b.add_buffer(dtype::f32, make_shape<4>(), 2, memory_space::local, source_line(71));
  auto core = b.core(0);
  const auto one = core.constant(dtype::i64, 1);
  for (int i = 0; i < 5; ++i) {
    core.load(b.push(in), {.argument = x, .strides = {one}}, source_line(80 + i));
  }
  const argument arguments[] = {unbacked_argument(dtype::f32, 4)};
  device_spec spec = tiny_device();
  spec.pe_cols = 3;
  const std::string text = failure_of(b.finish(), spec, grid(2), arguments, timing());
  EXPECT_NE(text.find("cannot advance"), std::string::npos) << text;
  EXPECT_NE(text.find("PE 0:"), std::string::npos);
  EXPECT_NE(text.find("DMA in: load of line 82 (core 0, program 0) waits for space in buffer 0"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("core 0: waits for room in the queue of DMA in, at line 84, program 0"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("buffer 0 (line 71): 2 pushed, 0 popped, room for 2"), std::string::npos);
  EXPECT_NE(text.find("and 1 more PEs"), std::string::npos) << text;
}

TEST(ModelFailure, DeadlockOfACoreAndMissingData) {
  program_builder b;
  const auto in = b.add_buffer(dtype::f32, make_shape<4>(), 1, memory_space::local, source_line(5));
  const auto out = b.add_buffer(dtype::f32, make_shape<4>());
  auto core = b.core(1);
  core.compute(unit::vector, op::neg, dtype::f32, b.push(out), {b.pop(in)}, {}, source_line(9));
  const std::string text = failure_of(b.finish(), tiny_device(), grid(1), {}, timing());
  EXPECT_NE(text.find("core 1: does vector work, at line 9, program 0"), std::string::npos) << text;
  EXPECT_NE(
      text.find("vector core: neg of line 9 (core 1, program 0) waits for tile 0 of buffer 0"),
      std::string::npos)
      << text;
}

TEST(ModelFailure, ReleaseOfATileThatNeverComesIsNoPop) {
  program_builder b;
  const auto in = b.add_buffer(dtype::f32, make_shape<4>());
  auto core = b.core(0);
  const auto zero = core.constant(dtype::f32, 0);
  core.release(in);
  // The tile comes later: the release must take it, not give room for two.
  // So the third of five waits, the fourth behind it, and the core with the fifth.
  for (int i = 0; i < 5; ++i) {
    core.compute(unit::se, op::constant, dtype::f32, b.push(in), {b.value(zero, dtype::f32)}, {},
                 source_line(31 + i));
  }
  EXPECT_NE(failure_of(b.finish(), tiny_device(), grid(1), {}, timing())
                .find("constant of line 33 (core 0, program 0) waits for space"),
            std::string::npos);
}

/// Pushes `pushes` tiles on one core and pops `pops` of them on another, or on the same in turn.
command_program unbalanced(int pushes, int pops, int pushing_core, int popping_core) {
  program_builder b;
  const auto spare = b.add_buffer(dtype::f32, make_shape<4>());
  const auto tile =
      b.add_buffer(dtype::f32, make_shape<4>(), 2, memory_space::local, source_line(71));
  auto writer = b.core(pushing_core);
  auto reader = b.core(popping_core);
  const auto zero = writer.constant(dtype::f32, 0);
  writer.compute(unit::se, op::constant, dtype::f32, b.push(spare), {b.value(zero, dtype::f32)});
  writer.release(spare);
  for (int i = 0; i < std::max(pushes, pops); ++i) {
    if (i < pushes) {
      writer.compute(unit::se, op::constant, dtype::f32, b.push(tile), {b.value(zero, dtype::f32)});
    }
    if (i < pops) reader.release(tile);
  }
  return b.finish();
}

TEST(ModelFailure, TilesLeftInABuffer) {
  const auto text = [](int pushes, int pops, int from, int to) {
    return failure_of(unbalanced(pushes, pops, from, to), tiny_device(), grid(4), {}, timing());
  };
  for (const int from : {0, 1}) {
    for (const int to : {0, 1}) {
      EXPECT_EQ(text(6, 6, from, to), "");
      EXPECT_EQ(text(0, 0, from, to), "");
      EXPECT_EQ(text(6, 5, from, to),
                "model: program 0 pushes 6 tiles into buffer 1 (line 71) and pops 5");
      EXPECT_EQ(text(1, 0, from, to),
                "model: program 0 pushes 1 tiles into buffer 1 (line 71) and pops 0");
      // The pop too many would take a tile of the next program.
      EXPECT_EQ(text(5, 6, from, to),
                "model: program 0 pushes 5 tiles into buffer 1 (line 71) and pops 6");
    }
  }
}

TEST(ModelFailure, TilesLeftByALaterProgram) {
  // Pushes 3 tiles and pops 3, but in program 2 pops 2: min(3, 4 - program id).
  program_builder b;
  const auto tile =
      b.add_buffer(dtype::f32, make_shape<4>(), 2, memory_space::local, source_line(71));
  auto writer = b.core(0);
  const auto zero = writer.constant(dtype::f32, 0);
  for (int i = 0; i < 3; ++i) {
    writer.compute(unit::se, op::constant, dtype::f32, b.push(tile), {b.value(zero, dtype::f32)});
  }
  auto reader = b.core(1);
  const auto less =
      reader.apply(op::sub, dtype::i32, reader.constant(dtype::i32, 4), reader.program_id(0));
  const auto pops = reader.apply(op::minimum, dtype::i32, reader.constant(dtype::i32, 3), less);
  reader.begin_loop(dtype::i32, reader.constant(dtype::i32, 0), pops,
                    reader.constant(dtype::i32, 1));
  reader.release(tile);
  reader.end_loop();
  EXPECT_EQ(failure_of(b.finish(), tiny_device(), grid(2), {}, timing()), "");
  EXPECT_EQ(failure_of(b.finish(), tiny_device(), grid(5), {}, timing()),
            "model: program 2 pushes 3 tiles into buffer 0 (line 71) and pops 2");
  // Dealt to two elements in turn, the second program of the first element is the one.
  device_spec spec = tiny_device();
  spec.pe_cols = 2;
  model_options options = timing();
  options.how = distribution::round_robin;
  EXPECT_EQ(failure_of(b.finish(), spec, grid(3), {}, options),
            "model: program 2 pushes 3 tiles into buffer 0 (line 71) and pops 2");
}

TEST(ModelFailure, AccessOutsideOfAnArgument) {
  const argument x = unbacked_argument(dtype::f32, 15);
  const std::string text = failure_of(loads_only(1, 16), tiny_device(), grid(1), {&x, 1}, timing());
  EXPECT_NE(text.find("touches elements 0 to 15 of argument 0, which has 15"), std::string::npos)
      << text;
}

TEST(ModelFailure, ArgumentsThatDoNotFit) {
  const argument wrong_type = unbacked_argument(dtype::i32, 16);
  const argument scalar = scalar_of(1.0f);
  const argument null = unbacked_argument(dtype::f32, 16);
  const auto text = [](const argument& given, const model_options& options) {
    return failure_of(loads_only(1, 16), tiny_device(), grid(1), {&given, 1}, options);
  };
  EXPECT_EQ(text(wrong_type, timing()),
            "model: argument 0 is a pointer to i32, the parameter a pointer to f32");
  EXPECT_EQ(text(scalar, timing()),
            "model: argument 0 is a scalar f32, the parameter a pointer to f32");
  EXPECT_NE(text(null, {}).find("is null, or memory without contents"), std::string::npos);
  EXPECT_EQ(text(null, timing()), "");
  EXPECT_EQ(failure_of(loads_only(1, 16), tiny_device(), grid(1), {}, timing()),
            "model: the program has 1 parameters, the launch 0 arguments");
}

TEST(ModelFailure, ProgramsThatDoNotFitTheDevice) {
  device_spec spec = tiny_device();
  spec.local_bytes = 60;
  const argument x = unbacked_argument(dtype::f32, 16);
  EXPECT_NE(failure_of(loads_only(1, 16), spec, grid(1), {&x, 1}, timing())
                .find("a buffer ends past local memory (need 64, have 60)"),
            std::string::npos);
  spec = tiny_device();
  spec.se_lanes = 0;
  const argument two[] = {x, x};
  EXPECT_NE(failure_of(negate(1, 1), spec, grid(1), two, timing())
                .find("the SIMD engine does not work on this element type"),
            std::string::npos);
  EXPECT_EQ(failure_of(loads_only(1, 16), tiny_device(), grid(-1), {&x, 1}, timing()),
            "model: a grid axis is negative");
}

TEST(ModelFailure, ALoopThatStandsStill) {
  program_builder b;
  auto core = b.core(0);
  const auto zero = core.constant(dtype::i32, 0);
  core.begin_loop(dtype::i32, zero, core.constant(dtype::i32, 3), zero, source_line(44));
  core.end_loop();
  EXPECT_EQ(failure_of(b.finish(), tiny_device(), grid(1), {}, timing()),
            "model: the loop of line 44 has step 0");
}

}  // namespace
}  // namespace tilewright
