// Blocks that are views of others, or one value repeated, and scalars that come from memory: what
// each way to run makes of them.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "every_way.hpp"

namespace tw = tilewright;
using tw::tests::counted;
using tw::tests::expect_on_every_way;
using tw::tests::expect_on_interpreter_and_host;
using tw::tests::expect_refused_by_device;
using tw::tests::floats;

namespace {

// ---- conditions on blocks with extents of 1 ----

template <int Rows, int Columns>
struct gated_store {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::i32 n) {
    auto at = tl.col(tl.arange<Rows>()) * Columns + tl.row(tl.arange<Columns>());
    tl.store(out + at, 1.0f, n < 0 && tl.row(tl.arange<Columns>()) < 3);
    tl.store(out + (at + Rows * Columns), 2.0f, n < 0);
  }
};
template <int Rows, int Columns>
void expect_gated() {
  const floats out(static_cast<std::size_t>(2 * Rows * Columns), 0.0f);
  expect_on_every_way<gated_store<Rows, Columns>>(tw::grid(1), out, out, 23);
  floats want = out;
  for (std::size_t row = 0; row < Rows; ++row) {
    for (std::size_t column = 0; column < Columns; ++column) {
      want[row * Columns + column] = column < 3 ? 1.0f : 0.0f;
      want[(Rows + row) * Columns + column] = 2.0f;
    }
  }
  expect_on_every_way<gated_store<Rows, Columns>>(tw::grid(1), out, want, -1);
}
TEST(ScalarConditions, OnStoresOfAnyExtents) {
  expect_gated<1, 4>();
  expect_gated<4, 1>();
  expect_gated<1, 1>();
  expect_gated<2, 4>();
}

struct gated_everywhere {  // gates of loads, reductions and loops too; rank 3, the ones inside
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> x, tw::i32 n) {
    auto row = tl.expand_dims<0>(tl.row(tl.arange<4>()));  // [1, 1, 4]
    for (auto i : tl.range(3)) {
      auto v = tl.load(x + (row + i * 4), i < n, 9.0f);
      tl.store(out + (row + i * 4), v + 1.0f, i != n - 1 && row < n);
      tl.store(out + (12 + tl.expand_dims<0>(tl.row(tl.arange<1>() + i))), tl.sum<2>(v), n > i);
    }
  }
};
TEST(ScalarConditions, OnLoadsAndSumsInLoops) {
  const floats x = counted(12);
  for (const int n : {0, 1, 2, 3}) {
    floats out(15, -1.0f), want = out;
    for (int i = 0; i < 3; ++i) {
      float sum = 0;
      for (int lane = 0; lane < 4; ++lane) {
        const auto at = static_cast<std::size_t>(i * 4 + lane);
        const float v = i < n ? x[at] : 9.0f;
        sum += v;
        if (i != n - 1 && lane < n) want[at] = v + 1;
      }
      if (n > i) want[static_cast<std::size_t>(12 + i)] = sum;
    }
    expect_on_every_way<gated_everywhere>(tw::grid(1), out, want, x, n);
  }
}

// ---- views ----

