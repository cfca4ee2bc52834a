// The passes from the choice of units on: units, issue cycles, sizes of buffers and shares of cores,
// worked out by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/kernels/gemm.hpp>
#include <tilewright/passes/pipeline.hpp>

namespace tw = tilewright;

namespace {

// ---- assign_units ----

template <class From, class To>
struct cast_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const From> x, tw::ptr<To> out) {
    auto lane = tl.arange<64>();
    tl.store(out + lane, tl.load(x + lane).template to<To>());
  }
};

template <class K>
std::unique_ptr<tw::graph> with_units(const tw::device_spec& device) {
  const auto simple = std::make_unique<tw::graph>(tw::simplify(tw::trace<K>()));
  const auto structured = std::make_unique<tw::graph>(tw::find_structured_access(*simple));
  const auto extended = std::make_unique<tw::graph>(tw::propagate_extent(*structured));
  return std::make_unique<tw::graph>(tw::assign_units(*extended, device));
}

template <class From, class To>
tw::unit unit_of_cast() {
  const auto g = with_units<cast_kernel<From, To>>(tw::mtia_2i);
  EXPECT_FALSE(g->error);
  for (const tw::node& n : g->nodes) {
    if (n.code == tw::op::cast && n.dims.rank == 1) return n.where;
  }
  return tw::unit::core;
}

TEST(AssignUnits, CastsNeedAUnitForBothTypes) {
  EXPECT_EQ((unit_of_cast<float, tw::f16>()), tw::unit::se);
  EXPECT_EQ((unit_of_cast<std::int32_t, std::int8_t>()), tw::unit::se);
  // The SIMD engine has neither 16-bit nor 64-bit integers nor f64, on either side.
  EXPECT_EQ((unit_of_cast<float, std::int16_t>()), tw::unit::vector);
  EXPECT_EQ((unit_of_cast<float, double>()), tw::unit::vector);
  EXPECT_EQ((unit_of_cast<std::int32_t, std::int64_t>()), tw::unit::vector);
  EXPECT_EQ((unit_of_cast<std::int16_t, float>()), tw::unit::vector);
  EXPECT_EQ((unit_of_cast<std::int64_t, std::int32_t>()), tw::unit::vector);
}

// ---- assign_buffers ----

template <class K>
std::int64_t issue_cycles_of_dot(const tw::device_spec& device) {
  const auto g = with_units<K>(device);
  const auto s = std::make_unique<tw::schedule>(tw::assign_buffers(*g, device));
  EXPECT_FALSE(s->error);
  for (const tw::step& at : s->steps) {
    if (at.work.code == tw::op::dot) return at.work.issue_cycles;
  }
  return -1;
}

TEST(AssignBuffers, EachNativeStepOfADotIsIssued) {
  using tw::kernels::gemm;
  // 24 cycles for the first native step of 64 rows, 32 columns and 16 f16 of k; 6 for each further.
  EXPECT_EQ((issue_cycles_of_dot<gemm<tw::f16, 64, 32, 16>>(tw::mtia_2i)), 24);
  EXPECT_EQ((issue_cycles_of_dot<gemm<tw::f16, 64, 64, 16>>(tw::mtia_2i)), 24 + 6);
  EXPECT_EQ((issue_cycles_of_dot<gemm<tw::f16, 64, 64, 64>>(tw::mtia_2i)), 24 + 7 * 6);
  EXPECT_EQ((issue_cycles_of_dot<gemm<tw::f16, 128, 64, 64>>(tw::mtia_2i)), 24 + 15 * 6);
  tw::device_spec device = tw::mtia_2i;
  device.issue_first = 10;
  device.issue_repeat = 1;
  EXPECT_EQ((issue_cycles_of_dot<gemm<tw::f16, 64, 64, 64>>(device)), 10 + 7);
  // A dot on the vector core is one command however large.
  EXPECT_EQ((issue_cycles_of_dot<gemm<float, 64, 64, 64>>(tw::mtia_2i)), 24);
}

// ---- schedules by hand ----

