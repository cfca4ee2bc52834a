// Each pass alone: graphs before and after, and that meaning is kept.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/ir/dump.hpp>
#include <tilewright/ir/verify.hpp>
#include <tilewright/kernels/gemm.hpp>
#include <tilewright/kernels/softmax.hpp>
#include <tilewright/kernels/vector_add.hpp>
#include <tilewright/launch/launch.hpp>
#include <tilewright/passes/pipeline.hpp>
#include <tilewright/program/dump.hpp>

#include "random_data.hpp"
#include "reference/interpreter.hpp"
#include "run_time.hpp"

namespace tw = tilewright;

namespace {

std::string text_of(const tw::graph& g) {
  std::string text;
  tw::dump(g, text);
  return text;
}

int count(const tw::graph& g, tw::op code) {
  int found = 0;
  for (const tw::node& n : g.nodes) found += n.code == code ? 1 : 0;
  return found;
}

tw::node_id find(const tw::graph& g, tw::op code, int nth = 0) {
  for (tw::node_id id = 0; id < g.size(); ++id) {
    if (g[id].code == code && nth-- == 0) return id;
  }
  return tw::no_node;
}

const tw::access& access_of(const tw::graph& g, tw::node_id id) {
  return g.accesses[static_cast<std::int32_t>(g[id].value)];
}

// ---- simplify ----

struct copies_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out) {
    auto first = tl.arange<8>();
    auto second = first;
    auto third = second;
    tl.store(out + third, tl.full<float, 8>(1.0f));
  }
};

TEST(Simplify, DropsCopies) {
  const auto g = std::make_unique<tw::graph>(tw::tests::trace_at_run_time<copies_kernel>());
  EXPECT_EQ(count(*g, tw::op::copy), 2);
  const auto simple = std::make_unique<tw::graph>(tw::simplify(*g));
  EXPECT_EQ(count(*simple, tw::op::copy), 0);
  EXPECT_FALSE(tw::verify(*simple));
}

struct constants_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int32_t> out) {
    auto seven = tl.full<std::int32_t>(3) * 2 + 1;
    auto same = tl.full<std::int32_t>(9) - 2;
    tl.store(out + 0, seven);
    tl.store(out + 1, same);
  }
};

TEST(Simplify, FoldsIntegerConstantsAndMergesThem) {
  const auto simple =
      std::make_unique<tw::graph>(tw::simplify(tw::tests::trace_at_run_time<constants_kernel>()));
  EXPECT_EQ(count(*simple, tw::op::mul) + count(*simple, tw::op::add) + count(*simple, tw::op::sub),
            0);
  const tw::node_id first = (*simple)[find(*simple, tw::op::store, 0)].operand(1);
  const tw::node_id second = (*simple)[find(*simple, tw::op::store, 1)].operand(1);
  EXPECT_EQ(first, second);
  EXPECT_EQ((*simple)[first].value, 7);
}

struct invariant_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int32_t> out, tw::i32 n, tw::i32 k) {
    for (auto i : tl.range(0, n)) {
      for (auto j : tl.range(0, n)) {
        tl.store(out + (i * k + j), n * k);
      }
    }
  }
};

TEST(Simplify, MovesInvariantScalarsOutOfLoops) {
  const auto simple =
      std::make_unique<tw::graph>(tw::simplify(tw::tests::trace_at_run_time<invariant_kernel>()));
  EXPECT_FALSE(tw::verify(*simple)) << text_of(*simple);
  const tw::node_map loops = tw::enclosing_loops(*simple);
  const tw::node_id outer = find(*simple, tw::op::loop, 0);
  for (tw::node_id id = 0; id < simple->size(); ++id) {
    const tw::node& n = (*simple)[id];
    if (n.code != tw::op::mul) continue;
    const bool of_arguments = n.type == tw::dtype::i32;  // n * k; the other is i * k in 64 bits
    EXPECT_EQ(loops[id], of_arguments ? tw::no_node : outer) << text_of(*simple);
  }
}