template <int Axis>
struct expanded_broadcast {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> x) {
    auto i = tl.arange<4>();
    auto v = tl.load(x + i);
    auto places = tl.expand_dims<Axis>(tl.col(i) * 4 + tl.row(i));
    tl.store(out + places, tl.expand_dims<Axis>(tl.broadcast_to<4, 4>(tl.row(v))));
    tl.store(out + (places + 16), tl.expand_dims<Axis>(tl.broadcast_to<4, 4>(tl.col(v))) * 2.0f);
  }
};
struct views_of_views {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> x) {
    auto i = tl.arange<4>();
    auto v = tl.load(x + i);
    // [4] -> [1, 4] -> [2, 4] -> [2, 1, 4] -> [2, 3, 4] -> [2, 3, 4, 1] -> [2, 3, 4, 5]
    auto block = tl.broadcast_to<2, 3, 4, 5>(tl.expand_dims<3>(
        tl.broadcast_to<2, 3, 4>(tl.expand_dims<1>(tl.broadcast_to<2, 4>(tl.row(v))))));
    auto d0 = tl.expand_dims<1>(tl.expand_dims<2>(tl.col(tl.arange<2>())));
    auto d1 = tl.expand_dims<0>(tl.expand_dims<2>(tl.col(tl.arange<3>())));
    auto d2 = tl.expand_dims<0>(tl.expand_dims<0>(tl.col(tl.arange<4>())));
    auto d3 = tl.expand_dims<0>(tl.expand_dims<0>(tl.row(tl.arange<5>())));
    tl.store(out + (d0 * 60 + d1 * 20 + d2 * 5 + d3), block + 1.0f);
  }
};
struct views_of_sums {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> x) {
    auto i = tl.arange<8>();
    auto sum = tl.sum<0>(tl.load(x + i));
    tl.store(out + tl.col(i), tl.col(tl.full<float, 8>(sum)));
    tl.store(out + (tl.row(i) + 8), tl.row(tl.full<float, 8>(sum)) + tl.row(tl.load(x + i)));
    tl.store(out + 16, tl.sum<0>(tl.full<float, 16>(sum)));
  }
};
TEST(Views, OfBroadcasts) {
  const floats x = counted(4, 1);
  floats want(32);
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      want[row * 4 + column] = x[column];
      want[16 + row * 4 + column] = 2 * x[row];
    }
  }
  expect_on_every_way<expanded_broadcast<0>>(tw::grid(1), floats(32), want, x);
  expect_on_every_way<expanded_broadcast<1>>(tw::grid(1), floats(32), want, x);
  expect_on_every_way<expanded_broadcast<2>>(tw::grid(1), floats(32), want, x);

  floats all(120);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = x[i / 5 % 4] + 1;
  expect_on_every_way<views_of_views>(tw::grid(1), floats(120), all, x);
}
TEST(Views, OfSums) {
  const floats x = counted(8);
  floats want(17, 28.0f);
  for (std::size_t i = 0; i < 8; ++i) want[8 + i] += x[i];
  want[16] = 16 * 28;
  expect_on_every_way<views_of_sums>(tw::grid(1), floats(17), want, x);
}

// ---- reductions and products of one value repeated ----

template <class T>
struct reduced_repetitions {
  static constexpr void body(tw::lang& tl, tw::ptr<T> out, tw::ptr<const T> x, tw::block<T> s) {
    auto i = tl.arange<5>();
    auto v = tl.load(x + i);
    tl.store(out + i, tl.sum<1>(tl.broadcast_to<5, 128>(tl.col(v))).template to<T>());
    tl.store(out + (i + 5), tl.max<0>(tl.broadcast_to<7, 5>(tl.row(v))).template to<T>());
    tl.store(out + 10, tl.sum<0>(tl.full<T, 16>(s)).template to<T>());
    tl.store(out + 11, tl.min<0>(tl.full<T, 3>(2)).template to<T>());
  }
};
template <class T>
void expect_reduced_repetitions() {
  std::vector<T> x, want;
  for (int i = 0; i < 5; ++i) x.push_back(tw::convert<T>(i + 1));
  for (int i = 0; i < 5; ++i) want.push_back(tw::convert<T>(std::int64_t{128} * (i + 1)));
  want.insert(want.end(), x.begin(), x.end());
  want.push_back(tw::convert<T>(48));
  want.push_back(tw::convert<T>(2));
  expect_on_every_way<reduced_repetitions<T>>(tw::grid(1), std::vector<T>(12), want, x,
                                              tw::convert<T>(3));
}
TEST(Reductions, OfRepeatedValues) {
  expect_reduced_repetitions<float>();
  expect_reduced_repetitions<tw::f16>();
  expect_reduced_repetitions<tw::bf16>();
  expect_reduced_repetitions<double>();
  expect_reduced_repetitions<std::int32_t>();
  expect_reduced_repetitions<std::int16_t>();
  expect_reduced_repetitions<std::uint32_t>();
}

