// Commands that wait for others because of what these read and write.
#include <gtest/gtest.h>

#include <cstdint>
#include <tilewright/model/model.hpp>
#include <tilewright/program/builder.hpp>
#include <vector>

#include "model/tiny_device.hpp"

namespace tilewright {
namespace {

using test::pointer_to;
using test::tiny_device;
using test::unbacked_argument;

model_options timing() {
  model_options options;
  options.mode = model_mode::timing;
  return options;
}

constexpr int rows = 4;
constexpr int tile_columns = 8;
constexpr int tiles = 16;
constexpr int columns = tiles * tile_columns;

/// y := -x by tiles of all rows and 8 columns, from the left or from the right. The strides are
/// those of a matrix of all columns; of the columns in reverse, if `reversed`.
command_program negate_columns(bool from_the_right, bool reversed) {
  program_builder b;
  const auto x = b.pointer(dtype::f32);
  const auto y = b.pointer(dtype::f32, true);
  const auto in = b.add_buffer(dtype::f32, make_shape<rows, tile_columns>(), 4);
  const auto out = b.add_buffer(dtype::f32, make_shape<rows, tile_columns>(), 4);
  auto mover = b.core(0);
  const auto row = mover.constant(dtype::i64, columns);
  const auto column = mover.constant(dtype::i64, reversed ? -1 : 1);
  for (int i = 0; i < tiles; ++i) {
    const int tile = from_the_right ? tiles - 1 - i : i;
    const auto first =
        mover.constant(dtype::i64, tile * tile_columns + (reversed ? tile_columns - 1 : 0));
    mover.load(b.push(in), {.argument = x, .offset = first, .strides = {row, column}});
    mover.store(b.pop(out), {.argument = y, .offset = first, .strides = {row, column}});
  }
  auto worker = b.core(1);
  for (int i = 0; i < tiles; ++i) {
    worker.compute(unit::se, op::neg, dtype::f32, b.push(out), {b.pop(in)});
  }
  return b.finish();
}

TEST(Ordering, TilesOfColumnsInPlaceWaitForNothing) {
  for (const bool from_the_right : {false, true}) {
    for (const bool reversed : {false, true}) {
      const command_program program = negate_columns(from_the_right, reversed);
      std::vector<float> x;
      for (int i = 0; i < rows * columns; ++i) x.push_back(static_cast<float>(i) + 0.5f);
      std::vector<float> y(x.size());
      const argument two[] = {pointer_to(x), pointer_to(y)};
      const std::int64_t apart = run_program(program, tiny_device(), grid(1), two).cycles;
      std::vector<float> expected = x;
      for (float& each : expected) each = -each;
      EXPECT_EQ(y, expected);
      // Each tile is loaded before it is stored, for the sake of its values, and touches no other.
      const argument same[] = {pointer_to(x), pointer_to(x)};
      EXPECT_EQ(run_program(program, tiny_device(), grid(1), same).cycles, apart);
      EXPECT_EQ(x, expected);
    }
  }
}

/// Stores eight i8 to `y`, `apart` of them from one to the next, from element `first` on; then
/// loads every second f32 of `x`, eight in all, and stores them to `z`.
command_program store_bytes_and_load(std::int64_t first, std::int64_t apart) {
  program_builder b;
  const auto x = b.pointer(dtype::f32);
  const auto y = b.pointer(dtype::i8, true);
  const auto z = b.pointer(dtype::f32, true);
  const auto bytes = b.add_buffer(dtype::i8, make_shape<8>());
  const auto in = b.add_buffer(dtype::f32, make_shape<8>());
  auto core = b.core(0);
  const auto one = core.constant(dtype::i64, 1);
  const auto two = core.constant(dtype::i64, 2);
  const auto offset = core.constant(dtype::i64, first);
  const auto stride = core.constant(dtype::i64, apart);
  const auto zero = core.constant(dtype::i8, 0);
  core.compute(unit::se, op::constant, dtype::i8, b.push(bytes), {b.value(zero, dtype::i8)});
  core.store(b.pop(bytes), {.argument = y, .offset = offset, .strides = {stride}});
  core.load(b.push(in), {.argument = x, .strides = {two}});
  core.store(b.pop(in), {.argument = z, .strides = {one}});
  return b.finish();
}

TEST(Ordering, ElementsOfDifferentSizesMeetInTheirBytes) {
  const auto cycles = [](std::int64_t first, std::int64_t apart, std::vector<float>& z) {
    std::vector<float> x(16, -1.0f);
    const argument arguments[] = {
        pointer_to(x),
        {dtype::i8, true, x.data(), static_cast<std::int64_t>(4 * x.size()), 0},
        pointer_to(z)};
    return run_program(store_bytes_and_load(first, apart), tiny_device(), grid(1), arguments)
        .cycles;
  };
  // -1 is 0xbf800000; without its last byte it is +0 with 0x800000 in the lower bits.
  const float without_sign = from_bits<float>(0x00800000);
  std::vector<float> z(8);
  // Five scalars take 5 cycles, and each command moves one pointer: issued at 6, 7, 8 and 9. SE
  // 6-8, result at 13. The bytes stream 13-14 and arrive at 24. The load waits for them, takes
  // 4 + 10 cycles to 38, and the last store as long.
  EXPECT_EQ(cycles(3, 8, z), 52);
  EXPECT_EQ(z, std::vector<float>(8, without_sign));
  // In the floats between those no byte is shared, so the load starts when it is issued, at 8.
  EXPECT_EQ(cycles(4, 8, z), 36);
  EXPECT_EQ(z, std::vector<float>(8, -1.0f));
  EXPECT_EQ(cycles(7, 8, z), 36);
  EXPECT_EQ(z, std::vector<float>(8, -1.0f));
}

TEST(Ordering, ArgumentsWithoutContentsAreMemoryOfTheirOwn) {
  // x := x and then y := y; the second load need not wait for the first store.
  program_builder b;
  const auto x = b.pointer(dtype::f32, true);
  const auto y = b.pointer(dtype::f32, true);
  const auto first = b.add_buffer(dtype::f32, make_shape<16>());
  const auto second = b.add_buffer(dtype::f32, make_shape<16>());
  auto core = b.core(0);
  const auto one = core.constant(dtype::i64, 1);
  core.load(b.push(first), {.argument = x, .strides = {one}});
  core.store(b.pop(first), {.argument = x, .strides = {one}});
  core.load(b.push(second), {.argument = y, .strides = {one}});
  core.store(b.pop(second), {.argument = y, .strides = {one}});
  const argument none[] = {unbacked_argument(dtype::f32, 16), unbacked_argument(dtype::f32, 16)};
  // Loads issued at 2 and 4 stream 2-10 and 10-18 and arrive at 20 and 28; stores 20-28 and 28-36,
  // the last arriving at 46.
  EXPECT_EQ(run_program(b.finish(), tiny_device(), grid(1), none, timing()).cycles, 46);
  std::vector<float> a(16);
  std::vector<float> c(16);
  const argument some[] = {pointer_to(a), pointer_to(c)};
  EXPECT_EQ(run_program(b.finish(), tiny_device(), grid(1), some).cycles, 46);
}

TEST(Ordering, InPlaceWorkWaitsForTheReadersBeforeIt) {
  // y := x, then z := -x, negated in the tile that the first store reads.
  program_builder b;
  const auto x = b.pointer(dtype::f32);
  const auto y = b.pointer(dtype::f32, true);
  const auto z = b.pointer(dtype::f32, true);
  const auto tile = b.add_buffer(dtype::f32, make_shape<8>());
  auto mover = b.core(0);
  mover.load(b.push(tile), {.argument = x, .strides = {mover.constant(dtype::i64, 1)}});
  auto worker = b.core(1);
  const auto one = worker.constant(dtype::i64, 1);
  worker.store(b.peek(tile), {.argument = y, .strides = {one}});
  worker.compute_in_place(unit::se, op::neg, dtype::f32, {b.peek(tile)});
  worker.store(b.pop(tile), {.argument = z, .strides = {one}});
  const std::vector<float> source = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> in = source;
  std::vector<float> kept(8);
  std::vector<float> negated(8);
  const argument arguments[] = {pointer_to(in), pointer_to(kept), pointer_to(negated)};
  const report r = run_program(b.finish(), tiny_device(), grid(1), arguments);
  EXPECT_EQ(kept, source);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(negated[i], -source[i]);
  // The load is issued at 2 and arrives at 2 + 4 + 10 = 16. The first store streams 16-20 and is
  // done with the tile at 30. SE 30-32, result at 37; the second store 37-41, ends at 51.
  EXPECT_EQ(r.cycles, 51);
  EXPECT_EQ(r.of(track::se).space, 30 - 16);
}

}  // namespace
}  // namespace tilewright