struct swap_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int32_t> out, tw::i32 n) {
    auto a = tl.full<std::int32_t>(0);
    auto b = tl.full<std::int32_t>(1);
    for (auto i : tl.range(0, n)) {
      static_cast<void>(i);
      auto t = a;
      a = b;
      b = t + b;
    }
    tl.store(out + 0, a);
  }
};

TEST(Simplify, KeepsTheCopyBetweenVariablesThatChangeTogether) {
  const auto simple =
      std::make_unique<tw::graph>(tw::simplify(tw::tests::trace_at_run_time<swap_kernel>()));
  EXPECT_FALSE(tw::verify(*simple)) << text_of(*simple);
  std::int32_t fibonacci = -1;
  const tw::argument arguments[] = {{tw::dtype::i32, true, &fibonacci, 1, 0},
                                    {tw::dtype::i32, false, nullptr, -1, 10}};
  tw::reference::interpret(*simple, tw::grid(1), arguments);
  EXPECT_EQ(fibonacci, 55);
}

// ---- find_structured_access ----

template <class K>
std::unique_ptr<tw::graph> structured() {
  return std::make_unique<tw::graph>(
      tw::find_structured_access(tw::simplify(tw::tests::trace_at_run_time<K>())));
}

TEST(FindStructuredAccess, RowMajorTileHasTheRowLengthAsStride) {
  const auto g = structured<tw::kernels::gemm<float, 32, 16, 8>>();
  EXPECT_FALSE(tw::verify(*g)) << text_of(*g);
  EXPECT_EQ(g->accesses.size(), 3);
  const tw::access& a = access_of(*g, find(*g, tw::op::load, 0));
  EXPECT_EQ((*g)[a.base].value, 0);
  // a[row, inner]: the stride along rows is k (parameter 5), along inner 1.
  const tw::node& row_stride = (*g)[a.strides[0]];
  ASSERT_EQ(row_stride.code, tw::op::cast);
  EXPECT_EQ((*g)[row_stride.operand(0)].value, 5);
  EXPECT_EQ((*g)[a.strides[1]].value, 1);
  EXPECT_EQ(count(*g, tw::op::add_pointer), 0) << "pointer arithmetic is dead";
}

struct gather_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const std::int32_t> index,
                             tw::ptr<const float> x, tw::ptr<float> out) {
    auto lane = tl.arange<8>();
    tl.store(out + lane, tl.load(x + tl.load(index + lane)));
  }
};

TEST(FindStructuredAccess, LeavesGathersAlone) {
  const auto g = structured<gather_kernel>();
  EXPECT_FALSE(tw::verify(*g));
  EXPECT_EQ((*g)[find(*g, tw::op::load, 0)].value, 0);
  EXPECT_EQ((*g)[find(*g, tw::op::load, 1)].value, -1);
  EXPECT_EQ(count(*g, tw::op::add_pointer), 1);
}

struct products_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::i32 s) {
    auto lane = tl.arange<4>();
    tl.store(out + ((7 - lane) * s + 3) * 2, tl.full<float, 4>(1.0f));
  }
};

TEST(FindStructuredAccess, DifferencesAndProductsWithScalars) {
  const auto g = structured<products_kernel>();
  const tw::access& a = access_of(*g, find(*g, tw::op::store));
  // Offset (7 s + 3) * 2, stride -2 s: evaluated for s = 5 by the interpreter's scalars.
  std::vector<float> memory(200, 0.0f);
  const tw::argument arguments[] = {{tw::dtype::f32, true, memory.data(), 200, 0},
                                    {tw::dtype::i32, false, nullptr, -1, 5}};
  tw::reference::machine evaluated(*g, tw::grid(1), arguments);
  evaluated.run(0);
  EXPECT_EQ(static_cast<std::int64_t>(evaluated.value(a.offset)(0)), (7 * 5 + 3) * 2);
  EXPECT_EQ(static_cast<std::int64_t>(evaluated.value(a.strides[0])(0)), -2 * 5);
  for (int lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(memory[static_cast<std::size_t>(((7 - lane) * 5 + 3) * 2)], 1.0f);
  }
}