template <class T>
struct repeated_factors {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const T> x) {
    auto i = tl.arange<16>();
    auto at = tl.col(i) * 16 + tl.row(i);
    auto tile = tl.load(x + at);
    auto ones = tl.full<T, 16, 16>(1.0f);
    auto rows = tl.broadcast_to<16, 16>(tl.row(tl.load(x + i)));
    tl.store(out + at, tl.dot(tile, ones));
    tl.store(out + (at + 256), tl.dot(ones, tile));
    tl.store(out + (at + 512), tl.dot(rows, ones, tl.full<float, 16, 16>(0.5f)));
  }
};
template <class T>
void expect_repeated_factors() {
  std::vector<T> x;
  for (int i = 0; i < 256; ++i) x.push_back(T(static_cast<float>(i % 7) - 3.0f));
  const auto at = [&](std::size_t i) { return static_cast<float>(x[i]); };
  floats want(3 * 256);
  for (std::size_t row = 0; row < 16; ++row) {
    for (std::size_t column = 0; column < 16; ++column) {
      float across = 0, down = 0, first = 0.5f;
      for (std::size_t k = 0; k < 16; ++k) {
        across += at(row * 16 + k);
        down += at(k * 16 + column);
        first += at(k);
      }
      want[row * 16 + column] = across;
      want[256 + row * 16 + column] = down;
      want[512 + row * 16 + column] = first;
    }
  }
  expect_on_every_way<repeated_factors<T>>(tw::grid(1), floats(3 * 256), want, x);
}
TEST(Products, OfRepeatedValues) {
  expect_repeated_factors<tw::f16>();
  expect_repeated_factors<float>();
}

// ---- sums of conditions ----

template <class T>
struct counts {
  static constexpr void body(tw::lang& tl, tw::ptr<std::uint32_t> out, tw::ptr<const T> x) {
    auto i = tl.arange<8>();
    auto v = tl.load(x + i);
    auto many = v > 2;
    tl.store(out, tl.sum<0>(many));
    tl.store(out + 1, tl.max<0>(many).template to<std::uint32_t>());
    tl.store(out + 2, tl.min<0>(many).template to<std::uint32_t>());
    tl.store(out + 3, tl.sum<0>(tl.sum<1>(tl.broadcast_to<8, 4>(tl.col(many)))));
  }
};
TEST(Reductions, OfConditions) {
  const std::vector<std::uint32_t> want = {5, 1, 0, 20};
  expect_on_every_way<counts<float>>(tw::grid(1), std::vector<std::uint32_t>(4), want, counted(8));
  expect_on_every_way<counts<std::int32_t>>(tw::grid(1), std::vector<std::uint32_t>(4), want,
                                            std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7});
}
template <class T, class Sum>
struct sums_of {
  static constexpr void body(tw::lang& tl, tw::ptr<Sum> out, tw::ptr<const T> x) {
    auto v = tl.load(x + tl.arange<8>());
    tl.store(out, tl.sum<0>(v));
    tl.store(out + 1, tl.max<0>(v));
  }
};
template <class T, class Sum>
void expect_sums() {
  std::vector<T> x;
  for (int i = 0; i < 8; ++i) x.push_back(tw::convert<T>(i + 1));
  expect_on_every_way<sums_of<T, Sum>>(tw::grid(1), std::vector<Sum>(2),
                                       std::vector<Sum>{tw::convert<Sum>(36), tw::convert<Sum>(8)},
                                       x);
}
TEST(Reductions, OfEachTypeOnAUnitThatTakesOperandsAndResult) {
  expect_sums<std::int8_t, std::int32_t>();
  expect_sums<std::uint8_t, std::uint32_t>();
  expect_sums<std::int16_t, std::int32_t>();
  expect_sums<std::uint16_t, std::uint32_t>();
  expect_sums<std::int64_t, std::int64_t>();
  expect_sums<std::uint64_t, std::uint64_t>();
  expect_sums<tw::f16, float>();
  expect_sums<double, double>();
}

// ---- scalars from memory ----

struct loaded_scalars {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> x,
                             tw::ptr<const std::int32_t> ids, tw::ptr<const bool> flags,
                             tw::ptr<const std::int64_t> length) {
    auto lane = tl.arange<8>();
    auto program = tl.program_id(0);
    auto id = tl.load(ids + program);
    auto row = tl.load(x + id * 8 + lane, lane < tl.load(length + program));
    auto sum = tl.zeros<float, 8>();
    for (auto i : tl.range(id)) sum = sum + row * i.to<float>();
    auto place = out + program * 16 + lane;
    tl.store(place, row + id.to<float>(), tl.load(flags + program));
    tl.store(place + 8, sum, lane < 5 && !tl.load(flags + (program + 1)));
  }
};
TEST(ScalarsFromMemory, AddressesMasksAndBounds) {
  const floats x = counted(80);
  const std::vector<std::int32_t> ids = {3, 0, 9};
  const bool flags[] = {true, false, true, false};
  const std::vector<std::int64_t> length = {8, 5, -1};
  floats out(48, -1.0f), want = out;
  for (std::size_t p = 0; p < 3; ++p) {
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const int id = ids[p];
      const float v = static_cast<std::int64_t>(lane) < length[p]
                          ? x[static_cast<std::size_t>(id) * 8 + lane]
                          : 0.0f;
      if (flags[p]) want[p * 16 + lane] = v + static_cast<float>(id);
      if (lane < 5 && !flags[p + 1]) {
        want[p * 16 + 8 + lane] = v * static_cast<float>(id * (id - 1) / 2);
      }
    }
  }
  expect_on_every_way<loaded_scalars>(tw::grid(3), out, want, x, ids, std::span<const bool>(flags),
                                      length);
}

