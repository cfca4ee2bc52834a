// Loads and stores outside of their arguments, for every way to run that reports them. The elements
// in the messages are worked out by hand.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tilewright/launch/launch.hpp>
#include <type_traits>
#include <vector>

namespace tilewright::tests {

/// `Way::target()` is a launch target, `Way::name` how it begins its messages.
template <class Way>
class Bounds : public testing::Test {
 protected:
  /// What the launch fails with; empty if it does not fail. Arguments are named, so that what a
  /// kernel stores can be looked at.
  template <class K, class... Arguments>
  static std::string failure(const grid& programs, Arguments&&... arguments) {
    try {
      launch<K>(Way::target(), programs, arguments...);
    } catch (const error& caught) {
      return caught.what();
    }
    return "";
  }
  /// The message for `access` ("load of line 7"), elements "-3 to 4", and where they should lie.
  static std::string message(const std::string& access, const std::string& elements, int position,
                             int size, int program = 0) {
    return std::string(Way::name) + ": the " + access + " touches elements " + elements +
           " of argument " + std::to_string(position) + ", which has " + std::to_string(size) +
           " (program " + std::to_string(program) + ")";
  }
};
TYPED_TEST_SUITE_P(Bounds);

inline std::string load_of(int line) { return "load of line " + std::to_string(line); }
inline std::string store_of(int line) { return "store of line " + std::to_string(line); }

// ---- rows ----

inline constexpr int copy_line = __LINE__;
template <class T, int Block>
struct copy_row {
  static constexpr void body(lang& tl, ptr<const T> x, ptr<T> y, i32 from, i32 to) {
    auto lane = tl.program_id(0) * Block + tl.arange<Block>();
    auto value = tl.load(x + (lane + from));  // copy_line + 5
    tl.store(y + (lane + to), value);         // copy_line + 6
  }
};

template <class T>
struct elements {
  // Not std::vector: that of bool has no data().
  T memory[80] = {};
  std::span<T> first(std::size_t count) { return {memory, count}; }
};

TYPED_TEST_P(Bounds, RowsOfAllTypes) {
  const auto check = [&]<class T>() {
    const std::string load = load_of(copy_line + 5), store = store_of(copy_line + 6);
    elements<T> x, y;
    using row = copy_row<T, 37>;
    // Two programs of 37 lanes are elements 0 to 73.
    EXPECT_EQ((this->template failure<row>(grid(2), x.first(74), y.first(74), 0, 0)), "");
    EXPECT_EQ((this->template failure<row>(grid(2), x.first(73), y.first(74), 0, 0)),
              this->message(load, "37 to 73", 0, 73, 1));
    EXPECT_EQ((this->template failure<row>(grid(2), x.first(74), y.first(73), 0, 0)),
              this->message(store, "37 to 73", 1, 73, 1));
    EXPECT_EQ((this->template failure<row>(grid(1), x.first(80), y.first(80), -1, 0)),
              this->message(load, "-1 to 35", 0, 80));
    EXPECT_EQ((this->template failure<row>(grid(1), x.first(80), y.first(80), 43, -3)),
              this->message(store, "-3 to 33", 1, 80));
    EXPECT_EQ((this->template failure<row>(grid(1), x.first(80), y.first(80), 44, 0)),
              this->message(load, "44 to 80", 0, 80));
  };
  check.template operator()<float>();
  check.template operator()<f16>();
  check.template operator()<bf16>();
  check.template operator()<double>();
  check.template operator()<std::int8_t>();
  check.template operator()<std::int32_t>();
  check.template operator()<std::uint64_t>();
  check.template operator()<bool>();
}

TYPED_TEST_P(Bounds, BlocksOfOneLaneAndOfWholeVectors) {
  elements<float> x, y;
  EXPECT_EQ((this->template failure<copy_row<float, 1>>(grid(5), x.first(5), y.first(5), 0, 0)),
            "");
  EXPECT_EQ((this->template failure<copy_row<float, 1>>(grid(5), x.first(4), y.first(5), 0, 0)),
            this->message(load_of(copy_line + 5), "4 to 4", 0, 4, 4));
  EXPECT_EQ((this->template failure<copy_row<float, 64>>(grid(1), x.first(64), y.first(64), 0, 0)),
            "");
  EXPECT_EQ((this->template failure<copy_row<float, 64>>(grid(1), x.first(64), y.first(63), 0, 0)),
            this->message(store_of(copy_line + 6), "0 to 63", 1, 63));
}

TYPED_TEST_P(Bounds, ArgumentsWithoutElements) {
  elements<float> x, y;
  std::vector<float> none;
  EXPECT_EQ((this->template failure<copy_row<float, 8>>(grid(1), none, y.first(8), 0, 0)),
            this->message(load_of(copy_line + 5), "0 to 7", 0, 0));
  EXPECT_EQ((this->template failure<copy_row<float, 8>>(grid(1), x.first(8), none, 0, 0)),
            this->message(store_of(copy_line + 6), "0 to 7", 1, 0));
  EXPECT_EQ((this->template failure<copy_row<float, 8>>(grid(0), none, none, 0, 0)), "");
}

TYPED_TEST_P(Bounds, RawPointersHaveNoBounds) {
  elements<float> x, y;
  x.memory[37] = 3.0f;
  EXPECT_EQ((this->template failure<copy_row<float, 8>>(grid(1), x.memory + 40, y.memory, -3, 0)),
            "");
  EXPECT_EQ(y.memory[0], 3.0f);
}

// ---- masks ----

inline constexpr int masked_line = __LINE__;
struct masked_copy {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<float> y, i32 from, i32 first,
                             i32 loaded, i32 stored) {
    auto lane = tl.arange<37>();
    // Not leading lanes unless `first` is 0 or less.
    auto value = tl.load(x + (lane + from), lane >= first && lane < loaded, 0.0f);  // + 6
    tl.store(y + lane, value, lane < stored);                                       // + 7
  }
};

