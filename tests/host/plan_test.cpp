// What the plan decides: where values are computed, what is kept, what is copied.
#include <gtest/gtest.h>

#include <cstdint>
#include <tilewright/host/planner.hpp>
#include <tilewright/kernels/gemm.hpp>
#include <tilewright/kernels/softmax.hpp>
#include <tilewright/kernels/vector_add.hpp>
#include <tilewright/passes/middle.hpp>
#include <vector>

namespace tilewright {
namespace {

template <class K>
struct planned {
  static constexpr const graph& g = middle<K>::extended;
  static constexpr detail::tile_choice<g.size()> choice{g};
  static constexpr detail::plan<g.size()> p = detail::make_plan(g, choice);
};

template <class Code>
std::vector<const detail::plan_step*> steps_of(detail::step_code code) {
  std::vector<const detail::plan_step*> found;
  for (int s = 0; s < Code::p.step_count; ++s) {
    if (Code::p.steps[s].code == code) found.push_back(&Code::p.steps[s]);
  }
  return found;
}
/// Tiles with memory of their own.
template <class Code>
int separate_tiles() {
  int count = 0;
  for (int t = 0; t < Code::p.tile_count; ++t) count += Code::p.tiles[t].storage == t;
  return count;
}

TEST(HostPlan, VectorAddIsOneLoop) {
  using code = planned<kernels::vector_add<float, 1024>>;
  EXPECT_TRUE(steps_of<code>(detail::step_code::materialize).empty());
  const auto stores = steps_of<code>(detail::step_code::store);
  ASSERT_EQ(stores.size(), 1u);
  // Two loads and their sum; the other form is for results that overlap the operands.
  EXPECT_EQ(code::p.nests[stores[0]->nest].count, 3);
  EXPECT_GE(stores[0]->safe_store, 0);
  EXPECT_EQ(code::p.scratch_bytes, (1024 + 16) * 4);
}

TEST(HostPlan, SoftmaxComputesEachExponentialOnce) {
  using code = planned<kernels::softmax<1024>>;
  // The sum's loops keep what they add; the row itself is read again, not copied.
  EXPECT_TRUE(steps_of<code>(detail::step_code::materialize).empty());
  const auto reductions = steps_of<code>(detail::step_code::reduce);
  ASSERT_EQ(reductions.size(), 2u);
  EXPECT_EQ(reductions[0]->kept, -1);
  EXPECT_GE(reductions[1]->kept, 0);
  // Behind the row's end one vector is computed for all.
  EXPECT_NE(code::p.nests[reductions[1]->nest].uniform_after, no_node);
  EXPECT_FALSE(code::p.tiles[reductions[1]->kept].read_behind);
  // The result does not overlap the scratch memory that it is made of.
  EXPECT_EQ(steps_of<code>(detail::step_code::store)[0]->safe_store, -1);
}

TEST(HostPlan, MatrixProductAccumulatesInPlace) {
  using code = planned<kernels::gemm<float, 64, 64, 32>>;
  const auto dots = steps_of<code>(detail::step_code::dot);
  ASSERT_EQ(dots.size(), 1u);
  EXPECT_EQ(dots[0]->nest, -1) << "the accumulator is copied";
  ASSERT_EQ(code::p.phi_count, 1);
  EXPECT_EQ(code::p.phis[0].next, -1) << "the accumulator is copied";
  EXPECT_EQ(separate_tiles<code>(), 3);  // left, right, accumulator
  EXPECT_EQ(steps_of<code>(detail::step_code::materialize).size(), 2u);
}

struct reads_later {
  static constexpr void body(lang& tl, ptr<float> x, ptr<float> y) {
    auto lane = tl.arange<64>();
    auto value = tl.load(x + lane);
    tl.store(y + lane, value);
    tl.store(y + lane + 64, value);
  }
};
TEST(HostPlan, ALoadDoesNotMovePastAStore) {
  using code = planned<reads_later>;
  ASSERT_EQ(steps_of<code>(detail::step_code::materialize).size(), 1u);
  for (const auto* store : steps_of<code>(detail::step_code::store)) {
    EXPECT_EQ(store->safe_store, -1);
  }
}

struct tiles_one_after_the_other {
  static constexpr void body(lang& tl, ptr<const std::int32_t> x, ptr<float> y) {
    auto lane = tl.arange<512>();
    auto value = tl.load(y + lane);
    for (int i = 0; i < 10; ++i) value = tl.load(y + (tl.load(x + value.to<std::int32_t>()) + i));
    tl.store(y + lane, value);
  }
};
TEST(HostPlan, TilesShareMemoryWhenOneIsDone) {
  using code = planned<tiles_one_after_the_other>;
  EXPECT_GE(code::p.tile_count, 20);
  EXPECT_LE(code::p.scratch_bytes, 4 * (512 + 16) * 4);
}

struct nine_hundred_nodes {
  static constexpr void body(lang& tl, ptr<float> y) {
    auto lane = tl.arange<32>();
    auto value = tl.load(y + lane);
    auto sum = value;
    for (int i = 0; i < 300; ++i) sum = tl.maximum(sum * 0.5f, value + static_cast<float>(i));
    tl.store(y + lane, sum);
  }
};
struct nine_hundred_nodes_as_traced {
  static constexpr graph g = trace<nine_hundred_nodes>();
  static constexpr detail::tile_choice<g.size()> choice{g};
  static constexpr detail::plan<g.size()> p = detail::make_plan(g, choice);
};
TEST(HostPlan, LongExpressionsAreCut) {
  using code = nine_hundred_nodes_as_traced;
  EXPECT_FALSE(code::p.too_large);
  EXPECT_GT(code::g.size(), 900);
  for (int n = 0; n < code::p.nest_count; ++n) {
    EXPECT_LE(code::p.nests[n].count, detail::max_nest_values);
  }
}

}  // namespace
}  // namespace tilewright
