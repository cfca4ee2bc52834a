// From kernels to graphs: nodes, types, lines, addresses and errors.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <reference/interpreter.hpp>
#include <tilewright/ir/verify.hpp>
#include <tilewright/lang/trace.hpp>

#include "lang/stages.hpp"

namespace tilewright {
namespace {

template <class K>
std::unique_ptr<graph> traced() {
  return std::make_unique<graph>(tests::trace_at_run_time<K>());
}

std::vector<node_id> nodes_of(const graph& g, op code) {
  std::vector<node_id> found;
  for (node_id id = 0; id < g.size(); ++id) {
    if (g[id].code == code) found.push_back(id);
  }
  return found;
}
const node& only(const graph& g, op code) {
  const std::vector<node_id> found = nodes_of(g, code);
  EXPECT_EQ(found.size(), 1u) << name_of(code);
  return g[found.at(0)];
}

struct parameters {
  static constexpr void body(lang& tl, ptr<const f16> in, ptr<double> out, i64 count, i1 flag) {
    tl.store(out, tl.load(in), flag && count > 3);
  }
};

TEST(Trace, ParametersInOrder) {
  const auto g = traced<parameters>();
  ASSERT_EQ(g->argument_count, 4);
  const std::vector<node_id> found = nodes_of(*g, op::argument);
  ASSERT_EQ(found.size(), 4u);
  const dtype types[] = {dtype::f16, dtype::f64, dtype::i64, dtype::i1};
  for (int i = 0; i < 4; ++i) {
    const node& n = (*g)[found[static_cast<std::size_t>(i)]];
    EXPECT_EQ(n.value, i);
    EXPECT_EQ(n.type, types[i]);
    EXPECT_EQ(n.pointer, i < 2);
    EXPECT_EQ(n.writable, i == 1);
    EXPECT_TRUE(n.is_scalar());
  }
}

struct operations {
  static constexpr void body(lang& tl, ptr<const float> in, ptr<std::int16_t> out) {
    auto row = tl.program_id(1);
    auto cols = tl.arange<4, 12>();
    auto x = tl.load(in + cols, cols > 5, 2.5f);
    auto y = tl.expand_dims<1>(x) * tl.row(x);
    auto z = tl.max<1>(y);
    tl.store(out + cols, z + row, cols < tl.num_programs(2));
  }
};

TEST(Trace, NodesCarryWhatTheCallsSay) {
  const auto g = traced<operations>();
  ASSERT_FALSE(verify(*g));
  EXPECT_EQ(only(*g, op::program_id).value, 1);
  EXPECT_EQ(only(*g, op::num_programs).value, 2);
  for (const node_id id : nodes_of(*g, op::arange)) {
    EXPECT_EQ((*g)[id].value, 4);
    EXPECT_EQ((*g)[id].dims, (make_shape<8>()));
  }
  const node& load = only(*g, op::load);
  EXPECT_EQ(load.type, dtype::f32);
  EXPECT_EQ(load.dims, (make_shape<8>()));
  EXPECT_EQ((*g)[load.operand(1)].code, op::gt);
  EXPECT_EQ((*g)[load.operand(2)].value, to_bits(2.5f));
  EXPECT_EQ(load.value, -1) << "no structured access yet";
  const std::vector<node_id> expanded = nodes_of(*g, op::expand_dims);
  ASSERT_EQ(expanded.size(), 2u);
  EXPECT_EQ((*g)[expanded[0]].dims, (make_shape<8, 1>()));
  EXPECT_EQ((*g)[expanded[1]].dims, (make_shape<1, 8>()));
  EXPECT_EQ(only(*g, op::mul).dims, (make_shape<8, 8>())) << "operands broadcast implicitly";
  const node& reduce = only(*g, op::reduce);
  EXPECT_EQ(reduce.combine, op::maximum);
  EXPECT_EQ(reduce.value, 1);
  EXPECT_EQ(reduce.dims, (make_shape<8>()));
  const node& store = only(*g, op::store);
  EXPECT_EQ(store.type, dtype::i16);
  EXPECT_EQ((*g)[store.operand(1)].code, op::cast) << "the value takes the pointers' type";
  EXPECT_EQ((*g)[store.operand(2)].code, op::lt);
}

constexpr int first_line = __LINE__;
struct lines {
  static constexpr void body(lang& tl, ptr<const float> in, ptr<float> out) {
    auto offsets = tl.arange<4>();   // first_line + 3
    auto x = tl.load(in + offsets);  // + 4
    auto y = tl.exp(x);              // + 5
    auto z = x * y;                  // operators take the latest line of their operands
    tl.store(out + offsets, z);      // + 7
  }
};

TEST(Trace, NodesNameTheirSourceLines) {
  const auto g = traced<lines>();
  EXPECT_EQ(only(*g, op::load).line, first_line + 4);
  EXPECT_EQ(only(*g, op::exp).line, first_line + 5);
  EXPECT_EQ(only(*g, op::mul).line, first_line + 5);
  EXPECT_EQ(only(*g, op::store).line, first_line + 7);
  for (const node_id id : nodes_of(*g, op::arange)) EXPECT_EQ((*g)[id].line, first_line + 3);
}

struct nested {
  static constexpr void body(lang& tl, ptr<float> out, i32 n) {
    auto total = tl.zeros<float, 4>();
    for (auto i : tl.range(n)) {
      auto inner = tl.full<float, 4>(1.0f);
      for (auto j : tl.range(i, n)) inner = inner + j;
      total = total + inner;
    }
    tl.store(out + tl.arange<4>(), total);
  }
};

TEST(Trace, LoopsAreFollowedByTheirRunningValueAndPhis) {
  const auto g = traced<nested>();
  ASSERT_FALSE(verify(*g));
  const std::vector<node_id> loops = nodes_of(*g, op::loop);
  ASSERT_EQ(loops.size(), 2u);
  for (const node_id loop : loops) {
    EXPECT_EQ((*g)[loop + 1].code, op::induction);
    int phis = 0;
    for_each_phi(*g, loop, [&](node_id phi) {
      ++phis;
      EXPECT_EQ((*g)[phi].operand(2), loop);
      EXPECT_EQ((*g)[phi].dims, (make_shape<4>()));
    });
    EXPECT_EQ(phis, 1) << "one variable is carried in each loop";
    const node& end = (*g)[static_cast<node_id>((*g)[loop].value)];
    EXPECT_EQ(end.code, op::end_loop);
    EXPECT_EQ(end.operand(0), loop);
  }
  // The outer phi starts at the zeros and is what is stored.
  const node& outer = (*g)[loops[0] + 2];
  EXPECT_EQ((*g)[outer.operand(0)].code, op::constant);
  EXPECT_EQ(only(*g, op::store).operand(1), loops[0] + 2);
}

template <int... Dims>
struct shapes {
  static constexpr void body(lang& tl, ptr<float> out) {
    tl.store(out + tl.zeros<std::int32_t, Dims...>(), 1.0f);
  }
};

TEST(Trace, BlocksOfEveryRank) {
  EXPECT_EQ(only(*traced<shapes<>>(), op::store).dims, make_shape<>());
  EXPECT_EQ(only(*traced<shapes<3>>(), op::store).dims, make_shape<3>());
  EXPECT_EQ(only(*traced<shapes<1, 3, 2, 7, 5>>(), op::store).dims, (make_shape<1, 3, 2, 7, 5>()));
}

// ---- compile time and run time ----

bool equal(const graph& a, const graph& b) {
  if (a.size() != b.size() || a.argument_count != b.argument_count) return false;
  for (node_id id = 0; id < a.size(); ++id) {
    const node& x = a[id];
    const node& y = b[id];
    bool same = x.code == y.code && x.combine == y.combine && x.type == y.type &&
                x.pointer == y.pointer && x.writable == y.writable && x.line == y.line &&
                x.value == y.value && x.dims == y.dims;
    for (int i = 0; i < max_operands; ++i) same = same && x.operand(i) == y.operand(i);
    if (!same) return false;
  }
  return true;
}

template <class K>
struct at_compile_time {
  static constexpr graph value = trace<K>();
};

/// Expressions whose operands and arguments C++ may evaluate in any order.
struct many_operands {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<float> out, i32 n, i32 m) {
    auto rows = tl.arange<8>();
    auto at = tl.col(rows) * n + tl.row(rows) * m;
    auto tile = tl.load(x + at, tl.col(rows) < m && tl.row(rows) < n, 1.5f) *
                (tl.load(x + (at + n * m)) - tl.load(x + (n - at)));
    tl.store(out + (at + (n * 3 - m)), tl.where(tile > tl.load(x + n), tile * 2.0f, tl.exp(tile)),
             tl.row(rows) + n < m * 2 || tl.col(rows) < 3);
    for (auto i : tl.range(n - 1, m + n)) {
      tile = tl.dot(tile + i, tl.load(x + (at + i)) - 1.0f, tile * tl.sum<0>(tl.load(x + rows)));
    }
    tl.store(out + at, tile + tl.load(x + (m + n)));
  }
};

TEST(Trace, RunTimeEqualsCompileTime) {
  EXPECT_TRUE(equal(at_compile_time<operations>::value, *traced<operations>()));
  EXPECT_TRUE(equal(at_compile_time<nested>::value, *traced<nested>()));
  EXPECT_TRUE(equal(at_compile_time<many_operands>::value, *traced<many_operands>()));
  EXPECT_TRUE(equal(at_compile_time<lines>::value, *traced<lines>()));
  EXPECT_FALSE(equal(at_compile_time<nested>::value, *traced<operations>()));
}

// ---- addresses in 64 bits (cases O1 and O2) ----
// Nothing is allocated: a false mask keeps the loads from reading, and the addresses are looked at.

argument fake_pointer(dtype type) {
  argument bound;
  bound.type = type;
  bound.pointer = true;
  bound.address = reinterpret_cast<void*>(std::uintptr_t{0x10000});
  return bound;
}

/// Offset in elements that the only load of `K` would read at, in each stage up to the pass that
/// replaces pointers. Index and stride are 32-bit arguments.
template <class K>
void expect_offset(std::int32_t index, std::int32_t stride, std::int64_t want) {
  const auto all = tests::stages<K>();
  for (std::size_t stage = 0; stage < 2; ++stage) {
    const graph& g = *all[stage].second;
    const argument bound[] = {fake_pointer(dtype::f32), tests::bind(index), tests::bind(stride)};
    reference::machine runner(g, grid(1), bound);
    runner.run(0);
    const std::uint64_t offset = runner.value(only(g, op::load).operand(0))[0];
    EXPECT_EQ(static_cast<std::int64_t>(offset), want) << all[stage].first;
  }
}

struct product_offset {
  static constexpr void body(lang& tl, ptr<float> x, i32 index, i32 stride) {
    tl.store(x, tl.load(x + index * stride, index < 0), index < 0);
  }
};
struct block_offset {
  static constexpr void body(lang& tl, ptr<float> x, i32 index, i32 stride) {
    auto rows = index + tl.arange<2>();
    auto none = tl.zeros<bool, 2>();
    tl.store(x + rows, tl.load(x + (rows * stride - 1 + 1), none), none);
  }
};
constexpr i32 row_start(const i32& index, i32 stride) { return index * stride; }
struct offset_from_a_helper {
  static constexpr void body(lang& tl, ptr<float> x, i32 index, i32 stride) {
    auto start = row_start(index, stride);
    tl.store(x, tl.load(x + start, index < 0), index < 0);
  }
};
struct selected_offset {
  static constexpr void body(lang& tl, ptr<float> x, i32 index, i32 stride) {
    auto offset = tl.where(index > 0, index * stride, 0);
    offset = tl.maximum(offset, 0);
    tl.store(x, tl.load(x + offset, index < 0), index < 0);
  }
};
struct divided_offset {
  static constexpr void body(lang& tl, ptr<float> x, i32 index, i32 stride) {
    tl.store(x, tl.load(x + index / 2 * 2 * stride + index % 2 * stride, index < 0), index < 0);
  }
};
struct offset_after_a_loop {
  static constexpr void body(lang& tl, ptr<float> x, i32 index, i32 stride) {
    auto row = index - 3;
    for ([[maybe_unused]] auto i : tl.range(3)) row = row + 1;
    tl.store(x, tl.load(x + row * stride, index < 0), index < 0);
  }
};

template <class K>
void expect_wide_offsets() {
  expect_offset<K>(16384, 131072, 2147483648);
  expect_offset<K>(18869767, 128, 2415330176);
  expect_offset<K>(319, 7864320, 2508718080);
  expect_offset<K>(6, 7, 42);
}

TEST(Addresses, ProductsDoNotWrap) {
  expect_wide_offsets<product_offset>();
  expect_wide_offsets<block_offset>();
  expect_wide_offsets<offset_from_a_helper>();
  expect_wide_offsets<selected_offset>();
  expect_wide_offsets<divided_offset>();
  expect_wide_offsets<offset_after_a_loop>();
}

// Nor do products that turn to 64 bits behind them.
struct promoted_offset {
  static constexpr void body(lang& tl, ptr<float> x, i32 index, i32 stride) {
    auto long_one = tl.full<std::int64_t, 1>(1);
    auto none = tl.zeros<bool, 1>();
    auto offset = index * stride * long_one - long_one + 1;
    tl.store(x + offset, tl.load(x + offset, none), none);
  }
};
struct promoted_unsigned_offset {
  static constexpr void body(lang& tl, ptr<float> x, u32 index, u32 stride) {
    auto long_one = tl.full<std::uint64_t, 1>(1);
    auto none = tl.zeros<bool, 1>();
    auto offset = index * stride * long_one;
    tl.store(x + offset, tl.load(x + offset, none), none);
  }
};
TEST(Addresses, ProductsThatArePromotedDoNotWrap) {
  expect_wide_offsets<promoted_offset>();
  const auto g = traced<promoted_unsigned_offset>();
  const argument bound[] = {fake_pointer(dtype::f32), tests::bind(std::uint32_t{1} << 20),
                            tests::bind(std::uint32_t{1} << 20)};
  reference::machine runner(*g, grid(1), bound);
  runner.run(0);
  // Unsigned products wrap by definition.
  EXPECT_EQ(runner.value(only(*g, op::load).operand(0))[0], 0u);
}

/// Pointers minus offsets of all kinds, and offsets plus pointers.
struct backwards {
  static constexpr void body(lang& tl, ptr<float> x, i32 index, i32 stride) {
    auto end = 5 + (index * stride * 2 + x);
    auto start = end - index * stride;
    start -= 7;
    start += 2;
    tl.store(x, tl.load(start, index < 0), index < 0);
  }
};
struct unsigned_backwards {
  static constexpr void body(lang& tl, ptr<float> x, u32 offset) {
    tl.store(x, tl.load(x - offset - 2u, offset < 0u), offset < 0u);
  }
};
TEST(Addresses, PointersMoveBackwards) {
  expect_wide_offsets<backwards>();
  const auto g = traced<unsigned_backwards>();
  const argument bound[] = {fake_pointer(dtype::f32), tests::bind(std::uint32_t{0xfffffff0u})};
  reference::machine runner(*g, grid(1), bound);
  runner.run(0);
  EXPECT_EQ(runner.value(only(*g, op::load).operand(0))[0], -0xfffffff2ull);
}

// An unsigned offset narrower than 64 bits extends with zeros.
struct unsigned_offset {
  static constexpr void body(lang& tl, ptr<float> x, u32 offset) {
    tl.store(x, tl.load(x + offset, offset < 0u), offset < 0u);
  }
};

TEST(Addresses, UnsignedOffsetsExtendWithZeros) {
  const auto g = traced<unsigned_offset>();
  const argument bound[] = {fake_pointer(dtype::f32), tests::bind(std::uint32_t{0xfffffff0u})};
  reference::machine runner(*g, grid(1), bound);
  runner.run(0);
  EXPECT_EQ(runner.value(only(*g, op::load).operand(0))[0], 0xfffffff0ull);
}

// The mask of a program far out is false, not wrapped to a negative and true.
template <class Length>
struct far_out {
  static constexpr void body(lang& tl, ptr<float> x, Length n) {
    auto offsets = tl.program_id(0) * 1024 + tl.arange<1024>();
    tl.store(x + offsets, 1.0f, offsets < n);
  }
};

template <class Length, class Number>
void expect_false_masks(Number n) {
  const auto g = traced<far_out<Length>>();
  const argument bound[] = {fake_pointer(dtype::f32), tests::bind(n)};
  reference::machine runner(*g, grid((std::int64_t{1} << 21) + 1), bound);
  runner.run(std::int64_t{1} << 21);  // would write to the fake address
  for (const std::uint64_t lane : runner.value(only(*g, op::store).operand(2))) {
    ASSERT_EQ(lane, 0u);
  }
}
TEST(Addresses, MasksOfLargeIndicesDoNotWrap) {
  expect_false_masks<i32>(std::numeric_limits<std::int32_t>::max());
  expect_false_masks<i64>(std::int64_t{std::numeric_limits<std::int32_t>::max()});
}

// ---- what tracing itself rejects ----

constexpr int error_line = __LINE__;
struct left_by_break {
  static constexpr void body(lang& tl, ptr<float> out) {
    for (auto i : tl.range(4)) {  // error_line + 3
      tl.store(out + i, 1.0f);
      break;
    }
  }
};
struct left_by_return {
  static constexpr void body(lang& tl, ptr<float> out) {
    for (auto i : tl.range(4)) {  // + 11
      tl.store(out + i, 1.0f);
      return;
    }
  }
};
struct zero_step {
  static constexpr void body(lang& tl, ptr<float> out) {
    for (auto i : tl.range(0, 4, 0)) tl.store(out + i, 1.0f);  // + 19
  }
};
struct literal_range {
  static constexpr void body(lang& tl, ptr<std::uint8_t> out) {
    tl.store(out, tl.add(tl.load(out), 256));  // + 24
  }
};
struct negative_literal {
  static constexpr void body(lang& tl, ptr<std::uint8_t> out) {
    tl.store(out, tl.add(tl.load(out), -1));  // + 29
  }
};
struct no_such_axis {
  static constexpr void body(lang& tl, ptr<std::int32_t> out) {
    tl.store(out, tl.program_id(3));  // + 34
  }
};
template <int Levels>
struct too_many_nodes {
  static constexpr void fill(lang& tl, ptr<float>& out, block<float, 4>& x, int levels) {
    if (levels == 0) {
      for (int i = 0; i < TILEWRIGHT_MAX_NODES; ++i) x = tl.exp(x);
      return;
    }
    for ([[maybe_unused]] auto i : tl.range(4)) fill(tl, out, x, levels - 1);
    x = x + 1.0f;
  }
  static constexpr void body(lang& tl, ptr<float> out) {
    auto x = tl.zeros<float, 4>();
    fill(tl, out, x, Levels);
    tl.store(out + tl.arange<4>(), x);
  }
};

template <class K>
void expect_error(code what, int line) {
  const auto g = traced<K>();
  EXPECT_EQ(g->error.what, what) << sentence_of(g->error.what);
  EXPECT_EQ(g->error.line, line);
}

TEST(TraceErrors, NameTheLine) {
  expect_error<left_by_break>(code::loop_left_open, error_line + 3);
  expect_error<left_by_return>(code::loop_left_open, error_line + 11);
  expect_error<zero_step>(code::zero_step, error_line + 19);
  expect_error<literal_range>(code::literal_range, error_line + 24);
  expect_error<negative_literal>(code::literal_range, error_line + 29);
  expect_error<no_such_axis>(code::no_such_axis, error_line + 34);
}

TEST(TraceErrors, FullGraph) {
  for (const auto& g :
       {traced<too_many_nodes<0>>(), traced<too_many_nodes<1>>(), traced<too_many_nodes<3>>()}) {
    EXPECT_EQ(g->error.what, code::graph_full);
    EXPECT_EQ(g->error.have, TILEWRIGHT_MAX_NODES);
    EXPECT_GT(g->error.need, g->error.have);
  }
}

struct too_deep {
  static constexpr void nest(lang& tl, ptr<float>& out, i32& x, int levels) {
    if (levels == 0) return;
    for (auto i : tl.range(2)) {
      x = x + i;
      nest(tl, out, x, levels - 1);
    }
  }
  static constexpr void body(lang& tl, ptr<float> out, i32 n) {
    nest(tl, out, n, 20);
    tl.store(out, n);
  }
};
struct too_many_variables {
  static constexpr void body(lang& tl, ptr<float> out, i32 n) {
    std::array<i32, 70> x = copies(n, std::make_index_sequence<70>{});
    for (auto i : tl.range(2)) {
      for (i32& one : x) one = one + i;
    }
    tl.store(out, x[69]);
  }
  template <std::size_t... Index>
  static constexpr std::array<i32, sizeof...(Index)> copies(const i32& n,
                                                            std::index_sequence<Index...>) {
    return {(static_cast<void>(Index), i32(n))...};
  }
};

TEST(TraceErrors, MoreLoopsAndVariablesThanTheRecorderFollows) {
  const auto deep = traced<too_deep>();
  EXPECT_EQ(deep->error.what, code::graph_full);
  EXPECT_EQ(deep->error.need, 17);
  EXPECT_EQ(deep->error.have, 16);
  const auto wide = traced<too_many_variables>();
  EXPECT_EQ(wide->error.what, code::graph_full);
  EXPECT_EQ(wide->error.need, 65);
  EXPECT_EQ(wide->error.have, 64);
}

}  // namespace
}  // namespace tilewright
