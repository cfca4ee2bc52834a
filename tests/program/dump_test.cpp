#include <gtest/gtest.h>

#include <string>
#include <tilewright/program/builder.hpp>
#include <tilewright/program/dump.hpp>

namespace tilewright {
namespace {

TEST(Dump, ShowsEveryPartOfAProgram) {
  program_builder b;
  const auto x = b.pointer(dtype::f16);
  const auto y = b.pointer(dtype::f32, true);
  const auto n = b.scalar(dtype::i32);
  const auto in =
      b.add_buffer(dtype::f16, make_shape<4, 8>(), 2, memory_space::local, source_line(1));
  const auto sum =
      b.add_buffer(dtype::f32, make_shape<4, 4>(), 1, memory_space::re, source_line(2));
  const auto row =
      b.add_buffer(dtype::f32, make_shape<4>(), 1, memory_space::local, source_line(3));
  auto a = b.core(0);
  a.set_issue_cycles(24);
  const auto zero = a.constant(dtype::i64, 0, source_line(10));
  const auto one = a.constant(dtype::i64, -1, source_line(11));
  const auto last = a.cast(dtype::i32, dtype::i64, a.argument(n, source_line(12)), source_line(12));
  const auto less = a.apply(op::lt, dtype::i64, zero, last, -1, source_line(13));
  a.begin_loop(dtype::i64, zero, last, one, source_line(14));
  a.load_filled(b.push(in),
                {.argument = x, .offset = zero, .strides = {one}, .extents = {-1, last}}, 0xfc00,
                source_line(15));
  a.dot(unit::dpe, b.peek(in, 1), b.pop(in), b.peek(sum), {}, source_line(16));
  a.move(last, one, source_line(17));
  a.end_loop(source_line(18));
  a.compute(unit::se, op::where, dtype::f32, b.push(row),
            {b.value(less, dtype::i1), b.pop(row), b.value(one, dtype::f32)}, {one},
            source_line(19));
  auto c = b.core(1);
  c.reduce(unit::vector, op::maximum, b.push(row), b.peek(sum), 1, {}, source_line(20));
  c.release(sum, source_line(21));
  c.store(b.pop(row), {.argument = y}, source_line(22));
  command range;
  range.code = op::arange;
  range.type = dtype::i32;
  range.dims = make_shape<4>();
  range.value = 5;
  range.output = b.push(row);
  c.issue(range, source_line(23));

  std::string text;
  dump(b.finish(), text);
  EXPECT_EQ(text, R"(argument 0: pointer to f16
argument 1: pointer to f32, writable
argument 2: i32
buffer b0: 2 x f16[4, 8] at 0, 128 bytes  ; line 1
buffer b1: 1 x f32[4, 4] at 0 of RE, 64 bytes  ; line 2
buffer b2: 1 x f32[4] at 128, 16 bytes  ; line 3
core 0:
  r0 = constant i64 0x0  ; line 10
  r1 = constant i64 0xffffffffffffffff  ; line 11
  r2 = argument i32 2  ; line 12
  r3 = cast i64 of i32 r2  ; line 12
  r4 = lt i1 of i64 r0 r3  ; line 13
  loop i64 r5 from r0 to before r3 by r1  ; line 14
    DMA in: load f16[4, 8] argument 0 -> (b0, push) offset r0 strides (r1, 0) extents (all, r3) fill 0xfc00, 24 cycles  ; line 15
    DPE: dot f16[4, 8, 8] (b0, ahead 1) (b0, ahead 0, pop) (b1, ahead 0) -> (b1) in place, 24 cycles  ; line 16
    r3 = r1  ; line 17
  end  ; line 18
  SE: where f32[4] r4 (b2, ahead 0, pop) r1 -> (b2, push) extents (r1), 24 cycles  ; line 19
core 1:
  vector core: reduce by maximum along 1 f32[4, 4] (b1, ahead 0) -> (b2, push), 0 cycles  ; line 20
  release b1  ; line 21
  DMA out: store f32[4] (b2, ahead 0, pop) -> argument 1 offset 0, 0 cycles  ; line 22
  SE: arange i32[4] from 5 -> (b2, push), 0 cycles  ; line 23
)");
}

// Usable in constant expressions.
struct counter {
  std::size_t size = 0;
  constexpr void append(const char*, std::size_t more) { size += more; }
};
constexpr std::size_t size_of_dump() {
  program_builder b;
  b.scalar(dtype::i32);
  b.core(0).constant(dtype::i64, 26, source_line(7));
  counter text;
  dump(b.finish(), text);
  return text.size;
}
static_assert(size_of_dump() ==
              sizeof("argument 0: i32\ncore 0:\n  r0 = constant i64 0x1a  ; line 7\n") - 1);

}  // namespace
}  // namespace tilewright
