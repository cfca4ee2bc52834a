#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tilewright/ir/reduction_tree.hpp>
#include <vector>

namespace tilewright {
namespace {

// Combining expressions as text shows the order itself.
std::string tree_of(std::int64_t count) {
  return reduce_tree<std::string>(
      count, [](std::int64_t e) { return std::to_string(e); },
      [](const std::string& left, const std::string& right) {
        return "(" + left + " " + right + ")";
      });
}

TEST(ReductionTree, FoldsLanesInHalves) {
  EXPECT_EQ(tree_of(1), "0");
  EXPECT_EQ(tree_of(2), "(0 1)");
  EXPECT_EQ(tree_of(3), "((0 2) 1)");
  EXPECT_EQ(tree_of(5), "(((0 4) 2) (1 3))");
  EXPECT_EQ(tree_of(9), "((((0 8) 4) (2 6)) ((1 5) (3 7)))");
}

TEST(ReductionTree, CombinesNeighboursInALaneFirst) {
  EXPECT_EQ(tree_of(17),
            "(((((0 16) 8) (4 12)) ((2 10) (6 14))) (((1 9) (5 13)) ((3 11) (7 15))))");
  // Seven elements in lane 0, six in the others: pairs, pairs of pairs, and the odd one moves up.
  const std::string tree = tree_of(97);
  EXPECT_NE(tree.find("(((0 16) (32 48)) ((64 80) 96))"), std::string::npos) << tree;
  EXPECT_NE(tree.find("(((1 17) (33 49)) (65 81))"), std::string::npos) << tree;
}

// The same order written the other way round: level by level over whole chunks, with the identity
// in place of missing elements.
float level_by_level(const std::vector<float>& values) {
  std::vector<std::vector<float>> chunks;
  for (std::size_t e = 0; e < values.size(); e += 16) {
    std::vector<float> chunk(16, -0.0f);
    for (std::size_t lane = 0; lane < 16 && e + lane < values.size(); ++lane) {
      chunk[lane] = values[e + lane];
    }
    chunks.push_back(chunk);
  }
  while (chunks.size() > 1) {
    std::vector<std::vector<float>> next;
    for (std::size_t c = 0; c < chunks.size(); c += 2) {
      next.push_back(chunks[c]);
      if (c + 1 == chunks.size()) break;
      for (std::size_t lane = 0; lane < 16; ++lane) next.back()[lane] += chunks[c + 1][lane];
    }
    chunks = next;
  }
  for (std::size_t half = 8; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) chunks[0][lane] += chunks[0][lane + half];
  }
  return chunks[0][0];
}

TEST(ReductionTree, EqualsTheSameTreeWithIdentities) {
  std::uint32_t random = 12345;
  for (std::int64_t count = 1; count <= 300; ++count) {
    std::vector<float> values;
    for (std::int64_t e = 0; e < count; ++e) {
      random = random * 1664525u + 1013904223u;
      values.push_back(static_cast<float>(random >> 8) * 1e-3f - 8000.0f);
    }
    const float actual = reduce_tree<float>(
        count, [&](std::int64_t e) { return values[static_cast<std::size_t>(e)]; },
        [](float left, float right) { return left + right; });
    ASSERT_EQ(to_bits(actual), to_bits(level_by_level(values))) << count;
  }
}

TEST(ReductionTree, IdentityLeavesValuesAlone) {
  EXPECT_EQ(identity_of(op::add, dtype::f32), to_bits(-0.0f));
  EXPECT_EQ(identity_of(op::add, dtype::bf16), 0x8000u);
  EXPECT_EQ(identity_of(op::add, dtype::i32), 0u);
  EXPECT_EQ(identity_of(op::maximum, dtype::i8), 0x80u);
  EXPECT_EQ(identity_of(op::minimum, dtype::u16), 0xffffu);
  EXPECT_EQ(identity_of(op::maximum, dtype::i1), 0u);
  for (const float value : {-0.0f, 0.0f, -1e30f, 1e30f}) {
    const float nan = from_bits<float>(identity_of(op::maximum, dtype::f32));
    EXPECT_EQ(to_bits(scalar_math::maximum(value, nan)), to_bits(value));
    EXPECT_EQ(to_bits(scalar_math::maximum(nan, value)), to_bits(value));
    EXPECT_EQ(to_bits(scalar_math::minimum(nan, value)), to_bits(value));
  }
}

// Usable in constant expressions.
static_assert(reduce_tree<int>(
                  100, [](std::int64_t e) { return static_cast<int>(e); },
                  [](int left, int right) { return left + right; }) == 4950);

}  // namespace
}  // namespace tilewright