TYPED_TEST_P(Bounds, MaskedLanesDoNotCount) {
  const std::string load = load_of(masked_line + 6), store = store_of(masked_line + 7);
  elements<float> x, y;
  const auto run = [&](std::size_t x_size, std::size_t y_size, int from, int first, int loaded,
                       int stored) {
    return this->template failure<masked_copy>(grid(1), x.first(x_size), y.first(y_size), from,
                                               first, loaded, stored);
  };
  EXPECT_EQ(run(20, 30, 0, 0, 20, 30), "");
  EXPECT_EQ(run(20, 30, 0, 0, 21, 30), this->message(load, "0 to 20", 0, 20));
  EXPECT_EQ(run(20, 30, 0, 0, 20, 31), this->message(store, "0 to 30", 1, 30));
  // Lanes 5 to 20 are elements 0 to 15.
  EXPECT_EQ(run(16, 30, -5, 5, 21, 30), "");
  EXPECT_EQ(run(16, 30, -5, 4, 21, 30), this->message(load, "-1 to 15", 0, 16));
  EXPECT_EQ(run(15, 30, -5, 5, 21, 30), this->message(load, "0 to 15", 0, 15));
  // Lane 33 alone.
  EXPECT_EQ(run(34, 30, 0, 33, 34, 30), "");
  EXPECT_EQ(run(33, 30, 0, 33, 34, 30), this->message(load, "33 to 33", 0, 33));
  // No lane at all.
  EXPECT_EQ(run(0, 0, -100, 7, 7, 0), "");
  EXPECT_EQ(run(0, 0, 1000, 0, -1, -5), "");
}

inline constexpr int hole_line = __LINE__;
struct copy_but_one {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<float> y) {
    auto lane = tl.arange<21>();
    tl.store(y + lane, tl.load(x + lane, lane != 20), lane != 0);  // hole_line + 4
  }
};

