#include <gtest/gtest.h>

#include <string>
#include <tilewright/model/placement.hpp>
#include <vector>

#include "model/tiny_device.hpp"

namespace tilewright::model_detail {
namespace {

using test::scalar_of;
using test::unbacked_argument;

device_spec with_sram(std::int64_t bytes) {
  device_spec spec = test::tiny_device();
  spec.sram_bytes = bytes;
  return spec;
}

TEST(Placement, TheSmallestGoOnChipWhileTheyFit) {
  const argument arguments[] = {
      unbacked_argument(dtype::f32, 50), unbacked_argument(dtype::f32, 10), scalar_of(1),
      unbacked_argument(dtype::f16, 30), unbacked_argument(dtype::f32, -1)};
  const auto placed = [&](std::int64_t bytes) {
    return place_arguments(arguments, with_sram(bytes), {});
  };
  constexpr memory s = memory::sram;
  constexpr memory d = memory::dram;
  // 200, 40 and 60 bytes; the last has no known size and stays outside.
  EXPECT_EQ(placed(300), (std::vector<memory>{s, s, d, s, d}));
  EXPECT_EQ(placed(299), (std::vector<memory>{d, s, d, s, d}));
  EXPECT_EQ(placed(99), (std::vector<memory>{d, s, d, d, d}));
  EXPECT_EQ(placed(39), (std::vector<memory>{d, d, d, d, d}));
}

TEST(Placement, WishesComeFirst) {
  const argument arguments[] = {unbacked_argument(dtype::f32, 50),
                                unbacked_argument(dtype::f32, 10)};
  model_options options;
  options.placements[0] = placement::sram;
  EXPECT_EQ(place_arguments(arguments, with_sram(220), options),
            (std::vector<memory>{memory::sram, memory::dram}));
  options.placements[0] = placement::dram;
  EXPECT_EQ(place_arguments(arguments, with_sram(220), options),
            (std::vector<memory>{memory::dram, memory::sram}));
  options.placements[0] = placement::sram;
  try {
    place_arguments(arguments, with_sram(199), options);
    FAIL();
  } catch (const error& e) {
    EXPECT_EQ(std::string(e.what()), "model: the arguments placed in SRAM need 200 bytes of 199");
  }
}

TEST(Placement, OneAddressLiesInOneMemory) {
  std::vector<float> data(50);
  argument whole = test::pointer_to(data);
  argument part = whole;
  part.elements = 5;
  const argument arguments[] = {part, whole};
  EXPECT_EQ(place_arguments(arguments, with_sram(199), {}),
            (std::vector<memory>{memory::dram, memory::dram}));
  EXPECT_EQ(place_arguments(arguments, with_sram(200), {}),
            (std::vector<memory>{memory::sram, memory::sram}));
}

}  // namespace
}  // namespace tilewright::model_detail