tw::buffer_index add_buffer(tw::schedule& s, const tw::shape& tile, std::int32_t multiplier = 1,
                            tw::memory_space space = tw::memory_space::local) {
  s.buffers.push_back({tw::dtype::f32, tile, multiplier, 0, space, 0});
  return static_cast<tw::buffer_index>(s.buffers.size() - 1);
}

/// A command of unit `where` that fills a tile of `target`.
tw::step fill(tw::unit where, tw::op code, tw::buffer_index target, const tw::shape& tile) {
  tw::step made;
  made.work.where = where;
  made.work.code = code;
  made.work.type = tw::dtype::f32;
  made.work.dims = tile;
  made.work.argument = code == tw::op::load ? 0 : -1;
  made.work.output.from = tw::operand::source::buffer;
  made.work.output.index = target;
  made.work.output.type = tw::dtype::f32;
  made.work.output.dims = tile;
  made.work.output.advances = true;
  return made;
}

// ---- size_buffers ----

using multipliers = std::vector<std::int32_t>;

multipliers sized(const tw::schedule& s, std::int64_t local_bytes, std::int64_t re_bytes = 0) {
  tw::device_spec device = tw::mtia_2i;
  device.local_bytes = local_bytes;
  device.re_accumulator_bytes = re_bytes;
  const auto result = std::make_unique<tw::schedule>(tw::size_buffers(s, device));
  EXPECT_FALSE(result->error);
  multipliers found;
  std::int64_t used = 0;
  for (const tw::buffer& b : result->buffers) {
    found.push_back(b.multiplier);
    if (b.space != tw::memory_space::local) continue;
    EXPECT_GE(b.offset, used) << "buffers overlap";
    EXPECT_EQ(b.offset % 64, 0);
    used = b.offset + b.bytes();
  }
  EXPECT_LE(used, local_bytes);
  return found;
}

TEST(SizeBuffers, SecondTilesFirstAndThenThoseThatDmaFills) {
  // Two buffers that DMA fills and one that the SIMD engine does, in tiles of 4 KiB.
  const auto s = std::make_unique<tw::schedule>();
  const tw::shape tile = tw::make_shape<1024>();
  for (const bool loaded : {true, false, true}) {
    const tw::buffer_index b = add_buffer(*s, tile);
    s->add(loaded ? fill(tw::unit::dma_in, tw::op::load, b, tile)
                  : fill(tw::unit::se, tw::op::constant, b, tile));
  }
  constexpr std::int64_t kib = 1024;
  EXPECT_EQ(sized(*s, 12 * kib), (multipliers{1, 1, 1}));
  EXPECT_EQ(sized(*s, 16 * kib - 1), (multipliers{1, 1, 1}));
  EXPECT_EQ(sized(*s, 16 * kib), (multipliers{2, 1, 1}));
  EXPECT_EQ(sized(*s, 20 * kib), (multipliers{2, 2, 1}));
  EXPECT_EQ(sized(*s, 24 * kib), (multipliers{2, 2, 2}));
  EXPECT_EQ(sized(*s, 28 * kib), (multipliers{3, 2, 2}));
  EXPECT_EQ(sized(*s, 32 * kib), (multipliers{3, 2, 3}));
  EXPECT_EQ(sized(*s, 36 * kib), (multipliers{4, 2, 3}));
  // Eight tiles ahead at most.
  EXPECT_EQ(sized(*s, 68 * kib), (multipliers{8, 2, 7}));
  EXPECT_EQ(sized(*s, 72 * kib), (multipliers{8, 2, 8}));
  EXPECT_EQ(sized(*s, 384 * kib), (multipliers{8, 2, 8}));
}

TEST(SizeBuffers, QueuesGrowByATileAndMemoriesFillApart) {
  // A queue of two tiles that a loop carries, and an accumulator, each of 4 KiB a tile.
  const auto s = std::make_unique<tw::schedule>();
  const tw::shape tile = tw::make_shape<1024>();
  add_buffer(*s, tile, 2);
  add_buffer(*s, tile, 1, tw::memory_space::re);
  EXPECT_EQ(sized(*s, 8192, 4096), (multipliers{2, 1}));
  EXPECT_EQ(sized(*s, 12288, 4096), (multipliers{3, 1}));
  EXPECT_EQ(sized(*s, 8192, 8192), (multipliers{2, 2}));
  EXPECT_EQ(sized(*s, 65536, 65536), (multipliers{3, 2}));
}