// The mask holds in the lanes of a vector that the block does not have.
TYPED_TEST_P(Bounds, LanesBehindTheBlockDoNotCount) {
  elements<float> x, y;
  EXPECT_EQ((this->template failure<copy_but_one>(grid(1), x.first(20), y.first(21))), "");
  EXPECT_EQ((this->template failure<copy_but_one>(grid(1), x.first(19), y.first(21))),
            this->message(load_of(hole_line + 4), "0 to 19", 0, 19));
  EXPECT_EQ((this->template failure<copy_but_one>(grid(1), x.first(20), y.first(20))),
            this->message(store_of(hole_line + 4), "1 to 20", 1, 20));
}

inline constexpr int careless_line = __LINE__;
struct careless_load {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<float> y, i32 n) {
    auto lane = tl.arange<37>();
    tl.store(y + lane, tl.load(x + lane), lane < n);  // careless_line + 4
  }
};

// The missing mask of a load counts although nobody uses the lanes.
TYPED_TEST_P(Bounds, LanesThatAreLoadedAndNotUsedCount) {
  elements<float> x, y;
  EXPECT_EQ((this->template failure<careless_load>(grid(1), x.first(30), y.first(30), 30)),
            this->message(load_of(careless_line + 4), "0 to 36", 0, 30));
  EXPECT_EQ((this->template failure<careless_load>(grid(1), x.first(37), y.first(30), 30)), "");
}

inline constexpr int scalar_line = __LINE__;
struct one_element {
  static constexpr void body(lang& tl, ptr<const std::int16_t> x, ptr<std::int16_t> y, i32 from,
                             i32 to, i32 wanted) {
    auto value = tl.load(x + from, wanted > 0);  // scalar_line + 4
    tl.store(y + to, value, wanted > 1);         // scalar_line + 5
  }
};

TYPED_TEST_P(Bounds, SingleElements) {
  elements<std::int16_t> x, y;
  const auto run = [&](int from, int to, int wanted) {
    return this->template failure<one_element>(grid(1), x.first(7), y.first(9), from, to, wanted);
  };
  EXPECT_EQ(run(6, 8, 2), "");
  EXPECT_EQ(run(7, 8, 2), this->message(load_of(scalar_line + 4), "7 to 7", 0, 7));
  EXPECT_EQ(run(-1, 8, 2), this->message(load_of(scalar_line + 4), "-1 to -1", 0, 7));
  EXPECT_EQ(run(6, 9, 2), this->message(store_of(scalar_line + 5), "9 to 9", 1, 9));
  EXPECT_EQ(run(6, 9, 1), "");
  EXPECT_EQ(run(70, 90, 0), "");
}

// ---- more dimensions ----

inline constexpr int matrix_line = __LINE__;
struct matrix_copy {
  static constexpr void body(lang& tl, ptr<const double> x, ptr<double> y, i32 offset, i32 down,
                             i32 right, i32 m, i32 n) {
    auto rows = tl.col(tl.arange<5>());
    auto cols = tl.row(tl.arange<19>());
    auto value =
        tl.load(x + offset + rows * down + cols * right, rows < m && cols < n, 0.0);  // + 7
    tl.store(y + rows * 19 + cols, value, rows >= cols);                              // + 8
  }
};

