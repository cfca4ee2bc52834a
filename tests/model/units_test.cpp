#include <gtest/gtest.h>

#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/model/units.hpp>

#include "model/tiny_device.hpp"

namespace tilewright::model_detail {
namespace {

using test::tiny_device;

TEST(DpeCycles, WholeTilesRunAtThePeak) {
  // 64^3 multiply-accumulates at 1024 a cycle; i8 at twice the rate.
  EXPECT_EQ(dpe_cycles(mtia_2i, dtype::f16, 64, 64, 64), 256);
  EXPECT_EQ(dpe_cycles(mtia_2i, dtype::bf16, 128, 32, 16), 64);
  EXPECT_EQ(dpe_cycles(mtia_2i, dtype::i8, 64, 64, 64), 128);
}

TEST(DpeCycles, PartsOfAStepCostAWholeOne) {
  // One native step of 2 tiles x 32 x 16 x 32 takes 32 cycles.
  EXPECT_EQ(dpe_cycles(mtia_2i, dtype::f16, 1, 1, 1), 32);
  EXPECT_EQ(dpe_cycles(mtia_2i, dtype::f16, 64, 32, 17), 64);
  EXPECT_EQ(dpe_cycles(mtia_2i, dtype::f16, 65, 64, 16), 96);
  // With 32 rows the tiles take two groups of columns instead.
  EXPECT_EQ(dpe_cycles(mtia_2i, dtype::f16, 32, 64, 16), 32);
  EXPECT_EQ(dpe_cycles(mtia_2i, dtype::f16, 32, 65, 16), 64);
}

command on(unit where, op code, dtype type) {
  command made;
  made.where = where;
  made.code = code;
  made.type = type;
  made.inputs[0].type = type;
  made.output.type = type;
  return made;
}
lanes of(std::int64_t count) {
  lanes made;
  made.count = count;
  return made;
}

TEST(BusyCycles, SimdEngineByLanes) {
  const device_spec spec = tiny_device();
  EXPECT_EQ(busy_cycles(on(unit::se, op::add, dtype::f32), of(16), spec), 4);
  EXPECT_EQ(busy_cycles(on(unit::se, op::add, dtype::f32), of(17), spec), 5);
  EXPECT_EQ(busy_cycles(on(unit::se, op::exp, dtype::f32), of(16), spec), 8);
  EXPECT_EQ(busy_cycles(on(unit::se, op::add, dtype::f32), of(0), spec), 0);
}

TEST(BusyCycles, ReductionEngineByBytes) {
  const device_spec spec = tiny_device();
  EXPECT_EQ(busy_cycles(on(unit::re, op::copy, dtype::f32), of(16), spec), 8);
  EXPECT_EQ(result_latency(unit::re, spec), 1);
  EXPECT_EQ(result_latency(unit::se, spec), 5);
  EXPECT_EQ(result_latency(unit::dpe, spec), 0);
}

TEST(BusyCycles, VectorCoreByOperations) {
  const device_spec spec = tiny_device();
  EXPECT_EQ(busy_cycles(on(unit::vector, op::add, dtype::f32), of(16), spec), 2 + 4);
  EXPECT_EQ(busy_cycles(on(unit::vector, op::add, dtype::f16), of(16), spec), 2 + 2);
  EXPECT_EQ(busy_cycles(on(unit::vector, op::add, dtype::bf16), of(16), spec), 2 + 4);
  EXPECT_EQ(busy_cycles(on(unit::vector, op::add, dtype::f64), of(16), spec), 2 + 8);
  EXPECT_EQ(busy_cycles(on(unit::vector, op::exp, dtype::f32), of(16), spec), 2 + 64);
  EXPECT_EQ(busy_cycles(on(unit::vector, op::dot, dtype::f32), of(16), spec), 2 + 8);
  // A conversion runs at the rate of the wider type.
  command cast = on(unit::vector, op::cast, dtype::f16);
  cast.inputs[0].type = dtype::f32;
  EXPECT_EQ(busy_cycles(cast, of(16), spec), 2 + 4);
}

TEST(Unsupported, SaysWhatIsMissing) {
  const device_spec spec = tiny_device();
  EXPECT_EQ(unsupported(on(unit::dpe, op::dot, dtype::f16), spec), nullptr);
  EXPECT_STREQ(unsupported(on(unit::dpe, op::dot, dtype::f32), spec),
               "the DPE does not multiply this element type");
  EXPECT_EQ(unsupported(on(unit::se, op::add, dtype::f32), spec), nullptr);
  EXPECT_STREQ(unsupported(on(unit::se, op::add, dtype::f64), spec),
               "the SIMD engine does not work on this element type");
  EXPECT_EQ(unsupported(on(unit::vector, op::add, dtype::f64), spec), nullptr);
  EXPECT_NE(unsupported(on(unit::mlu, op::copy, dtype::f32), spec), nullptr);
}

}  // namespace
}  // namespace tilewright::model_detail