struct quotient_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out) {
    auto lane = tl.arange<8>();
    tl.store(out + lane / 2 * 2 + lane % 2, tl.full<float, 8>(1.0f));
  }
};

TEST(FindStructuredAccess, QuotientsAreNotAffine) {
  const auto g = structured<quotient_kernel>();
  EXPECT_EQ((*g)[find(*g, tw::op::store)].value, -1);
}

/// Triton's way to walk along k: pointers that each iteration moves, here in two steps.
struct walk_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> out,
                             tw::i32 first, tw::i32 last, tw::i32 step, tw::i32 stride) {
    auto lane = tl.arange<4>();
    auto from = x + lane * 3;
    auto one = x + 1;
    auto sum = tl.zeros<float, 4>();
    for ([[maybe_unused]] auto i : tl.range(first, last, step)) {
      from += 2;
      sum += tl.load(from) + tl.load(one);
      from += lane * stride;
      one += stride;
    }
    tl.store(out + lane, sum);
  }
};
TEST(FindStructuredAccess, PointersThatALoopMoves) {
  const auto traced = std::make_unique<tw::graph>(tw::tests::trace_at_run_time<walk_kernel>());
  const auto g = structured<walk_kernel>();
  EXPECT_FALSE(tw::verify(*g)) << text_of(*g);
  EXPECT_EQ(count(*g, tw::op::add_pointer), 0) << text_of(*g);
  EXPECT_EQ(count(*g, tw::op::phi), 1) << "pointers are not carried any more: " << text_of(*g);
  std::vector<float> x = tw::tests::random_values<float>(500, 8);
  for (const auto& [first, last, step] :
       {std::array{0, 4, 1}, {3, 12, 2}, {10, -1, -3}, {5, 5, 1}}) {
    std::vector<float> expected(4, 0.0f);
    int done = 0;
    for (int i = first; step > 0 ? i < last : i > last; i += step, ++done) {
      for (std::size_t lane = 0; lane < 4; ++lane) {
        const auto moved = static_cast<std::size_t>(done);
        expected[lane] += x[lane * 3 + 2 * (moved + 1) + lane * 7 * moved] + x[1 + 7 * moved];
      }
    }
    for (const tw::graph* stage : {traced.get(), g.get()}) {
      std::vector<float> out(4, -1.0f);
      const auto bits = [](int value) { return static_cast<std::uint32_t>(value); };
      const tw::argument arguments[] = {{tw::dtype::f32, true, x.data(), 500, 0},
                                        {tw::dtype::f32, true, out.data(), 4, 0},
                                        {tw::dtype::i32, false, nullptr, -1, bits(first)},
                                        {tw::dtype::i32, false, nullptr, -1, bits(last)},
                                        {tw::dtype::i32, false, nullptr, -1, bits(step)},
                                        {tw::dtype::i32, false, nullptr, -1, 7}};
      tw::reference::interpret(*stage, tw::grid(1), arguments);
      EXPECT_EQ(out, expected) << first << " to " << last << " by " << step;
    }
  }
}