TYPED_TEST_P(Bounds, MatricesWithStridesOfBothSigns) {
  const std::string load = load_of(matrix_line + 7), store = store_of(matrix_line + 8);
  elements<double> x;
  std::vector<double> y(95);
  const auto run = [&](std::size_t size, int offset, int down, int right, int m, int n) {
    return this->template failure<matrix_copy>(grid(1), x.first(size), y, offset, down, right, m,
                                               n);
  };
  // Rows 0 to 3 and columns 0 to 9: the last element lies at 3 * 20 + 9.
  EXPECT_EQ(run(70, 0, 20, 1, 4, 10), "");
  EXPECT_EQ(run(69, 0, 20, 1, 4, 10), this->message(load, "0 to 69", 0, 69));
  EXPECT_EQ(run(70, 0, 20, 1, 4, 11), this->message(load, "0 to 70", 0, 70));
  EXPECT_EQ(run(69, 0, 20, 1, 0, 10), "");
  EXPECT_EQ(run(69, 0, 20, 1, 4, -3), "");
  EXPECT_EQ(run(3, 0, 0, 1, 0, 10), "");  // no row, although a row would reach 9
  // Backwards along rows, forwards along columns: from 60 - 3 * 20 to 60 + 9.
  EXPECT_EQ(run(70, 60, -20, 1, 4, 10), "");
  EXPECT_EQ(run(70, 59, -20, 1, 4, 10), this->message(load, "-1 to 68", 0, 70));
  EXPECT_EQ(run(70, 61, -20, 1, 4, 10), this->message(load, "1 to 70", 0, 70));
  // Both backwards, and a column that is repeated.
  EXPECT_EQ(run(40, 39, -10, -1, 4, 10), "");
  EXPECT_EQ(run(40, 38, -10, -1, 4, 10), this->message(load, "-1 to 38", 0, 40));
  EXPECT_EQ(run(4, 0, 1, 0, 4, 19), "");
  EXPECT_EQ(run(3, 0, 1, 0, 4, 19), this->message(load, "0 to 3", 0, 3));
  // The triangle that is stored ends at row 4, column 4: element 80.
  y.resize(81);
  EXPECT_EQ(run(70, 0, 1, 1, 1, 1), "");
  y.resize(80);
  EXPECT_EQ(run(70, 0, 1, 1, 1, 1), this->message(store, "0 to 80", 1, 80));
}

inline constexpr int cube_line = __LINE__;
struct cube_copy {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<float> y, i32 planes, i32 n) {
    auto i = tl.expand_dims<1>(tl.col(tl.arange<3>()));
    auto j = tl.expand_dims<0>(tl.col(tl.arange<1>()));
    auto k = tl.expand_dims<0>(tl.row(tl.arange<17>()));
    auto value = tl.load(x + i * planes + j * 1000 + k, k < n && j < 1);  // cube_line + 6
    tl.store(y + (i * 17 + j + k), value);                                // cube_line + 7
  }
};

TYPED_TEST_P(Bounds, ThreeDimensions) {
  elements<float> x, y;
  const auto run = [&](std::size_t x_size, std::size_t y_size, int planes, int n) {
    return this->template failure<cube_copy>(grid(1), x.first(x_size), y.first(y_size), planes, n);
  };
  // 2 * 20 + 11.
  EXPECT_EQ(run(52, 51, 20, 12), "");
  EXPECT_EQ(run(51, 51, 20, 12), this->message(load_of(cube_line + 6), "0 to 51", 0, 51));
  EXPECT_EQ(run(52, 51, -20, 12), this->message(load_of(cube_line + 6), "-40 to 11", 0, 52));
  EXPECT_EQ(run(52, 50, 20, 12), this->message(store_of(cube_line + 7), "0 to 50", 1, 50));
}

inline constexpr int narrow_line = __LINE__;
struct narrow_copy {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<float> y, i32 m, i32 n) {
    auto row = tl.col(tl.arange<1>());
    auto cols = tl.row(tl.arange<18>());
    auto mask = row < m && cols < n;
    tl.store(y + (row + cols), tl.load(x + (row + cols), mask, 0.0f), mask);  // narrow_line + 6
  }
};

