// Laws of shapes and broadcasting, over all small shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <tilewright/types/shape.hpp>

namespace tilewright {
namespace {

/// All shapes of rank 0 to 3 with extents 1, 2 and 3.
std::vector<shape> small_shapes() {
  std::vector<shape> all = {shape{}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].rank == 3) continue;
    for (std::int32_t extent = 1; extent <= 3; ++extent) {
      shape longer = all[i];
      longer[longer.rank++] = extent;
      all.push_back(longer);
    }
  }
  return all;
}

/// The extent of dimension `from_inner` counted from the innermost; missing ones are 1.
std::int32_t extent(const shape& dims, int from_inner) {
  return from_inner < dims.rank ? dims[dims.rank - 1 - from_inner] : 1;
}

TEST(Shape, BroadcastByItsDefinition) {
  const std::vector<shape> shapes = small_shapes();
  ASSERT_EQ(shapes.size(), 1u + 3u + 9u + 27u);
  for (const shape& a : shapes) {
    for (const shape& b : shapes) {
      bool possible = true;
      for (int d = 0; d < 3; ++d) {
        const std::int32_t x = extent(a, d);
        const std::int32_t y = extent(b, d);
        possible = possible && (x == y || x == 1 || y == 1);
      }
      const shape both = broadcast(a, b);
      ASSERT_EQ(both.rank >= 0, possible);
      if (!possible) continue;
      ASSERT_EQ(both.rank, std::max(a.rank, b.rank));
      for (int d = 0; d < both.rank; ++d) {
        ASSERT_EQ(extent(both, d), std::max(extent(a, d), extent(b, d)));
      }
    }
  }
}

TEST(Shape, BroadcastLaws) {
  for (const shape& a : small_shapes()) {
    ASSERT_EQ(broadcast(a, a), a);
    ASSERT_EQ(broadcast(a, shape{}), a);
    for (const shape& b : small_shapes()) {
      const shape both = broadcast(a, b);
      ASSERT_EQ(both, broadcast(b, a));
      ASSERT_EQ(broadcasts_to(a, b), both == b);
      if (both.rank < 0) continue;
      ASSERT_TRUE(broadcasts_to(a, both));
      ASSERT_TRUE(broadcasts_to(b, both));
      ASSERT_EQ(elements_of(both) % elements_of(a), 0);
    }
  }
}

static_assert(make_shape<>().rank == 0 && elements_of(make_shape<>()) == 1);
static_assert(make_shape<4, 5>().rank == 2 && make_shape<4, 5>()[0] == 4);
static_assert(make_shape<4, 5>().inner() == 5 && make_shape<>().inner() == 1);
static_assert(elements_of(make_shape<2, 3, 4, 5, 6>()) == 720);
// Extents whose product needs 64 bits.
static_assert(elements_of(make_shape<1 << 20, 1 << 20>()) == std::int64_t{1} << 40);
static_assert(make_shape<2, 3>() == make_shape<2, 3>() && !(make_shape<2>() == make_shape<2, 1>()));
static_assert(!broadcasts_to(make_shape<1, 4>(), make_shape<4>()), "no dimension is dropped");

}  // namespace
}  // namespace tilewright