struct masked_scalar_loads {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int32_t> out, tw::ptr<const std::int32_t> x,
                             tw::i32 n) {
    for (auto i : tl.range(4)) {
      auto value = tl.load(x + i, i < n, -7);
      tl.store(out + i, value);
      auto place = tl.load(x + i, i >= n);
      tl.store(out + (place + 4), i + 1);
    }
  }
};
TEST(ScalarsFromMemory, MaskedLoadsReadNothing) {
  const std::vector<std::int32_t> x = {5, 1, 2, 3};
  // Places 4, 4, 6 and 7 in turn.
  const std::vector<std::int32_t> want = {5, 1, -7, -7, 2, 0, 3, 4};
  expect_on_every_way<masked_scalar_loads>(tw::grid(1), std::vector<std::int32_t>(8), want, x, 2);
}

struct computed_place {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const std::int32_t> x) {
    auto place = tl.sum<0>(tl.load(x + tl.arange<4>()));
    tl.store(out + place, 1.0f);
  }
};
struct computed_bound {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const std::int32_t> x) {
    auto sum = tl.zeros<float>();
    for (auto i : tl.range(tl.max<0>(tl.load(x + tl.arange<4>())))) sum = sum + i;
    tl.store(out, sum);
  }
};
struct computed_mask {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const std::int32_t> x) {
    auto lane = tl.arange<8>();
    tl.store(out + lane, 1.0f, lane < tl.sum<0>(tl.load(x + tl.arange<4>())));
  }
};
struct stored_place {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int32_t> out) {
    tl.store(out + 1, 3);
    tl.store(out + tl.load(out + 1), 7);
  }
};
TEST(ScalarsFromMemory, WhatTheCoresCannotKnowIsRefused) {
  const std::vector<std::int32_t> x = {1, 0, 2, 1};
  floats want(8);
  want[4] = 1;
  expect_on_interpreter_and_host<computed_place>(tw::grid(1), floats(8), want, x);
  expect_refused_by_device<computed_place>("TW-E017", floats(8), x);
  expect_on_interpreter_and_host<computed_bound>(tw::grid(1), floats(1), floats{1}, x);
  expect_refused_by_device<computed_bound>("TW-E017", floats(1), x);
  for (std::size_t lane = 0; lane < 8; ++lane) want[lane] = lane < 4 ? 1.0f : 0.0f;
  expect_on_interpreter_and_host<computed_mask>(tw::grid(1), floats(8), want, x);
  expect_refused_by_device<computed_mask>("TW-E017", floats(8), x);
  expect_on_interpreter_and_host<stored_place>(tw::grid(1), std::vector<std::int32_t>(5),
                                               std::vector<std::int32_t>{0, 3, 0, 7, 0});
  expect_refused_by_device<stored_place>("TW-E018", std::vector<std::int32_t>(5));
}

// Two arguments that are one memory make a load from the one depend on a store to the other.
struct place_from_elsewhere {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int32_t> out,
                             tw::ptr<const std::int32_t> places) {
    tl.store(out + tl.load(places), 7);
  }
};
TEST(ScalarsFromMemory, OverlappingArgumentsAreNoticed) {
  expect_on_every_way<place_from_elsewhere>(tw::grid(1), std::vector<std::int32_t>(4),
                                            std::vector<std::int32_t>{0, 0, 7, 0},
                                            std::vector<std::int32_t>{2});
  std::vector<std::int32_t> both = {2, 0, 0, 0};
  EXPECT_THROW(tw::launch<place_from_elsewhere>(tw::model(tw::mtia_2i), tw::grid(1), both, both),
               tw::error);
}

}  // namespace