TYPED_TEST_P(Bounds, DimensionsOfOneLane) {
  elements<float> x, y;
  const auto run = [&](std::size_t x_size, std::size_t y_size, int m, int n) {
    return this->template failure<narrow_copy>(grid(1), x.first(x_size), y.first(y_size), m, n);
  };
  EXPECT_EQ(run(0, 0, 0, 18), "");
  EXPECT_EQ(run(0, 0, 1, 0), "");
  EXPECT_EQ(run(17, 17, 1, 17), "");
  EXPECT_EQ(run(16, 17, 1, 17), this->message(load_of(narrow_line + 6), "0 to 16", 0, 16));
  EXPECT_EQ(run(17, 16, 1, 17), this->message(store_of(narrow_line + 6), "0 to 16", 1, 16));
}

// ---- gathers and scatters ----

inline constexpr int gather_line = __LINE__;
template <class T>
struct gather {
  static constexpr void body(lang& tl, ptr<const T> x, ptr<const std::int32_t> from, ptr<T> y,
                             ptr<const std::int32_t> to, i32 n) {
    auto lane = tl.arange<21>();
    auto value = tl.load(x + tl.load(from + lane), lane != 3);  // gather_line + 6
    tl.store(y + tl.load(to + lane), value, lane < n);          // gather_line + 7
  }
};

TYPED_TEST_P(Bounds, GathersAndScatters) {
  const auto check = [&]<class T>() {
    elements<T> x, y;
    std::vector<std::int32_t> from(21, 5), to(21, 2);  // all lanes meet
    const auto run = [&](int n) {
      return this->template failure<gather<T>>(grid(1), x.first(20), from, y.first(10), to, n);
    };
    EXPECT_EQ(run(21), "");
    from[3] = 1 << 30;  // masked
    EXPECT_EQ(run(21), "");
    from[20] = 20;
    EXPECT_EQ(run(21), this->message(load_of(gather_line + 6), "5 to 20", 0, 20));
    from[0] = -1;
    EXPECT_EQ(run(21), this->message(load_of(gather_line + 6), "-1 to 20", 0, 20));
    from[20] = 19;
    from[0] = 0;
    to[17] = 10;
    EXPECT_EQ(run(17), "");
    x.memory[5] = T(1.0f);
    y.memory[2] = T(7.0f);
    EXPECT_EQ(run(18), this->message(store_of(gather_line + 7), "2 to 10", 2, 10));
    EXPECT_EQ(to_bits(y.memory[2]), to_bits(T(7.0f))) << "a lane was stored before the failure";
    to[17] = -1;
    to[1] = -2147483647;
    EXPECT_EQ(run(18), this->message(store_of(gather_line + 7), "-2147483647 to 2", 2, 10));
  };
  check.template operator()<float>();
  check.template operator()<f16>();
  check.template operator()<std::int64_t>();
}

inline constexpr int by_mask_line = __LINE__;
struct mask_from_memory {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<const bool> wanted, ptr<float> y) {
    auto lane = tl.arange<21>();
    auto mask = tl.load(wanted + lane);
    tl.store(y + lane, tl.load(x + lane * 2, mask, 1.0f), mask);  // by_mask_line + 5
  }
};

TYPED_TEST_P(Bounds, MasksFromMemory) {
  elements<float> x, y;
  elements<bool> wanted;
  const auto run = [&](std::size_t x_size, std::size_t y_size) {
    return this->template failure<mask_from_memory>(grid(1), x.first(x_size), wanted.first(21),
                                                    y.first(y_size));
  };
  EXPECT_EQ(run(0, 0), "");
  wanted.memory[4] = wanted.memory[17] = true;
  EXPECT_EQ(run(35, 18), "");
  EXPECT_EQ(run(34, 18), this->message(load_of(by_mask_line + 5), "8 to 34", 0, 34));
  EXPECT_EQ(run(35, 17), this->message(store_of(by_mask_line + 5), "4 to 17", 2, 17));
}

// ---- loops ----