/// Pointers whose value is not known by counting: moved by what the loop computes, chosen, or used
/// when the loop is over.
struct wander_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> out, tw::i32 n) {
    auto lane = tl.arange<4>();
    auto growing = x + lane;
    auto after = out + lane;
    auto sum = tl.zeros<float, 4>();
    for (auto i : tl.range(n)) {
      sum += tl.load(growing);
      growing += i;
      after += 4;
    }
    tl.store(after, sum);
  }
};
TEST(FindStructuredAccess, PointersThatMoveOtherwiseStay) {
  const auto g = structured<wander_kernel>();
  EXPECT_FALSE(tw::verify(*g)) << text_of(*g);
  EXPECT_EQ((*g)[find(*g, tw::op::load)].value, -1);
  EXPECT_EQ((*g)[find(*g, tw::op::store)].value, -1);
  std::vector<float> x = tw::tests::random_values<float>(20, 9);
  std::vector<float> out(20, 0.0f);
  const tw::argument arguments[] = {{tw::dtype::f32, true, x.data(), 20, 0},
                                    {tw::dtype::f32, true, out.data(), 20, 0},
                                    {tw::dtype::i32, false, nullptr, -1, 4}};
  tw::reference::interpret(*g, tw::grid(1), arguments);
  for (std::size_t lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(out[16 + lane], x[lane] + x[lane] + x[lane + 1] + x[lane + 3]);
  }
}

// ---- propagate_extent ----

template <class K>
std::unique_ptr<tw::graph> extended() {
  return std::make_unique<tw::graph>(tw::propagate_extent(*structured<K>()));
}

TEST(PropagateExtent, VectorAddNeedsNoMaskAndNoFill) {
  const auto g = extended<tw::kernels::vector_add<float, 64>>();
  EXPECT_FALSE(tw::verify(*g)) << text_of(*g);
  EXPECT_EQ(count(*g, tw::op::lt), 0);
  const tw::access& x = access_of(*g, find(*g, tw::op::load));
  EXPECT_FALSE(x.masked);
  EXPECT_FALSE(x.fill);
  EXPECT_EQ((*g)[find(*g, tw::op::add)].extents[0] >= 0, true);
  // All four operations work on the same number of lanes.
  for (const tw::op code : {tw::op::load, tw::op::store}) {
    EXPECT_EQ((*g)[find(*g, code)].extents[0], x.extents[0]);
  }
}

/// A tile of a matrix whose strides and sizes come in one integer type or another.
template <class Stride, class Size>
struct tile_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> out,
                             Stride stride, Size rows, Size columns) {
    auto row = tl.col(tl.program_id(0) * 8 + tl.arange<8>());
    auto column = tl.row(tl.program_id(1) * 16 + tl.arange<16>());
    auto mask = row < rows && column < columns;
    tl.store(out + row * stride + column, tl.load(x + (row * stride + column), mask), mask);
  }
};
template <class Stride, class Size>
void expect_extents_only() {
  const auto g = extended<tile_kernel<Stride, Size>>();
  EXPECT_FALSE(tw::verify(*g)) << text_of(*g);
  EXPECT_EQ(count(*g, tw::op::lt), 0) << text_of(*g);
  for (const tw::op code : {tw::op::load, tw::op::store}) {
    const tw::node& n = (*g)[find(*g, code)];
    ASSERT_GE(n.value, 0) << "is not structured: " << text_of(*g);
    EXPECT_FALSE(access_of(*g, find(*g, code)).masked);
    EXPECT_NE(n.extents[0], tw::no_node);
    EXPECT_NE(n.extents[1], tw::no_node);
  }
}
TEST(PropagateExtent, StridesAndSizesMayBeOfAnySignedType) {
  expect_extents_only<tw::i32, tw::i32>();
  expect_extents_only<tw::i64, tw::i32>();
  expect_extents_only<tw::i32, tw::i64>();
  expect_extents_only<tw::i64, tw::i64>();
  expect_extents_only<tw::i16, tw::i8>();
}

TEST(PropagateExtent, SoftmaxShrinksTheMaximumButNotTheSum) {
  const auto g = extended<tw::kernels::softmax<64>>();
  EXPECT_FALSE(tw::verify(*g)) << text_of(*g);
  const tw::node& maximum = (*g)[find(*g, tw::op::reduce, 0)];
  const tw::node& sum = (*g)[find(*g, tw::op::reduce, 1)];
  EXPECT_NE(maximum.extents[0], tw::no_node) << "padding of -inf is combined once";
  EXPECT_EQ(sum.extents[0], tw::no_node) << "exp(-inf - max) need not be 0";
  EXPECT_TRUE(access_of(*g, find(*g, tw::op::load)).fill) << "exp sees the padding";
}