TEST(SizeBuffers, SmallTilesTakeWhole64Bytes) {
  // Tiles of 24 bytes: two fit into the 64 bytes that one takes anyway, and five into 128.
  const auto s = std::make_unique<tw::schedule>();
  const tw::shape tile = tw::make_shape<6>();
  for (int i = 0; i < 2; ++i) {
    const tw::buffer_index b = add_buffer(*s, tile);
    s->add(fill(tw::unit::dma_in, tw::op::load, b, tile));
  }
  EXPECT_EQ(sized(*s, 128), (multipliers{2, 2}));
  EXPECT_EQ(sized(*s, 192), (multipliers{5, 2}));
  EXPECT_EQ(sized(*s, 256), (multipliers{5, 5}));
}

// ---- split_cores ----

/// A schedule of commands that share nothing.
struct independent_commands {
  std::unique_ptr<tw::schedule> all = std::make_unique<tw::schedule>();

  void add(std::int32_t issue_cycles) { add(tw::unit::se, 1024, issue_cycles); }
  void add(tw::unit where, std::int32_t elements, std::int32_t issue_cycles) {
    tw::shape tile;
    tile.rank = 1;
    tile[0] = elements;
    tw::step made = fill(where, tw::op::constant, add_buffer(*all, tile), tile);
    made.work.issue_cycles = issue_cycles;
    all->add(made);
  }
  void add_bracket(tw::step::kind what) {
    tw::step made;
    made.what = what;
    all->add(made);
  }
  /// The core of each command.
  std::vector<int> cores() const {
    const auto split = std::make_unique<tw::schedule>(tw::split_cores(*all, tw::mtia_2i));
    std::vector<int> found;
    for (const tw::step& at : split->steps) {
      if (at.what == tw::step::kind::command) found.push_back(at.core);
    }
    return found;
  }
};

TEST(SplitCores, TheHeaviestIsDealtFirst) {
  independent_commands commands;
  for (const std::int32_t cycles : {3, 10, 5, 8}) commands.add(cycles);
  // 10 to core 0, 8 to core 1, 5 to core 1 (8 < 10), 3 to core 0 (10 < 13): 13 on each.
  EXPECT_EQ(commands.cores(), (std::vector<int>{0, 0, 1, 1}));
}

TEST(SplitCores, VectorWorkCountsWhereItMustBe) {
  independent_commands commands;
  for (const std::int32_t cycles : {2, 9, 12}) commands.add(cycles);
  commands.add(tw::unit::vector, 160, 1);
  // 8 + 160 / 16 = 18 cycles on core 1. Then 12 and 9 to core 0 (12 < 18), and 2 to core 1.
  EXPECT_EQ(commands.cores(), (std::vector<int>{1, 0, 0, 1}));
}

TEST(SplitCores, CommandsInLoopsCountSixteenTimes) {
  independent_commands commands;
  commands.add(30);
  commands.add_bracket(tw::step::kind::loop);
  commands.add(2);
  commands.add_bracket(tw::step::kind::end_loop);
  commands.add(3);
  // 32 to core 0, 30 to core 1, 3 to core 1.
  EXPECT_EQ(commands.cores(), (std::vector<int>{1, 0, 1}));
}

TEST(SplitCores, TheReaderOfABufferIsOneCore) {
  // Two commands that read one buffer weigh 12 together, more than the 10 of the third.
  independent_commands commands;
  for (const std::int32_t cycles : {10, 6, 6}) commands.add(cycles);
  const tw::shape tile = tw::make_shape<1024>();
  const tw::buffer_index shared = add_buffer(*commands.all, tile);
  for (std::int32_t i = 1; i <= 2; ++i) {
    tw::operand& input = commands.all->steps[i].work.inputs[0];
    input = commands.all->steps[i].work.output;
    input.index = shared;
    input.advances = false;
  }
  EXPECT_EQ(commands.cores(), (std::vector<int>{1, 0, 0}));
}

}  // namespace