inline constexpr int moving_line = __LINE__;
struct moving_pointer {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<float> y, i32 n, i32 step) {
    auto from = x + tl.arange<8>();
    auto to = y + tl.arange<8>();
    for ([[maybe_unused]] auto i : tl.range(0, n)) {
      tl.store(to, tl.load(from) + 1.0f);  // moving_line + 6
      from += step;
      to += 8;
    }
  }
};

TYPED_TEST_P(Bounds, PointersThatLoopsMove) {
  elements<float> x, y;
  const auto run = [&](std::size_t x_size, int n, int step) {
    return this->template failure<moving_pointer>(grid(1), x.first(x_size), y.first(24), n, step);
  };
  EXPECT_EQ(run(28, 3, 10), "");
  EXPECT_EQ(run(27, 2, 10), "");
  EXPECT_EQ(run(7, 0, 10), "");
  y = {};
  EXPECT_EQ(run(27, 3, 10), this->message(load_of(moving_line + 6), "20 to 27", 0, 27));
  EXPECT_EQ(y.memory[15], 1.0f) << "what came before the failure is stored";
  EXPECT_EQ(y.memory[16], 0.0f);
  EXPECT_EQ(run(20, 2, -1), this->message(load_of(moving_line + 6), "-1 to 6", 0, 20));
  EXPECT_EQ(run(80, 4, 1), this->message(store_of(moving_line + 6), "24 to 31", 1, 24));
}

inline constexpr int chain_line = __LINE__;
struct pointer_chain {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<const std::int32_t> step,
                             ptr<float> y, i32 n) {
    auto from = x + tl.arange<8>() * 2;
    for ([[maybe_unused]] auto i : tl.range(0, n)) {
      from += tl.load(step + tl.arange<8>());  // not affine
    }
    tl.store(y + tl.arange<8>(), tl.load(from));  // chain_line + 8
  }
};

TYPED_TEST_P(Bounds, PointersThatLoopsScatter) {
  elements<float> x, y;
  std::vector<std::int32_t> step = {0, 1, 0, -2, 0, 0, 3, 0};
  const auto run = [&](std::size_t size, int n) {
    return this->template failure<pointer_chain>(grid(1), x.first(size), step, y.first(8), n);
  };
  // Lane 3 starts at 6 and moves down by 2, lane 6 at 12 and up by 3; lane 7 stays at 14.
  EXPECT_EQ(run(15, 0), "");
  EXPECT_EQ(run(14, 0), this->message(load_of(chain_line + 8), "0 to 14", 0, 14));
  EXPECT_EQ(run(22, 3), "");
  EXPECT_EQ(run(21, 3), this->message(load_of(chain_line + 8), "0 to 21", 0, 21));
  EXPECT_EQ(run(80, 4), this->message(load_of(chain_line + 8), "-2 to 24", 0, 80));
}

inline constexpr int exchange_line = __LINE__;
struct exchanged_pointers {
  static constexpr void body(lang& tl, ptr<float> x, ptr<float> y, ptr<float> z, i32 n) {
    auto a = x + tl.arange<8>();
    auto b = y + tl.arange<8>();
    auto c = z + 0;
    auto d = z + 1;
    for ([[maybe_unused]] auto i : tl.range(0, n)) {
      tl.store(b, tl.load(a) + 1.0f);  // exchange_line + 8
      auto kept = a;
      a = b;
      b = kept;
      auto other = c;
      c = d;
      d = other;
    }
    tl.store(c, 5.0f);  // exchange_line + 16
  }
};