TEST(PropagateExtent, GemmStopsAtEachEdgeAndFillsNothing) {
  const auto g = extended<tw::kernels::gemm<float, 32, 32, 32>>();
  EXPECT_FALSE(tw::verify(*g)) << text_of(*g);
  const tw::node& dot = (*g)[find(*g, tw::op::dot)];
  for (int d = 0; d < 3; ++d) EXPECT_NE(dot.extents[d], tw::no_node) << text_of(*g);
  EXPECT_FALSE(access_of(*g, find(*g, tw::op::load, 0)).fill);
  EXPECT_FALSE(access_of(*g, find(*g, tw::op::load, 1)).fill);
}

struct padded_sum_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> out, tw::i32 n) {
    auto lane = tl.arange<16>();
    auto values = tl.load(x + lane, lane < n, 2.0f);
    tl.store(out + 0, tl.sum<0>(values));
  }
};

TEST(PropagateExtent, PaddingThatCountsIsKept) {
  const auto g = extended<padded_sum_kernel>();
  EXPECT_EQ((*g)[find(*g, tw::op::reduce)].extents[0], tw::no_node);
  EXPECT_TRUE(access_of(*g, find(*g, tw::op::load)).fill);
  std::vector<float> x(3, 1.0f);
  float sum = 0;
  const tw::argument arguments[] = {{tw::dtype::f32, true, x.data(), 3, 0},
                                    {tw::dtype::f32, true, &sum, 1, 0},
                                    {tw::dtype::i32, false, nullptr, -1, 3}};
  tw::reference::interpret(*g, tw::grid(1), arguments);
  EXPECT_EQ(sum, 3 * 1.0f + 13 * 2.0f);
}

struct two_sided_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> out, tw::i32 n) {
    auto lane = tl.arange<16>();
    auto index = lane - 4;
    tl.store(out + lane, tl.load(x + index, index >= 0 && index < n, 5.0f));
  }
};

TEST(PropagateExtent, MasksWithALowerBoundStayMasks) {
  const auto g = extended<two_sided_kernel>();
  EXPECT_FALSE(tw::verify(*g)) << text_of(*g);
  EXPECT_TRUE(access_of(*g, find(*g, tw::op::load)).masked);
  const auto placed = std::make_unique<tw::graph>(tw::assign_units(*g, tw::mtia_2i));
  EXPECT_EQ(placed->error.what, tw::code::unsupported_mask);
}

struct counting_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> out, tw::i32 n) {
    auto lane = tl.arange<8>();
    auto count = tl.full<std::int64_t>(0);
    auto sum = tl.zeros<float, 8>();
    for (auto i : tl.range(n)) {
      count += 1;
      sum = sum + tl.load(x + (i * 8 + lane));
    }
    tl.store(out + lane, sum, lane < count);
  }
};

TEST(PropagateExtent, CountsThatALoopLeavesSayNothingOfItsValues) {
  // The store's extent is the loop's result itself: inside of the loop that node is another number.
  auto g = structured<counting_kernel>();
  const tw::node_id store = find(*g, tw::op::store);
  tw::node_id count = find(*g, tw::op::phi);
  while ((*g)[count].type != tw::dtype::i64) ++count;
  ASSERT_EQ((*g)[count].code, tw::op::phi);
  (*g)[store].operands[2] = tw::no_node;
  g->accesses[static_cast<std::int32_t>((*g)[store].value)].extents[0] = count;
  const auto extended = std::make_unique<tw::graph>(tw::propagate_extent(*g));
  ASSERT_FALSE(tw::verify(*extended));
  const tw::node_id load = find(*extended, tw::op::load);
  EXPECT_EQ((*extended)[load].extents[0], tw::no_node);
  for (const tw::node& n : extended->nodes) {
    if (n.code != tw::op::add || n.dims.rank != 1) continue;
    EXPECT_EQ(n.extents[0], tw::no_node);
  }
}

