// Rates of a device that are no whole number, and those with which nothing can run.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/model/model.hpp>
#include <tilewright/model/roofline.hpp>
#include <tilewright/program/builder.hpp>
#include <vector>

#include "model/tiny_device.hpp"

namespace tilewright {
namespace {

using test::tiny_device;
using test::unbacked_argument;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double endless = std::numeric_limits<double>::infinity();

/// One load of 16 f32, at line 50, issued at 6: a constant takes 1 cycle, the issue 4 + 1.
command_program one_load() {
  program_builder b;
  const auto x = b.pointer(dtype::f32);
  const auto tile = b.add_buffer(dtype::f32, make_shape<16>());
  auto core = b.core(0);
  core.set_issue_cycles(test::issue_cycles);
  const auto one = core.constant(dtype::i64, 1);
  core.load(b.push(tile), {.argument = x, .strides = {one}}, source_line(50));
  b.core(1).release(tile);
  return b.finish();
}

report run_load(const device_spec& spec, placement where) {
  const argument x = unbacked_argument(dtype::f32, 16);
  model_options options;
  options.mode = model_mode::timing;
  options.placements[0] = where;
  return run_program(one_load(), spec, grid(1), {&x, 1}, options);
}

TEST(Rates, LessThanAByteACycle) {
  device_spec spec = tiny_device();
  spec.dram_gb_per_s = 0.5;  // at 1 GHz: half a byte a cycle
  report r = run_load(spec, placement::dram);
  // 64 bytes stream for 128 cycles, the last arrives 20 later.
  EXPECT_EQ(r.cycles, 6 + 128 + 20);
  EXPECT_EQ(r.of(track::dma_in).busy, 128);
  EXPECT_EQ(r.roofline.cycles, 128);

  spec = tiny_device();
  spec.dma_outstanding_bytes = 5;  // over the 10 cycles of SRAM's latency
  r = run_load(spec, placement::sram);
  EXPECT_EQ(r.cycles, 6 + 128 + 10);

  // 1 GB/s, of which 87 % are reached, at 1.35 GHz: 0.6444 bytes a cycle, so 99.3 cycles, which
  // end within the 100th. 200 ns are 270 cycles; the constant takes 1, the issue 4 + 2.
  spec = mtia_2i;
  spec.dram_gb_per_s = 1.0;
  EXPECT_EQ(run_load(spec, placement::dram).cycles, 7 + 100 + 270);
}

TEST(Rates, BetweenOneByteAndTwoTheShareOfTheDmaIsRight) {
  device_spec spec = tiny_device();
  spec.dram_gb_per_s = 1.5;
  const report r = run_load(spec, placement::dram);
  // 42.67 cycles of the memory, for which the DMA unit is busy through the 43rd.
  ASSERT_EQ(r.cycles, 6 + 43 + 20);
  EXPECT_STREQ(r.bottleneck.name, "DMA in");
  EXPECT_DOUBLE_EQ(r.bottleneck.part, 43.0 / 69.0);
}

/// One negation of 16 f64 on the vector core, at line 60.
report run_vector(const device_spec& spec) {
  program_builder b;
  const auto tile = b.add_buffer(dtype::f64, make_shape<16>());
  auto core = b.core(1);
  const auto zero = core.constant(dtype::f64, 0);
  core.compute(unit::vector, op::constant, dtype::f64, b.push(tile), {b.value(zero, dtype::f64)},
               {}, source_line(60));
  core.release(tile);
  return run_program(b.finish(), spec, grid(1), {});
}

TEST(Rates, WideElementsOnANarrowVectorCore) {
  device_spec spec = tiny_device();
  spec.vector_ops_32 = 1;  // half an operation on 64 bits a cycle
  EXPECT_EQ(run_vector(spec).of(track::vector).busy, 2 + 32);
  spec.vector_ops_32 = 3;  // 16 / 1.5 = 10.67
  EXPECT_EQ(run_vector(spec).of(track::vector).busy, 2 + 11);
}

// ---- nothing can run ----------------------------------------------------------------------------

template <class Run>
std::string failure_of(Run&& run) {
  try {
    run();
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

std::string load_failure(const device_spec& spec, placement where) {
  return failure_of([&] { run_load(spec, where); });
}

TEST(RateFailure, BandwidthThatMovesNothing) {
  for (const double bad : {0.0, -4.0, not_a_number, endless}) {
    device_spec spec = tiny_device();
    spec.dram_gb_per_s = bad;
    EXPECT_EQ(load_failure(spec, placement::dram),
              "model: line 50: the device's bandwidth of DRAM is not a positive number");
    EXPECT_EQ(load_failure(spec, placement::sram), "") << "needs no DRAM";
    spec = tiny_device();
    spec.dram_efficiency = bad;
    EXPECT_EQ(load_failure(spec, placement::dram),
              "model: line 50: the device's bandwidth of DRAM is not a positive number");
  }
  for (const std::int32_t bad : {0, -16}) {
    device_spec spec = tiny_device();
    spec.sram_bytes_per_cycle = bad;
    EXPECT_EQ(load_failure(spec, placement::sram),
              "model: line 50: the device's bandwidth of SRAM is not a positive number");
    EXPECT_EQ(load_failure(spec, placement::dram), "") << "needs no SRAM";
    spec = tiny_device();
    spec.dma_bytes_per_cycle = bad;
    EXPECT_EQ(load_failure(spec, placement::sram), "model: line 50: the device has no DMA");
    spec = tiny_device();
    spec.dma_outstanding_bytes = bad;
    EXPECT_EQ(load_failure(spec, placement::sram),
              "model: line 50: the device's DMA has no bytes of SRAM in flight");
    spec.sram_latency = 0;  // nothing needs to be in flight then
    EXPECT_EQ(load_failure(spec, placement::sram), "");
  }
}

TEST(RateFailure, ACoreLoadsFromAMemoryThatMovesNothing) {
  program_builder b;
  const auto x = b.pointer(dtype::i64);
  auto core = b.core(0);
  core.load_scalar(dtype::i64, x, core.constant(dtype::i64, 0), -1, -1, source_line(70));
  std::vector<std::int64_t> memory(1);
  const argument arguments[] = {test::pointer_to(memory)};
  model_options options;
  options.placements[0] = placement::dram;
  device_spec spec = tiny_device();
  const auto failure = [&] {
    return failure_of([&] { run_program(b.finish(), spec, grid(1), arguments, options); });
  };
  EXPECT_EQ(failure(), "");
  spec.dma_bytes_per_cycle = 0;  // a core needs no DMA
  EXPECT_EQ(failure(), "");
  spec.dram_gb_per_s = 0;
  EXPECT_EQ(failure(), "model: line 70: the device's bandwidth of DRAM is not a positive number");
}

TEST(RateFailure, ATransferWithoutEnd) {
  device_spec spec = tiny_device();
  spec.dram_gb_per_s = 1e-300;
  EXPECT_EQ(load_failure(spec, placement::dram),
            "model: a transfer takes more cycles than the model can count");
}

TEST(RateFailure, ClocksElementsAndTimes) {
  for (const double bad : {0.0, -1.0, not_a_number, endless}) {
    device_spec spec = tiny_device();
    spec.clock_ghz = bad;
    EXPECT_EQ(load_failure(spec, placement::sram),
              "model: the device's clock rate is not a positive number");
  }
  for (const double bad : {-1.0, not_a_number, endless}) {
    device_spec spec = tiny_device();
    spec.job_launch_us = bad;
    EXPECT_NE(load_failure(spec, placement::sram).find("one of the device's times is negative"),
              std::string::npos);
    spec = tiny_device();
    spec.dram_latency_ns = bad;
    EXPECT_NE(load_failure(spec, placement::sram).find("one of the device's times is negative"),
              std::string::npos);
  }
  device_spec spec = tiny_device();
  spec.scalar_cycles = -1;
  EXPECT_NE(load_failure(spec, placement::sram).find("one of the device's times is negative"),
            std::string::npos);
  spec = tiny_device();
  spec.pe_cols = 0;
  EXPECT_EQ(load_failure(spec, placement::sram), "model: the device has no processing elements");
  spec = tiny_device();
  spec.queue_depth = 0;
  EXPECT_EQ(load_failure(spec, placement::sram),
            "model: the device's queues have no room for a command");
}

TEST(RateFailure, AVectorCoreThatDoesNothing) {
  for (const std::int32_t bad : {0, -4}) {
    device_spec spec = tiny_device();
    spec.vector_ops_32 = bad;
    EXPECT_EQ(failure_of([&] { run_vector(spec); }),
              "model: line 60: the vector core does not work on this element type");
  }
}

/// A command that clears, multiplies or takes an exponential.
std::string failure_on(const device_spec& spec, unit where) {
  program_builder b;
  const bool multiplies = where == unit::dpe;
  const dtype type = multiplies ? dtype::f16 : dtype::f32;
  const auto space = where == unit::re ? memory_space::re : memory_space::local;
  const auto tile = b.add_buffer(type, make_shape<2, 2>(), 1, space);
  auto core = b.core(0);
  const auto zero = core.constant(type, 0);
  core.compute(where == unit::re ? unit::re : unit::se, op::constant, type, b.push(tile),
               {b.value(zero, type)});
  if (where == unit::se) {
    core.compute_in_place(unit::se, op::exp, type, {b.peek(tile)});
  }
  if (multiplies) {
    const auto sum = b.add_buffer(dtype::f32, make_shape<2, 2>());
    const auto nothing = core.constant(dtype::f32, 0);
    core.compute(unit::se, op::constant, dtype::f32, b.push(sum), {b.value(nothing, dtype::f32)});
    core.dot(unit::dpe, b.peek(tile), b.peek(tile), b.peek(sum));
    core.release(sum);
  }
  core.release(tile);
  return failure_of([&] { run_program(b.finish(), spec, grid(1), {}); });
}

TEST(RateFailure, UnitsWithoutWidth) {
  for (const unit where : {unit::se, unit::re, unit::dpe}) {
    EXPECT_EQ(failure_on(tiny_device(), where), "");
  }
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  device_spec spec = tiny_device();
  spec.se_lut_lanes = 0;
  EXPECT_TRUE(has(failure_on(spec, unit::se), "the SIMD engine has no functions by lookup table"));
  spec = tiny_device();
  spec.re_bytes_per_cycle = 0;
  EXPECT_TRUE(has(failure_on(spec, unit::re), "the device has no reduction engine"));
  for (std::int32_t device_spec::*const extent :
       {&device_spec::dpe_tiles, &device_spec::dpe_rows, &device_spec::dpe_columns,
        &device_spec::dpe_k_bytes}) {
    for (const std::int32_t bad : {0, -2}) {
      spec = tiny_device();
      spec.*extent = bad;
      EXPECT_TRUE(has(failure_on(spec, unit::dpe), "the DPE's native command takes no rows"));
    }
  }
  spec = tiny_device();
  spec.dpe_k_bytes = 1;  // not one f16
  EXPECT_TRUE(has(failure_on(spec, unit::dpe), "the DPE's native command takes no rows"));
}

TEST(RateFailure, PicturesLeaveOutWhatHasNoPlace) {
  device_spec spec = tiny_device();
  spec.dram_gb_per_s = not_a_number;
  const std::vector<roofline_point> points = {{"endless", endless, 5, 1, memory::sram},
                                              {"unknown", 1, not_a_number, 1, memory::dram}};
  const std::string svg = roofline_svg(spec, points);
  EXPECT_EQ(svg.find("DRAM "), std::string::npos) << "a roof without a value";
  EXPECT_NE(svg.find("SRAM 16 GB/s"), std::string::npos);
}

}  // namespace
}  // namespace tilewright