TYPED_TEST_P(Bounds, PointersThatLoopsExchange) {
  elements<float> x, y, z;
  const auto run = [&](std::size_t x_size, std::size_t y_size, std::size_t z_size, int n) {
    return this->template failure<exchanged_pointers>(grid(1), x.first(x_size), y.first(y_size),
                                                      z.first(z_size), n);
  };
  EXPECT_EQ(run(8, 8, 2, 5), "");
  EXPECT_EQ(x.memory[0], 4.0f);  // stored in iterations 1 and 3
  EXPECT_EQ(y.memory[0], 5.0f);
  EXPECT_EQ(z.memory[1], 5.0f);
  // Arguments of the same memory: only where a pointer comes from says which sizes hold.
  EXPECT_EQ(run(8, 7, 2, 1), this->message(store_of(exchange_line + 8), "0 to 7", 1, 7));
  EXPECT_EQ(run(7, 8, 2, 1), this->message(load_of(exchange_line + 8), "0 to 7", 0, 7));
  EXPECT_EQ(run(8, 8, 1, 2), "");
  EXPECT_EQ(run(8, 8, 1, 3), this->message(store_of(exchange_line + 16), "1 to 1", 2, 1));
  // One memory under two names, of two sizes.
  const auto whole = [&](std::size_t x_size, std::size_t y_size, int n) {
    return this->template failure<exchanged_pointers>(grid(1), x.first(x_size), x.first(y_size),
                                                      z.first(2), n);
  };
  EXPECT_EQ(whole(80, 8, 4), "");
  EXPECT_EQ(whole(80, 7, 4), this->message(store_of(exchange_line + 8), "0 to 7", 1, 7));
}

// ---- offsets that no memory has ----

inline constexpr int far_line = __LINE__;
struct far_away {
  static constexpr void body(lang& tl, ptr<const float> x, ptr<float> y, block<std::int64_t> offset,
                             block<std::int64_t> stride) {
    auto lane = tl.arange<8>();
    tl.store(y + lane, tl.load(x + (offset + lane * stride)));  // far_line + 5
  }
};

TYPED_TEST_P(Bounds, OffsetsWhoseBytesWrap) {
  elements<float> x, y;
  const std::string load = load_of(far_line + 5);
  const auto run = [&](std::int64_t offset, std::int64_t stride) {
    return this->template failure<far_away>(grid(1), x.first(80), y.first(8), offset, stride);
  };
  constexpr std::int64_t quarter = std::int64_t{1} << 62;  // times 4 bytes is 2^64
  EXPECT_EQ(run(72, 1), "");
  EXPECT_EQ(run(quarter, 1),
            this->message(load, "4611686018427387904 to 4611686018427387911", 0, 80));
  EXPECT_EQ(run(-quarter, 1),
            this->message(load, "-4611686018427387904 to -4611686018427387897", 0, 80));
  EXPECT_EQ(run(0, quarter / 8), this->message(load, "0 to 4035225266123964416", 0, 80));
  EXPECT_EQ(run(7, -quarter / 8), this->message(load, "-4035225266123964409 to 7", 0, 80));
  // Past the ends of i64 the elements cannot be told, but that there are some that do not exist.
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const auto& [offset, stride] : {std::pair{most - 3, std::int64_t{1}},
                                       {-most + 3, std::int64_t{-1}},
                                       {std::int64_t{0}, most},
                                       {std::int64_t{0}, quarter},
                                       {std::int64_t{5}, -most}}) {
    EXPECT_NE(run(offset, stride).find(load + " touches elements "), std::string::npos)
        << offset << " " << stride;
  }
}

REGISTER_TYPED_TEST_SUITE_P(Bounds, RowsOfAllTypes, BlocksOfOneLaneAndOfWholeVectors,
                            ArgumentsWithoutElements, RawPointersHaveNoBounds,
                            MaskedLanesDoNotCount, LanesBehindTheBlockDoNotCount,
                            LanesThatAreLoadedAndNotUsedCount, SingleElements,
                            MatricesWithStridesOfBothSigns, ThreeDimensions, DimensionsOfOneLane,
                            GathersAndScatters, MasksFromMemory, PointersThatLoopsMove,
                            PointersThatLoopsScatter, PointersThatLoopsExchange,
                            OffsetsWhoseBytesWrap);

}  // namespace tilewright::tests