struct gated_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> out, tw::i32 n,
                             tw::i32 flag) {
    auto lane = tl.arange<16>();
    auto mask = lane < n && flag != 0;
    tl.store(out + lane, tl.load(x + lane, mask) + 1.0f, mask);
  }
};

TEST(PropagateExtent, AScalarConditionGatesTheWholeTile) {
  const auto g = extended<gated_kernel>();
  EXPECT_FALSE(tw::verify(*g)) << text_of(*g);
  EXPECT_FALSE(access_of(*g, find(*g, tw::op::load)).masked);
  for (const std::uint64_t flag : {0u, 1u}) {
    std::vector<float> x(5, 1.0f);
    std::vector<float> out(5, -1.0f);
    const tw::argument arguments[] = {{tw::dtype::f32, true, x.data(), 5, 0},
                                      {tw::dtype::f32, true, out.data(), 5, 0},
                                      {tw::dtype::i32, false, nullptr, -1, 5},
                                      {tw::dtype::i32, false, nullptr, -1, flag}};
    tw::reference::interpret(*g, tw::grid(1), arguments);
    EXPECT_EQ(out, std::vector<float>(5, flag != 0 ? 2.0f : -1.0f));
  }
}

// ---- back passes ----

template <class K>
std::unique_ptr<tw::schedule> scheduled(const tw::device_spec& device = tw::mtia_2i) {
  const auto placed = std::make_unique<tw::graph>(tw::assign_units(*extended<K>(), device));
  const auto sized =
      std::make_unique<tw::schedule>(tw::size_buffers(tw::assign_buffers(*placed, device), device));
  return std::make_unique<tw::schedule>(tw::split_cores(tw::place_pointer_updates(*sized), device));
}

TEST(AssignUnits, FollowsTypesAndCapabilities) {
  const auto half = std::make_unique<tw::graph>(
      tw::assign_units(*extended<tw::kernels::gemm<tw::f16, 64, 64, 64>>(), tw::mtia_2i));
  EXPECT_EQ((*half)[find(*half, tw::op::dot)].where, tw::unit::dpe);
  const auto single = std::make_unique<tw::graph>(
      tw::assign_units(*extended<tw::kernels::gemm<float, 64, 64, 64>>(), tw::mtia_2i));
  EXPECT_EQ((*single)[find(*single, tw::op::dot)].where, tw::unit::vector)
      << "the DPE of this device takes no f32";
  tw::device_spec bare = tw::mtia_2i;
  bare.se_lanes = 0;
  const auto add = std::make_unique<tw::graph>(
      tw::assign_units(*extended<tw::kernels::vector_add<float, 64>>(), bare));
  EXPECT_EQ((*add)[find(*add, tw::op::add)].where, tw::unit::vector);
  bare.vector_core = bare.cores;
  const auto none = std::make_unique<tw::graph>(
      tw::assign_units(*extended<tw::kernels::vector_add<float, 64>>(), bare));
  EXPECT_EQ(none->error.what, tw::code::no_unit);
}

TEST(AssignBuffers, AccumulatorOfTheDpeStaysInTheReductionEngine) {
  const auto s = scheduled<tw::kernels::gemm<tw::f16, 64, 64, 64>>();
  ASSERT_FALSE(s->error);
  int in_re = 0;
  for (const tw::buffer& b : s->buffers) in_re += b.space == tw::memory_space::re ? 1 : 0;
  EXPECT_EQ(in_re, 1);
  // clear, two loads, dot, drain, store
  int commands = 0;
  for (const tw::step& at : s->steps) commands += at.what == tw::step::kind::command ? 1 : 0;
  EXPECT_EQ(commands, 6);
}

