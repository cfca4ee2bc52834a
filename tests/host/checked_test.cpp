// The checked mode of the host: the failures that it reports, on one thread and on several, and what
// masked lanes hold.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <tilewright/host/checked.hpp>
#include <tilewright/host/thread_pool.hpp>
#include <tilewright/kernels/gemm.hpp>
#include <tilewright/kernels/softmax.hpp>
#include <tilewright/launch/launch.hpp>
#include <type_traits>
#include <vector>

#include "bounds_cases.hpp"
#include "guarded.hpp"
#include "random_data.hpp"

namespace tilewright::tests {
namespace {

struct one_thread {
  static constexpr const char* name = "host";
  static const checked_target& target() { return checked; }
};
struct three_threads {
  static constexpr const char* name = "host";
  static checked_on<thread_pool> target() {
    static thread_pool pool(3);
    return checked.on(pool);
  }
};
INSTANTIATE_TYPED_TEST_SUITE_P(OneThread, Bounds, one_thread);
INSTANTIATE_TYPED_TEST_SUITE_P(ThreeThreads, Bounds, three_threads);

// ---- failures ----

struct fill_row {
  static constexpr void body(lang& tl, ptr<float> y, i32 n) {
    auto lane = tl.program_id(0) * 16 + tl.arange<16>();
    tl.store(y + lane, 1.0f, lane < n);
  }
};

// All programs from number 100 on fail; some of them at the same time.
TEST(Checked, OneOfManyFailuresReachesTheCaller) {
  thread_pool pool(4);
  for (int round = 0; round < 20; ++round) {
    guarded<float> y(std::vector<float>(1600, 0.0f));
    try {
      launch<fill_row>(checked.on(pool), grid(1000), y, 16000);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const error& failure) {
      const std::string text = failure.what();
      EXPECT_NE(text.find("of argument 0, which has 1600 (program "), std::string::npos) << text;
    }
    // The threads are still there.
    launch<fill_row>(checked.on(pool), grid(1000), y, 1600);
    for (const float value : y.values()) ASSERT_EQ(value, 1.0f);
  }
}

// The span ends where memory does not: an element read or written behind it would not be noticed by
// the system, and is not there when the launch fails.
TEST(Checked, NothingIsStoredByTheAccessThatFails) {
  std::vector<float> y(64, 0.0f);
  EXPECT_THROW(launch<fill_row>(checked, grid(4), std::span(y).first(40), 64), error);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], i < 32 ? 1.0f : 0.0f) << i;
}

// A checked load or store may not use memory that the check has not seen, masks included.
struct masked_by_stored {
  static constexpr void body(lang& tl, ptr<std::int32_t> x, ptr<float> y) {
    auto lane = tl.arange<20>();
    tl.store(x + lane, lane, lane < 12);
    auto mask = tl.load(x + lane) > 8;
    tl.store(x + lane, 9);  // after the mask was loaded
    tl.store(y + lane, 1.0f, mask);
  }
};
TEST(Checked, MasksAreThoseOfTheirPlace) {
  std::vector<std::int32_t> x(20, 0);
  std::vector<float> y(12, 0.0f);  // of the lanes only 9 to 11 are above 8
  launch<masked_by_stored>(checked, grid(1), x, y);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], i > 8 ? 1.0f : 0.0f) << i;
  EXPECT_EQ(x[19], 9);
}

// ---- masked lanes ----

template <class T>
struct load_masked {
  static constexpr void body(lang& tl, ptr<const T> x, ptr<T> y, i32 n) {
    auto lane = tl.arange<40>();
    tl.store(y + lane, tl.load(x + lane, lane < n));                      // an extent
    tl.store(y + (lane + 40), tl.load(x + lane, lane < n && lane != 3));  // a mask
    tl.store(y + (lane + 80), tl.load(x + lane / 2, lane < n));           // a gather
    tl.store(y + 120, tl.load(x, n > 50));                                // a scalar
  }
};

/// Whether `value` is what masked lanes must hold: NaN, bytes of a5, or true.
template <class T>
bool is_poison(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else if constexpr (is_float(dtype_v<T>)) {
    return std::isnan(static_cast<double>(value));
  } else {
    T poison;
    std::memset(&poison, 0xa5, sizeof(T));
    return value == poison;
  }
}

