#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <tilewright/model/memory_box.hpp>
#include <vector>

namespace tilewright::model_detail {
namespace {

struct dimension {
  std::int64_t extent;
  std::int64_t stride;
};

memory_box box(std::int64_t first, std::int64_t element_bytes,
               const std::vector<dimension>& dimensions) {
  memory_box made;
  made.first = first;
  made.element_bytes = element_bytes;
  for (const dimension& each : dimensions) {
    made.extents[made.rank] = each.extent;
    made.strides[made.rank++] = each.stride;
  }
  return made;
}

/// Every byte, one index after the other.
std::set<std::int64_t> bytes_of(const memory_box& from) {
  std::set<std::int64_t> bytes = {};
  if (from.empty()) return bytes;
  std::vector<std::int64_t> index(static_cast<std::size_t>(from.rank), 0);
  while (true) {
    std::int64_t address = from.first;
    for (int d = 0; d < from.rank; ++d) {
      address += from.strides[d] * index[static_cast<std::size_t>(d)];
    }
    for (std::int64_t b = 0; b < from.element_bytes; ++b) bytes.insert(address + b);
    int d = 0;
    for (; d < from.rank; ++d) {
      if (++index[static_cast<std::size_t>(d)] < from.extents[d]) break;
      index[static_cast<std::size_t>(d)] = 0;
    }
    if (d == from.rank) return bytes;
  }
}
bool meet(const std::set<std::int64_t>& a, const std::set<std::int64_t>& b) {
  for (const std::int64_t byte : a) {
    if (b.count(byte) != 0) return true;
  }
  return false;
}

std::string text_of(const memory_box& from) {
  std::string text = std::to_string(from.element_bytes) + " bytes at " + std::to_string(from.first);
  for (int d = 0; d < from.rank; ++d) {
    text += ", " + std::to_string(from.extents[d]) + " x " + std::to_string(from.strides[d]);
  }
  return text;
}

// ---- all small boxes ----------------------------------------------------------------------------

/// A box whose first element is at 0, and its bytes as bits, that of address `middle` lowest.
struct small_box {
  memory_box where;
  std::uint64_t bits;
};
constexpr std::int64_t middle = -12;

std::vector<small_box> small_boxes(const std::vector<std::int64_t>& strides,
                                   const std::vector<std::int64_t>& extents) {
  std::vector<small_box> all;
  for (const std::int64_t size : {1, 2, 4}) {
    for (const std::int64_t outer : strides) {
      for (const std::int64_t rows : extents) {
        for (const std::int64_t inner : strides) {
          for (const std::int64_t columns : extents) {
            small_box made{box(0, size, {{rows, outer}, {columns, inner}}), 0};
            for (const std::int64_t byte : bytes_of(made.where)) {
              made.bits |= std::uint64_t{1} << (byte - middle);
            }
            all.push_back(made);
          }
        }
      }
    }
  }
  return all;
}

TEST(MemoryBox, AllSmallOnes) {
  // Addresses from -12 to 15, so that boxes 28 apart cannot meet.
  int wrong = 0;
  for (const small_box& a : small_boxes({-3, -2, -1, 0, 1, 2, 3}, {1, 3})) {
    for (const small_box& b : small_boxes({-3, 0, 1, 2}, {1, 2, 3})) {
      memory_box moved = b.where;
      for (moved.first = -28; moved.first <= 28; moved.first += 1) {
        const std::uint64_t bits = moved.first < 0 ? a.bits << -moved.first : b.bits << moved.first;
        const bool expected = (bits & (moved.first < 0 ? b.bits : a.bits)) != 0;
        if (share_a_byte(a.where, moved) == expected) continue;
        if (++wrong <= 5) {
          ADD_FAILURE() << text_of(a.where) << " and " << text_of(moved) << ": " << expected;
        }
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

// ---- random ones --------------------------------------------------------------------------------

class random_boxes {
 public:
  std::int64_t below(std::int64_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(limit));
  }
  memory_box next(std::int64_t furthest) {
    memory_box made = box(below(2 * furthest) - furthest, 1 << below(4), {});
    made.rank = static_cast<int>(below(max_rank + 1));
    for (int d = 0; d < made.rank; ++d) {
      made.extents[d] = 1 + below(5);
      made.strides[d] = below(2 * furthest) - furthest;
    }
    return made;
  }

 private:
  std::uint64_t state_ = 5;
};

TEST(MemoryBox, RandomOnesOfAnyRank) {
  random_boxes random;
  int met = 0;
  constexpr int rounds = 4000;
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t furthest = round % 2 == 0 ? 40 : 3000;
    const memory_box a = random.next(furthest);
    const memory_box b = random.next(furthest);
    const bool expected = meet(bytes_of(a), bytes_of(b));
    met += expected ? 1 : 0;
    // By search, by a search that gives up on the way, and by the list alone.
    for (const std::int64_t steps : {std::int64_t{1} << 40, std::int64_t{3}, std::int64_t{0}}) {
      ASSERT_EQ(share_a_byte(a, b, steps), expected) << text_of(a) << " and " << text_of(b);
      ASSERT_EQ(share_a_byte(b, a, steps), expected) << text_of(b) << " and " << text_of(a);
    }
    ASSERT_EQ(share_a_listed_byte(a, b), expected) << text_of(a) << " and " << text_of(b);
  }
  EXPECT_GT(met, rounds / 8);
  EXPECT_LT(met, rounds * 7 / 8);
}

// ---- known ones ---------------------------------------------------------------------------------

TEST(MemoryBox, TilesSideBySideAndOneAboveTheOther) {
  // 32 x 64 f32 of a matrix of 1024 columns.
  const std::int64_t row = 1024 * 4;
  const auto tile = [&](std::int64_t y, std::int64_t x) {
    return box(y * row + x * 4, 4, {{32, row}, {64, 4}});
  };
  EXPECT_FALSE(share_a_byte(tile(0, 0), tile(0, 64), 2));
  EXPECT_TRUE(share_a_byte(tile(0, 0), tile(0, 63), 2));
  EXPECT_FALSE(share_a_byte(tile(0, 64), tile(32, 0), 2));
  EXPECT_FALSE(share_a_byte(tile(0, 64), tile(32, 64), 2));
  EXPECT_TRUE(share_a_byte(tile(0, 64), tile(31, 64), 2));
  // Rows of one that are columns of the other.
  const memory_box column = box(65 * 4, 4, {{32, 4}, {64, row}});
  EXPECT_TRUE(share_a_byte(tile(0, 64), column));
  EXPECT_FALSE(share_a_byte(tile(0, 0), column));
  // Bytes of different widths: an i8 in the last byte of an f32, and just behind it.
  EXPECT_TRUE(share_a_byte(box(0, 4, {{8, 8}}), box(8 * 7 + 3, 1, {})));
  EXPECT_FALSE(share_a_byte(box(0, 4, {{8, 8}}), box(8 * 7 + 4, 1, {{2, 1}})));
}

TEST(MemoryBox, NothingHasNoBytes) {
  const memory_box some = box(0, 4, {{8, 4}});
  EXPECT_FALSE(share_a_byte(some, box(0, 4, {{0, 4}})));
  EXPECT_FALSE(share_a_byte(box(0, 4, {{5, 0}, {0, 1}}), some));
  EXPECT_TRUE(share_a_byte(some, box(0, 4, {})));
}

TEST(MemoryBox, WhatNoMemoryHoldsCountsAsShared) {
  const memory_box some = box(0, 4, {{8, 4}});
  EXPECT_TRUE(share_a_byte(some, box(INT64_MIN, 4, {{8, 4}})));
  EXPECT_TRUE(share_a_byte(some, box(0, 4, {{8, INT64_MAX}, {8, INT64_MIN}})));
}

TEST(MemoryBox, LargeOnesThatInterleave) {
  // Up to 2^20 elements each, in strides without order among each other: a search alone would take
  // longer than anyone waits. All addresses of `a` are multiples of 64, and those of `b` are 2 or 3
  // more than one. The odd stride makes 1 the only common divisor.
  const memory_box a =
      box(0, 1, {{32, 64 * 7919}, {32, 64 * 50021}, {32, 64 * 300007}, {32, 64 * 1700021}});
  memory_box b = box(64 * 20000000 + 2, 1,
                     {{2, 64 * 101 + 1},
                      {32, 64 * 8219},
                      {16, 64 * 50111},
                      {32, 64 * 310019},
                      {32, 64 * 1800017}});
  EXPECT_FALSE(share_a_byte(a, b));
  // The last element of `b` is now element (5, 17, 30, 2) of `a`.
  const std::int64_t last = 64 * 101 + 1 + 31 * 64 * 8219 + 15 * 64 * 50111 +
                            31 * 64 * std::int64_t{310019} + 31 * 64 * std::int64_t{1800017};
  b.first = 5 * 64 * 7919 + 17 * 64 * 50021 + 30 * 64 * std::int64_t{300007} +
            2 * 64 * std::int64_t{1700021} - last;
  EXPECT_TRUE(share_a_byte(a, b));
}

}  // namespace
}  // namespace tilewright::model_detail