TEST(SizeBuffers, GrowsToFillLocalMemoryAndNoFurther) {
  tw::device_spec device = tw::mtia_2i;
  for (const std::int64_t bytes : {3 * 4096, 4 * 4096, 6 * 4096, 10 * 4096, 393216}) {
    device.local_bytes = bytes;
    const auto s = scheduled<tw::kernels::vector_add<float, 1024>>(device);
    ASSERT_FALSE(s->error) << bytes;
    std::int64_t used = 0;
    for (const tw::buffer& b : s->buffers) {
      EXPECT_GE(b.multiplier, 1);
      EXPECT_LE(b.multiplier, tw::most_tiles_ahead);
      EXPECT_EQ(b.offset, used);
      used += b.bytes();
    }
    EXPECT_LE(used, bytes);
    if (bytes >= 6 * 4096) {
      for (const tw::buffer& b : s->buffers) EXPECT_GE(b.multiplier, 2);
    }
  }
  device.local_bytes = 3 * 4096 - 1;
  const auto s = scheduled<tw::kernels::vector_add<float, 1024>>(device);
  EXPECT_EQ(s->error.what, tw::code::local_memory);
  EXPECT_EQ(s->error.need, 3 * 4096);
  EXPECT_EQ(s->error.have, 3 * 4096 - 1);
}

TEST(AssignBuffers, CountsCircularBuffers) {
  tw::device_spec device = tw::mtia_2i;
  device.circular_buffers = 2;
  const auto s = scheduled<tw::kernels::vector_add<float, 1024>>(device);
  EXPECT_EQ(s->error.what, tw::code::too_many_buffers);
  EXPECT_EQ(s->error.need, 3);
  EXPECT_EQ(s->error.have, 2);
}

/// Walks the steps in program order (loops twice) and checks that every buffer is a balanced queue:
/// reads find a tile, pushes find room, and nothing is left at the end.
void expect_balanced(const tw::schedule& s) {
  std::vector<int> fill(static_cast<std::size_t>(s.buffers.size()), 0);
  const auto run = [&](auto&& self, std::int32_t from, std::int32_t to) -> void {
    for (std::int32_t i = from; i < to; ++i) {
      const tw::step& at = s.steps[i];
      if (at.what == tw::step::kind::loop) {
        std::int32_t end = i + 1;
        for (int depth = 1; depth > 0; ++end) {
          depth += s.steps[end].what == tw::step::kind::loop ? 1 : 0;
          depth -= s.steps[end].what == tw::step::kind::end_loop ? 1 : 0;
        }
        self(self, i + 1, end - 1);
        self(self, i + 1, end - 1);
        i = end - 1;
        continue;
      }
      if (at.what == tw::step::kind::release) {
        EXPECT_GT(fill[static_cast<std::size_t>(at.released)], 0);
        --fill[static_cast<std::size_t>(at.released)];
        continue;
      }
      for (const tw::operand& input : at.work.inputs) {
        if (input.from != tw::operand::source::buffer) continue;
        EXPECT_GT(fill[static_cast<std::size_t>(input.index)], input.ahead)
            << "line " << at.work.line;
      }
      for (const tw::operand& input : at.work.inputs) {
        if (input.from == tw::operand::source::buffer && input.advances) {
          --fill[static_cast<std::size_t>(input.index)];
        }
      }
      const tw::operand& output = at.work.output;
      if (output.from == tw::operand::source::buffer && output.advances) {
        int& tiles = fill[static_cast<std::size_t>(output.index)];
        ++tiles;
        EXPECT_LE(tiles, s.buffers[output.index].multiplier) << "line " << at.work.line;
      }
    }
  };
  run(run, 0, s.steps.size());
  for (const int tiles : fill) EXPECT_EQ(tiles, 0);
}

