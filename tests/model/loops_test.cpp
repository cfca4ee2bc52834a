// Loops whose running value comes near the ends of its type.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/host/host.hpp>
#include <tilewright/launch/launch.hpp>
#include <tilewright/model/model.hpp>
#include <tilewright/model/target.hpp>
#include <tilewright/program/builder.hpp>
#include <utility>
#include <vector>

#include "model/tiny_device.hpp"
#include "reference/interpreter.hpp"

namespace tilewright {
namespace {

using test::pointer_to;
using test::scalar_of;
using test::tiny_device;

constexpr std::int64_t most_32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t least_32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t most_64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least_64 = std::numeric_limits<std::int64_t>::min();

struct range {
  std::int64_t first;
  std::int64_t last;
  std::int64_t step;
};
using values = std::vector<std::int64_t>;

/// Elements to write to: a loop that ends too late leaves them, which `run_program` reports.
constexpr std::size_t room = 12;

// ---- by hand ------------------------------------------------------------------------------------

/// Stores the running value of a loop over `Int` in each iteration, one after the other.
template <class Int>
command_program listing() {
  constexpr dtype type = dtype_v<Int>;
  program_builder b;
  const auto out = b.pointer(type, true);
  const auto first = b.scalar(type);
  const auto last = b.scalar(type);
  const auto step = b.scalar(type);
  const auto tile = b.add_buffer(type, make_shape<1>(), 2);
  auto core = b.core(1);
  const auto at = core.constant(dtype::i64, 0);
  const auto one = core.constant(dtype::i64, 1);
  const auto i =
      core.begin_loop(type, core.argument(first), core.argument(last), core.argument(step));
  core.compute(unit::vector, op::constant, type, b.push(tile), {b.value(i, type)});
  core.store(b.pop(tile), {.argument = out, .offset = at, .strides = {one}});
  core.move(at, core.apply(op::add, dtype::i64, at, one));
  core.end_loop();
  return b.finish();
}

struct listed {
  values written;
  std::int64_t cycles = 0;
};
template <class Int>
listed run_listing(const range& over) {
  std::vector<Int> out(room, Int{-77});
  const argument arguments[] = {pointer_to(out), scalar_of(static_cast<Int>(over.first)),
                                scalar_of(static_cast<Int>(over.last)),
                                scalar_of(static_cast<Int>(over.step))};
  const report r = run_program(listing<Int>(), tiny_device(), grid(1), arguments);
  listed found;
  found.cycles = r.cycles;
  for (std::int64_t i = 0; i < r.commands / 2; ++i) {
    found.written.push_back(out[static_cast<std::size_t>(i)]);
  }
  return found;
}

TEST(Loops, EndAtTheEndsOfI32) {
  EXPECT_EQ(run_listing<std::int32_t>({most_32 - 7, most_32, 4}).written,
            (values{most_32 - 7, most_32 - 3}));
  EXPECT_EQ(run_listing<std::int32_t>({most_32 - 1, most_32, most_32}).written,
            (values{most_32 - 1}));
  EXPECT_EQ(run_listing<std::int32_t>({least_32 + 5, least_32, -3}).written,
            (values{least_32 + 5, least_32 + 2}));
  EXPECT_EQ(run_listing<std::int32_t>({least_32, most_32, most_32}).written,
            (values{least_32, -1, most_32 - 1}));
  EXPECT_EQ(run_listing<std::int32_t>({most_32, least_32, least_32}).written,
            (values{most_32, -1}));
  EXPECT_EQ(run_listing<std::int32_t>({most_32, most_32, 1}).written, values{});
}

TEST(Loops, EndAtTheEndsOfI64) {
  EXPECT_EQ(run_listing<std::int64_t>({most_64 - 7, most_64, 4}).written,
            (values{most_64 - 7, most_64 - 3}));
  EXPECT_EQ(run_listing<std::int64_t>({least_64 + 5, least_64, -3}).written,
            (values{least_64 + 5, least_64 + 2}));
  EXPECT_EQ(run_listing<std::int64_t>({least_64, most_64, most_64}).written,
            (values{least_64, -1, most_64 - 1}));
  EXPECT_EQ(run_listing<std::int64_t>({most_64, least_64, least_64}).written,
            (values{most_64, -1}));
  // Past the end of i32 there is nothing special.
  EXPECT_EQ(run_listing<std::int64_t>({most_32 - 1, most_32 + 5, 3}).written,
            (values{most_32 - 1, most_32 + 2}));
}

TEST(Loops, TakeTheSameTimeAnywhere) {
  const std::int64_t cycles = run_listing<std::int32_t>({0, 7, 4}).cycles;
  EXPECT_EQ(run_listing<std::int32_t>({most_32 - 7, most_32, 4}).cycles, cycles);
  EXPECT_EQ(run_listing<std::int32_t>({least_32 + 7, least_32, -4}).cycles, cycles);
  const argument none[] = {scalar_of(most_64 - 7)};
  program_builder b;
  const auto first = b.scalar(dtype::i64);
  auto core = b.core(0);
  const auto start = core.argument(first);
  core.begin_loop(dtype::i64, start, core.constant(dtype::i64, most_64),
                  core.constant(dtype::i64, 4));
  core.end_loop();
  // Three scalars and the head of the loop at 1 cycle, the ends of two iterations at 2.
  EXPECT_EQ(run_program(b.finish(), tiny_device(), grid(1), none).cycles, 3 + 1 + 2 * 2);
}

TEST(Loops, NestedOnesEndEachAtItsEnd) {
  program_builder b;
  const auto out = b.pointer(dtype::i32, true);
  const auto tile = b.add_buffer(dtype::i32, make_shape<1>(), 2);
  auto core = b.core(1);
  const auto at = core.constant(dtype::i64, 0);
  const auto one = core.constant(dtype::i64, 1);
  const auto outer =
      core.begin_loop(dtype::i32, core.constant(dtype::i32, most_32 - 4),
                      core.constant(dtype::i32, most_32), core.constant(dtype::i32, 3));
  const auto inner =
      core.begin_loop(dtype::i32, core.constant(dtype::i32, least_32 + 2),
                      core.constant(dtype::i32, least_32), core.constant(dtype::i32, -2));
  const auto sum = core.apply(op::add, dtype::i32, outer, inner);
  core.compute(unit::vector, op::constant, dtype::i32, b.push(tile), {b.value(sum, dtype::i32)});
  core.store(b.pop(tile), {.argument = out, .offset = at, .strides = {one}});
  core.move(at, core.apply(op::add, dtype::i64, at, one));
  core.end_loop();
  core.end_loop();
  std::vector<std::int32_t> written(4, 77);
  const argument arguments[] = {pointer_to(written)};
  const report r = run_program(b.finish(), tiny_device(), grid(1), arguments);
  EXPECT_EQ(r.commands, 4);
  // most + least is -1; the outer values are most - 4 and most - 1, the inner one least + 2.
  EXPECT_EQ(written, (std::vector<std::int32_t>{-3, 0, 77, 77}));
}

// ---- in the language ----------------------------------------------------------------------------

struct listing_kernel {
  static constexpr void body(lang& tl, ptr<std::int32_t> out, i32 first, i32 last, i32 step) {
    auto at = tl.full<std::int32_t>(0);
    for (auto i : tl.range(first, last, step)) {
      tl.store(out + at, i);
      at += 1;
    }
  }
};

template <class Target>
values list_on(const Target& target, const range& over) {
  std::vector<std::int32_t> out(room, 77);
  launch<listing_kernel>(target, grid(1), out, static_cast<std::int32_t>(over.first),
                         static_cast<std::int32_t>(over.last),
                         static_cast<std::int32_t>(over.step));
  return values(out.begin(), out.end());
}

TEST(Loops, EveryWayToRunEndsThem) {
  const auto padded = [](values expected) {
    expected.resize(room, 77);
    return expected;
  };
  const std::pair<range, values> cases[] = {
      {{most_32 - 7, most_32, 4}, {most_32 - 7, most_32 - 3}},
      {{least_32 + 5, least_32, -3}, {least_32 + 5, least_32 + 2}},
      {{least_32, most_32, most_32}, {least_32, -1, most_32 - 1}},
      {{most_32, least_32, least_32}, {most_32, -1}}};
  for (const auto& [over, expected] : cases) {
    SCOPED_TRACE(std::to_string(over.first) + " to " + std::to_string(over.last));
    EXPECT_EQ(list_on(reference::interpreter, over), padded(expected));
    EXPECT_EQ(list_on(host, over), padded(expected));
    EXPECT_EQ(list_on(model(mtia_2i), over), padded(expected));
  }
}

}  // namespace
}  // namespace tilewright
