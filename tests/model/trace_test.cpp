#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tilewright/model/model.hpp>
#include <tilewright/model/trace.hpp>
#include <tilewright/program/builder.hpp>
#include <utility>

#include "model/tiny_device.hpp"

namespace tilewright {
namespace {

// load -> SE -> vector core -> store
report traced_run(std::vector<std::int32_t> pes) {
  program_builder b;
  const auto x = b.pointer(dtype::f32);
  const auto y = b.pointer(dtype::f32, true);
  const auto in = b.add_buffer(dtype::f32, make_shape<16>(), 2);
  const auto middle = b.add_buffer(dtype::f32, make_shape<16>(), 2);
  const auto out = b.add_buffer(dtype::f32, make_shape<16>(), 2);
  auto mover = b.core(0);
  mover.set_issue_cycles(test::issue_cycles);
  mover.load(b.push(in), {.argument = x, .strides = {mover.constant(dtype::i64, 1)}},
             source_line(101));
  auto worker = b.core(1);
  worker.set_issue_cycles(test::issue_cycles);
  const auto one = worker.constant(dtype::i64, 1);
  worker.compute(unit::se, op::exp, dtype::f32, b.push(middle), {b.pop(in)}, {}, source_line(102));
  worker.compute(unit::vector, op::neg, dtype::f32, b.push(out), {b.pop(middle)}, {},
                 source_line(103));
  worker.store(b.pop(out), {.argument = y, .strides = {one}}, source_line(104));
  device_spec spec = test::tiny_device();
  spec.pe_cols = 3;
  spec.clock_ghz = 2.0;
  model_options options;
  options.mode = model_mode::timing;
  options.trace = true;
  options.trace_pes = std::move(pes);
  const argument arguments[] = {test::unbacked_argument(dtype::f32, 16),
                                test::unbacked_argument(dtype::f32, 16)};
  return run_program(b.finish(), spec, grid(6), arguments, options);
}

TEST(Trace, IsJsonWithATrackPerUnit) {
  const report result = traced_run({});
  const auto json = nlohmann::json::parse(trace_json(result));
  std::map<std::pair<int, int>, std::string> tracks;
  std::map<std::string, int> slices;
  std::set<int> processes;
  for (const auto& event : json.at("traceEvents")) {
    const int pid = event.at("pid").get<int>();
    if (event.at("ph") == "M") {
      if (event.at("name") == "process_name") {
        EXPECT_EQ(event.at("args").at("name"), "PE " + std::to_string(pid));
        processes.insert(pid);
      } else if (event.at("name") == "thread_name") {
        tracks[{pid, event.at("tid").get<int>()}] = event.at("args").at("name");
      }
      continue;
    }
    ASSERT_EQ(event.at("ph"), "X");
    const std::string track = tracks.at({pid, event.at("tid").get<int>()});
    ++slices[track + ": " + event.at("name").get<std::string>()];
    // Two cycles are a nanosecond.
    EXPECT_NEAR(event.at("ts").get<double>() * 2000,
                event.at("args").at("start_cycle").get<double>(), 1e-2);
    EXPECT_NEAR(event.at("dur").get<double>() * 2000, event.at("args").at("cycles").get<double>(),
                1e-2);
  }
  EXPECT_EQ(processes, (std::set<int>{0, 1, 2}));
  const std::map<std::string, int> expected = {
      {"core 0: issue load@101", 6},  {"DMA in: load@101", 6},
      {"core 1: issue exp@102", 6},   {"SE: exp@102", 6},
      {"core 1: issue neg@103", 6},   {"core 1: neg@103", 6},
      {"core 1: issue store@104", 6}, {"DMA out: store@104", 6}};
  EXPECT_EQ(slices, expected);
}

TEST(Trace, SlicesOfATrackDoNotOverlapAndMatchItsAccount) {
  const report result = traced_run({});
  std::map<std::pair<int, track>, std::int64_t> last;
  std::map<track, std::int64_t> busy;
  for (const trace_slice& slice : result.trace) {
    std::int64_t& end = last[{slice.pe, slice.where}];
    EXPECT_GE(slice.start, end);
    end = slice.end;
    busy[slice.where] += slice.end - slice.start;
  }
  EXPECT_EQ(busy[track::se], result.of(track::se).busy);
  EXPECT_EQ(busy[track::dma_in], result.of(track::dma_in).busy);
  // Two constants, one per core and program, are no slices.
  EXPECT_EQ(busy[track::core_0] + 6, result.of(track::core_0).busy);
  EXPECT_EQ(busy[track::core_1] + 6, result.of(track::core_1).busy);
}

TEST(Trace, CanBeLimitedToSomeElements) {
  const report result = traced_run({2});
  ASSERT_FALSE(result.trace.empty());
  for (const trace_slice& slice : result.trace) EXPECT_EQ(slice.pe, 2);
  const auto json = nlohmann::json::parse(trace_json(result));
  for (const auto& event : json.at("traceEvents")) EXPECT_EQ(event.at("pid"), 2);
}

}  // namespace
}  // namespace tilewright