struct online_softmax_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> out, tw::i32 n) {
    auto lane = tl.arange<32>();
    auto largest = tl.full<float>(-1e30f);
    auto total = tl.zeros<float>();
    for (auto start : tl.range(0, n, 32)) {
      auto values = tl.load(x + (start + lane), start + lane < n, -1e30f);
      auto next = tl.maximum(largest, tl.max<0>(values));
      total = total * tl.exp(largest - next) + tl.sum<0>(tl.exp(values - next));
      largest = next;
    }
    for (auto start : tl.range(0, n, 32)) {
      auto mask = start + lane < n;
      auto values = tl.load(x + (start + lane), mask);
      tl.store(out + (start + lane), tl.exp(values - largest) / total, mask);
    }
  }
};

TEST(PlacePointerUpdates, QueuesAreBalanced) {
  expect_balanced(*scheduled<tw::kernels::vector_add<float, 64>>());
  expect_balanced(*scheduled<tw::kernels::softmax<64>>());
  expect_balanced(*scheduled<tw::kernels::gemm<tw::f16, 64, 64, 64>>());
  expect_balanced(*scheduled<tw::kernels::gemm<float, 64, 64, 64>>());
  expect_balanced(*scheduled<online_softmax_kernel>());
}

TEST(SplitCores, OneCoreReadsAndOneWritesEachBuffer) {
  for (const auto& s : {scheduled<tw::kernels::softmax<64>>(), scheduled<online_softmax_kernel>(),
                        scheduled<tw::kernels::gemm<tw::f16, 64, 64, 64>>()}) {
    ASSERT_FALSE(s->error);
    for (std::int32_t b = 0; b < s->buffers.size(); ++b) {
      const auto index = static_cast<tw::buffer_index>(b);
      int reader = -1;
      int writer = -1;
      for (const tw::step& at : s->steps) {
        if (at.what == tw::step::kind::command && tw::reads(at.work, index)) {
          EXPECT_TRUE(reader < 0 || reader == at.core);
          reader = at.core;
        }
        if (at.what == tw::step::kind::command && tw::writes(at.work, index)) {
          EXPECT_TRUE(writer < 0 || writer == at.core);
          writer = at.core;
        }
      }
    }
  }
}

TEST(SplitCores, VectorWorkIsOnTheVectorCore) {
  const auto s = scheduled<tw::kernels::gemm<float, 64, 64, 64>>();
  bool both[2] = {};
  for (const tw::step& at : s->steps) {
    if (at.what != tw::step::kind::command) continue;
    both[at.core] = true;
    EXPECT_TRUE(at.work.where != tw::unit::vector || at.core == tw::mtia_2i.vector_core);
  }
  EXPECT_TRUE(both[0] && both[1]);
}

// ---- run time and compile time ----

template <class K>
void expect_one_program() {
  const auto made = std::make_unique<tw::command_program>(
      tw::compile(tw::tests::trace_at_run_time<K>(), tw::mtia_2i));
  ASSERT_FALSE(made->error);
  // The text has every register, operand and line.
  std::string text, constant;
  tw::dump(*made, text);
  tw::dump(tw::program<K, tw::mtia_2i>, constant);
  EXPECT_EQ(text, constant);
}

/// Operands and arguments that a compiler may evaluate in any order, loads among them.
struct unordered_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> y, tw::i32 n,
                             tw::i32 m) {
    auto lane = tl.arange<64>();
    auto sum = tl.load(x + (lane + n * m), lane < m - n, 0.0f) *
               (tl.load(x + (lane * n), lane < m) - tl.load(x + (lane - (n - m))));
    tl.store(y + (lane + (n + m) * 2), sum + tl.exp(sum) * tl.max<0>(sum), lane + n < m * 2);
  }
};

TEST(Pipeline, RunTimeAndCompileTimeAgree) {
  expect_one_program<tw::kernels::gemm<tw::f16, 64, 64, 64>>();
  expect_one_program<tw::kernels::softmax<64>>();
  expect_one_program<unordered_kernel>();
}

}  // namespace