template <class T>
void expect_poison() {
  SCOPED_TRACE(name_of(dtype_v<T>));
  const std::size_t n = 21;
  const guarded<T> x(static_cast<std::int64_t>(n));
  for (std::size_t i = 0; i < n; ++i) x.data()[i] = T(1);
  const guarded<T> y(121), plain(121);
  launch<load_masked<T>>(checked, grid(1), x, y, static_cast<int>(n));
  launch<load_masked<T>>(host, grid(1), x, plain, static_cast<int>(n));
  for (std::size_t i = 0; i < 121; ++i) {
    const bool loaded = i < 120 && i % 40 < n && i != 43;
    if (loaded) {
      EXPECT_EQ(to_bits(y.data()[i]), to_bits(T(1))) << i;
    } else {
      EXPECT_TRUE(is_poison(y.data()[i])) << i;
    }
    EXPECT_EQ(to_bits(plain.data()[i]), to_bits(loaded ? T(1) : T(0))) << i;
  }
}

TEST(Poison, StandsInMaskedLanesWithoutOther) {
  expect_poison<float>();
  expect_poison<double>();
  expect_poison<f16>();
  expect_poison<bf16>();
  expect_poison<std::int8_t>();
  expect_poison<std::uint16_t>();
  expect_poison<std::int32_t>();
  expect_poison<std::uint64_t>();
  expect_poison<bool>();
}

struct sum_of_tail {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<float> y, i32 n) {
    auto lane = tl.arange<40>();
    tl.store(y, tl.sum<0>(tl.load(x + lane, lane < n)));
    tl.store(y + 1, tl.sum<0>(tl.load(x + lane, lane < n, 0.0f)));
    tl.store(y + 2, tl.sum<0>(tl.where(lane < n, tl.load(x + lane, lane < n), 2.0f)));
  }
};
TEST(Poison, ReachesResultsThatRelyOnMaskedLanes) {
  const std::vector<float> x(25, 1.0f);
  std::vector<float> y(3);
  launch<sum_of_tail>(checked, grid(1), x, y, 25);
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], 25.0f);
  EXPECT_EQ(y[2], 25.0f + 15 * 2.0f);
  launch<sum_of_tail>(host, grid(1), x, y, 25);
  EXPECT_EQ(y[0], 25.0f);
}

/// Rows [4, 16] times columns [16, 4], of which only the first k count. Without `other`, the product
/// relies on zeros that the kernel does not ask for.
template <bool Other>
struct short_product {
  static constexpr void body(lang& tl, ptr<const float> a, ptr<const float> b, ptr<float> c,
                             i32 k) {
    auto rows = tl.arange<4>();
    auto inner = tl.arange<16>();
    auto left = a + tl.col(rows) * k + tl.row(inner);
    auto right = b + tl.col(inner) * 4 + tl.row(rows);
    auto out = c + tl.col(rows) * 4 + tl.row(rows);
    if constexpr (Other) {
      tl.store(out, tl.dot(tl.load(left, tl.row(inner) < k, 0.0f),
                           tl.load(right, tl.col(inner) < k, 0.0f)));
    } else {
      tl.store(out, tl.dot(tl.load(left, tl.row(inner) < k), tl.load(right, tl.col(inner) < k)));
    }
  }
};
TEST(Poison, ReachesProducts) {
  const std::vector<float> a(4 * 7, 2.0f), b(7 * 4, 3.0f);
  std::vector<float> c(16);
  launch<short_product<true>>(checked, grid(1), a, b, c, 7);
  for (const float value : c) EXPECT_EQ(value, 7 * 6.0f);
  launch<short_product<false>>(checked, grid(1), a, b, c, 7);
  for (const float value : c) EXPECT_TRUE(std::isnan(value));
}

// ---- kernels without faults ----

TEST(Checked, ReadyKernelsGiveTheBitsOfTheHost) {
  const int m = 50, n = 37, k = 41;
  const auto a = random_values<float>(m * k, 1), b = random_values<float>(k * n, 2);
  std::vector<float> have(static_cast<std::size_t>(m * n)), want = have;
  using product = kernels::gemm<float, 32, 32, 16>;
  launch<product>(checked, grid(2, 2), a, b, have, m, n, k);
  launch<product>(host, grid(2, 2), a, b, want, m, n, k);
  EXPECT_EQ(have, want);

  const auto x = random_values<float>(m * n, 3);
  launch<kernels::softmax<64>>(checked, grid(m), x, have, n, n);
  launch<kernels::softmax<64>>(host, grid(m), x, want, n, n);
  EXPECT_EQ(have, want);
}

}  // namespace
}  // namespace tilewright::tests
