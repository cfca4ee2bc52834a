// The streamed reductions against the documented order, written here once more in plain loops.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tilewright/host/reduce.hpp>
#include <vector>

#include "random_data.hpp"

namespace tilewright {
namespace {

/// Element e = 16c + l: for each lane l neighbours over c are combined level by level, an odd one
/// moves up; then lanes are folded in halves. Missing lanes are skipped.
template <class T, class Combine>
T in_documented_order(const std::vector<T>& values, Combine combine) {
  std::vector<std::vector<T>> lanes(16);
  for (std::size_t e = 0; e < values.size(); ++e) lanes[e % 16].push_back(values[e]);
  for (std::vector<T>& lane : lanes) {
    while (lane.size() > 1) {
      std::vector<T> next;
      for (std::size_t c = 0; c < lane.size(); c += 2) {
        next.push_back(c + 1 < lane.size() ? combine(lane[c], lane[c + 1]) : lane[c]);
      }
      lane = next;
    }
  }
  for (std::size_t half = 8; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) {
      if (!lanes[l + half].empty()) lanes[l] = {combine(lanes[l][0], lanes[l + half][0])};
    }
  }
  return lanes[0][0];
}

/// The stream with its vectors taken one by one, or four chunks at a time as long as there are.
template <op Combine, class T>
T streamed(const std::vector<T>& values, bool in_groups) {
  detail::reduction_stream<Combine, T> stream;
  using vector = detail::register_t<T>;
  constexpr std::int64_t group = 4 * detail::reduction_stream<Combine, T>::groups;
  const std::int64_t count = std::ssize(values);
  stream.start();
  std::int64_t j = 0;
  if (in_groups) {
    for (; j + group * simd::lanes <= count; j += group * simd::lanes) {
      vector four[static_cast<std::size_t>(group)];
      for (std::int64_t v = 0; v < group; ++v)
        four[v] = simd::load(values.data() + j + v * simd::lanes);
      stream.take_four(four);
    }
  }
  for (; j + simd::lanes <= count; j += simd::lanes) {
    stream.template take<false>(simd::load(values.data() + j), simd::lanes);
  }
  if (j < count) {
    // What lies behind the end must not matter.
    T last[simd::lane_count];
    for (T& element : last) element = static_cast<T>(12345);
    for (std::int64_t e = j; e < count; ++e) last[e - j] = values[static_cast<std::size_t>(e)];
    stream.template take<true>(simd::load(last), static_cast<int>(count - j));
  }
  return stream.finish(count);
}

std::vector<std::int64_t> lengths() {
  std::vector<std::int64_t> all = {511, 512, 513, 1000, 1023, 1024, 1025, 4096, 5000};
  for (std::int64_t n = 1; n <= 200; ++n) all.push_back(n);
  return all;
}

template <op Combine, class T>
void check(const std::vector<T>& values) {
  const T want = in_documented_order(values, [](T x, T y) { return meaning<Combine>::eval(x, y); });
  for (const bool in_groups : {false, true}) {
    const T have = streamed<Combine>(values, in_groups);
    ASSERT_EQ(to_bits(have), to_bits(want)) << values.size() << " elements";
  }
}

TEST(ReductionStream, SumsInTheDocumentedOrder) {
  for (const std::int64_t n : lengths()) {
    check<op::add>(tests::random_values<float>(n, static_cast<std::uint32_t>(n)));
    check<op::add>(std::vector<float>(static_cast<std::size_t>(n), -0.0f));
  }
}
TEST(ReductionStream, IntegersWrap) {
  for (const std::int64_t n : lengths()) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(n));
    std::vector<std::uint32_t> naturals(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < values.size(); ++i) {
      naturals[i] = static_cast<std::uint32_t>(i) * 2654435761u;
      values[i] = static_cast<std::int32_t>(naturals[i]);
    }
    check<op::add>(values);
    check<op::add>(naturals);
    check<op::maximum>(values);
    check<op::minimum>(naturals);
  }
}
TEST(ReductionStream, ExtremesIgnoreNaNAndKeepTheFirstOfEqualOnes) {
  for (const std::int64_t n : lengths()) {
    std::vector<float> values = tests::random_values<float>(n, 99);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % 3 == 0) values[i] = std::bit_cast<float>(0x7fc00000u + static_cast<std::uint32_t>(i));
      if (i % 5 == 0) values[i] = i % 2 == 0 ? 0.0f : -0.0f;
    }
    check<op::maximum>(values);
    check<op::minimum>(values);
    // Whole subtrees of NaN, to the left and to the right of numbers.
    for (const std::size_t first : {values.size() / 2, std::size_t{0}}) {
      std::vector<float> half = tests::random_values<float>(n, 98);
      for (std::size_t i = 0; i < (values.size() + 1) / 2; ++i) {
        half[first + i < half.size() ? first + i : i] = std::numeric_limits<float>::quiet_NaN();
      }
      check<op::maximum>(half);
      check<op::minimum>(half);
    }
    for (float& value : values) value = std::copysign(0.0f, value);
    check<op::maximum>(values);
    check<op::minimum>(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::bit_cast<float>(0x7fc00000u + static_cast<std::uint32_t>(i));
    }
    check<op::maximum>(values);
    check<op::minimum>(values);
  }
}

TEST(TileReductions, ElementsAndColumnsTakeTheSameTree) {
  constexpr std::int64_t columns = 32;
  for (const std::int64_t n : {1, 2, 15, 16, 17, 100, 257}) {
    const std::vector<float> tile = tests::random_values<float>(n * columns, 5);
    const auto offset = [](std::int64_t e) { return e * columns; };
    for (std::int64_t first = 0; first < columns; first += simd::lanes) {
      const auto together =
          detail::reduce_columns<op::add, float, float>(tile.data() + first, n, offset);
      float sums[simd::lane_count];
      simd::store(sums, together);
      for (int lane = 0; lane < simd::lanes; ++lane) {
        std::vector<float> column;
        for (std::int64_t e = 0; e < n; ++e) {
          column.push_back(tile[static_cast<std::size_t>(e * columns + first + lane)]);
        }
        const float want = in_documented_order(column, [](float x, float y) { return x + y; });
        const float alone =
            detail::reduce_elements<op::add, float, float>(tile.data() + first + lane, n, offset);
        ASSERT_EQ(to_bits(sums[lane]), to_bits(want));
        ASSERT_EQ(to_bits(alone), to_bits(want));
      }
    }
  }
}

}  // namespace
}  // namespace tilewright
