// Integers that become addresses and masks: what is an index counts in 64 bits, and every other
// variable has one value, whether it is stored or used to find a place.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "every_way.hpp"

namespace tw = tilewright;
using tw::tests::expect_on_every_way;
using tw::tests::expect_on_interpreter_and_host;

namespace {

// ---- one value ----

constexpr int origin = 8000;  // room for negative positions

/// Stores `slot` as an i64, and 1 at that position.
template <class Slot>
constexpr void use_twice(tw::lang& tl, const tw::ptr<std::int64_t>& out, const Slot& slot) {
  tl.store(out, slot);
  tl.store(out + origin + slot, 1);
}
void expect_slot(std::int64_t slot, auto&& run) {
  std::vector<std::int64_t> out(80000, 0), want = out;
  want[0] = slot;
  want[static_cast<std::size_t>(origin + slot)] = 1;
  run(out, want);
}
/// `slot` is what the author's arithmetic gives in the type that it is done in.
template <class K, class... Arguments>
void expect_one_value(std::int64_t slot, const Arguments&... arguments) {
  expect_slot(slot, [&](const auto& out, const auto& want) {
    expect_on_every_way<K>(tw::grid(1), out, want, arguments...);
  });
}

struct hash {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out,
                             tw::ptr<const std::uint32_t> k, tw::u32 size) {
    use_twice(tl, out, (tl.load(k) * 2654435761u) % size);
  }
};
struct signed_hash {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out, tw::ptr<const std::int32_t> k,
                             tw::i32 size) {
    use_twice(tl, out, (tl.load(k) * 40503) % size);
  }
};
template <class T>
struct difference {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out, tw::ptr<const T> in) {
    use_twice(tl, out, tl.load(in) - tl.load(in + 1));
  }
};
template <class T>
struct parameter_difference {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out, tw::block<T> x,
                             tw::block<T> y) {
    use_twice(tl, out, x - y);
  }
};
struct wrapped_sum {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out,
                             tw::ptr<const std::int32_t> in) {
    use_twice(tl, out, tl.load(in) * 3 - 205032700);
  }
};
struct quotient {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out, tw::i32 n) {
    use_twice(tl, out, n * 65536 / 262144);
  }
};
struct remainder {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out, tw::i32 n) {
    use_twice(tl, out, n * 65536 % 1000);
  }
};
struct long_quotient {  // promoted behind a product that wraps
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out, tw::i32 n, tw::i64 by) {
    use_twice(tl, out, n * 65536 / by);
  }
};
template <class To>
struct converted {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out, tw::i32 n, tw::i32 less) {
    use_twice(tl, out, (n * 65536).to<To>() - less.to<To>());
  }
};
struct narrowed {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out, tw::i32 n) {
    use_twice(tl, out, (n - 20).to<std::uint8_t>());
  }
};
struct unsigned_product {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out, tw::u32 x, tw::u32 y) {
    use_twice(tl, out, x * y + 5u);
  }
};
struct promoted_unsigned_product {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out, tw::u32 x, tw::u32 y,
                             tw::i64 z) {
    use_twice(tl, out, x * y + z);
  }
};
struct index_beside_unsigned {  // C's rule makes both u32
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out, tw::u32 x) {
    use_twice(tl, out, (tl.program_id(0) - 7) + x);
  }
};
struct carried {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out,
                             tw::ptr<const std::uint8_t> in) {
    auto slot = tl.load(in);
    for (auto i : tl.range(3)) slot = slot - tl.load(in + (i + 1));
    use_twice(tl, out, slot);
  }
};

template <class T>
void expect_difference(T x, T y) {
  const auto slot = static_cast<T>(x - y);  // C++20: wraps modulo 2^N
  expect_one_value<difference<T>>(static_cast<std::int64_t>(slot), std::vector<T>{x, y});
  expect_one_value<parameter_difference<T>>(static_cast<std::int64_t>(slot), x, y);
}

TEST(OneValue, ProductsAndDifferencesOfData) {
  expect_one_value<hash>(384, std::vector<std::uint32_t>{3750000000u}, 1024u);
  // 1234567 * 40503 is 50003667201, and 50003667201 - 12 * 2^32 is -1535940351 (mod 2^32).
  expect_one_value<signed_hash>(-1535940351 % 5000, std::vector<std::int32_t>{1234567}, 5000);
  expect_difference<std::uint8_t>(0, 20);
  expect_difference<std::int8_t>(100, -100);
  expect_difference<std::uint16_t>(5, 10);
  expect_difference<std::int16_t>(30000, -30000);
  expect_one_value<wrapped_sum>(4, std::vector<std::int32_t>{1500000000});
}

TEST(OneValue, LoopCarriedData) {
  expect_one_value<carried>(10 - 4 - 4 - 4 + 256, std::vector<std::uint8_t>{10, 4, 4, 4});
}

TEST(OneValue, QuotientsOfWhatMayHaveWrapped) {
  // 40000 * 65536 is -1673527296 in 32 bits.
  expect_one_value<quotient>(-1673527296 / 262144, 40000);
  expect_one_value<remainder>(-1673527296 % 1000, 40000);
  expect_one_value<long_quotient>(-1673527296 / 262144, 40000, std::int64_t{262144});
}

TEST(OneValue, WhatTheAuthorConverts) {
  expect_one_value<converted<std::int64_t>>(4, 40000, -1673527300);
  expect_one_value<converted<std::int32_t>>(4, 40000, -1673527300);
  expect_one_value<converted<std::uint64_t>>(4, 40000, -1673527300);
  expect_one_value<converted<std::uint16_t>>(7, 40000, -7);
  expect_one_value<narrowed>(236, 0);
}

TEST(OneValue, UnsignedValuesWrap) {
  expect_one_value<unsigned_product>(5, 1u << 31, 2u);
  expect_one_value<promoted_unsigned_product>(6, 1u << 31, 2u, std::int64_t{6});
  expect_one_value<index_beside_unsigned>(3, 10u);
}

// An i64 that becomes a u64, beside i32 and i64 parameters that come first.
template <class First>
struct made_unsigned {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out, First n, tw::i64 q) {
    tl.store(out, n);
    tl.store(out + origin + q.template to<std::uint64_t>(), 1);
    tl.store(out + origin + (q.template to<std::uint64_t>() + tl.program_id(0)) + 20, 2);
    tl.store(out + origin - q.template to<std::uint64_t>(), 3);
  }
};
TEST(OneValue, AnI64ThatBecomesAU64) {
  for (const std::int64_t q : {std::int64_t{5}, std::int64_t{-3}}) {
    std::vector<std::int64_t> out(80000, 0), want = out;
    want[0] = 2;
    want[static_cast<std::size_t>(origin + q)] = 1;
    want[static_cast<std::size_t>(origin + q + 20)] = 2;
    want[static_cast<std::size_t>(origin - q)] = 3;
    expect_on_every_way<made_unsigned<tw::i64>>(tw::grid(1), out, want, std::int64_t{2}, q);
    expect_on_every_way<made_unsigned<tw::i32>>(tw::grid(1), out, want, 2, q);
  }
}

// Pointers that move back by an unsigned offset, whose negative wraps in its own type.
template <class T>
struct backwards {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out, tw::block<T> x) {
    auto place = out + origin - x;
    place -= x;
    tl.store(place, 1);
  }
};
template <class T>
void expect_backwards(T x) {
  std::vector<std::int64_t> out(80000, 0), want = out;
  want[static_cast<std::size_t>(origin - 2 * static_cast<std::int64_t>(x))] = 1;
  expect_on_every_way<backwards<T>>(tw::grid(1), out, want, x);
}
TEST(OneValue, PointersMinusOffsets) {
  expect_backwards<std::uint8_t>(200);
  expect_backwards<std::uint16_t>(400);
  expect_backwards<std::uint32_t>(400);
  expect_backwards<std::uint64_t>(400);
  expect_backwards<std::int8_t>(-128);
  expect_backwards<std::int64_t>(-400);
}

// The same in blocks, whose lanes then go to places of their own.
template <class T>
struct block_difference {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int64_t> out, tw::ptr<const T> in) {
    auto lane = tl.arange<8>();
    auto slots = tl.load(in + lane) - tl.load(in + lane + 8);
    tl.store(out + lane, slots);
    tl.store(out + origin + slots, lane + 1);
  }
};
template <class T>
void expect_block_difference(const std::vector<T>& in) {
  std::vector<std::int64_t> out(80000, 0), want = out;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::int64_t slot = static_cast<T>(in[i] - in[i + 8]);
    want[i] = slot;
    want[static_cast<std::size_t>(origin + slot)] = static_cast<std::int64_t>(i) + 1;
  }
  expect_on_interpreter_and_host<block_difference<T>>(tw::grid(1), out, want, in);
}
TEST(OneValue, LanesOfBlocks) {
  expect_block_difference<std::uint8_t>({0, 1, 2, 3, 4, 5, 6, 7, 20, 20, 20, 20, 20, 20, 20, 20});
  expect_block_difference<std::int8_t>(
      {100, 90, 80, -70, -100, 5, 6, 7, -100, -90, 1, 70, 100, 20, 20, 20});
  expect_block_difference<std::uint16_t>({0, 1, 2, 3, 4, 5, 6, 7, 9, 9, 9, 9, 9, 9, 9, 9});
  expect_block_difference<std::int32_t>({std::numeric_limits<std::int32_t>::max(), 1, 2, 3, 4, 5, 6,
                                         7, std::numeric_limits<std::int32_t>::max() - 50, 9, 9, 9,
                                         9, 9, 9, 9});
}
// ---- indices ----

// Rows of a table by loaded numbers, and by numbers that a division gives: the products are indices.
struct rows_by_number {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> table,
                             tw::ptr<const std::int32_t> ids, tw::i32 width, tw::i32 n) {
    auto lane = tl.arange<8>();
    auto row = tl.load(ids + tl.program_id(0));
    auto mask = lane < width;
    tl.store(out + (tl.program_id(0) * width + lane), tl.load(table + (row * width + lane), mask),
             mask && tl.program_id(0) < n);
  }
};
TEST(Indices, RowsOfATableByLoadedNumbers) {
  std::vector<float> table, out(5 * 6, -1.0f), want = out;
  for (int i = 0; i < 8 * 6; ++i) table.push_back(static_cast<float>(i));
  const std::vector<std::int32_t> ids = {7, 0, 3, 3, 5};
  for (std::size_t program = 0; program < 4; ++program) {
    for (std::size_t lane = 0; lane < 6; ++lane) {
      want[program * 6 + lane] = table[static_cast<std::size_t>(ids[program]) * 6 + lane];
    }
  }
  expect_on_every_way<rows_by_number>(tw::grid(5), out, want, table, ids, 6, 4);
}

// ---- masks ----

/// Column c holds the answers of one comparison of lane - 5 or lane, for 16 lanes.
template <class T>
struct compared {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int8_t> out, tw::block<T> n) {
    auto lane = tl.arange<16>();
    auto below = lane - 5;
    auto answer = [&](int column, const auto& mask) {
      tl.store(out + (lane * 10 + column), 1, mask);
    };
    answer(0, lane < n);
    answer(1, lane <= n);
    answer(2, n > lane);
    answer(3, n >= lane);
    answer(4, lane > n);
    answer(5, lane >= n);
    answer(6, below < n);
    answer(7, n <= below);
    answer(8, below.template to<T>() < n);
    answer(9, lane * 2 <= n);
  }
};
template <class T>
void expect_comparisons(T n) {
  std::vector<std::int8_t> out(160, 0), want = out;
  for (std::int32_t lane = 0; lane < 16; ++lane) {
    // What C++ compares the two in, lanes being 32-bit.
    using common = std::common_type_t<std::int32_t, T>;
    const auto index = static_cast<common>(lane);
    const auto below = static_cast<common>(lane - 5);
    const auto last = static_cast<common>(n);
    const bool answers[10] = {index<last, index <= last, last> index,
                              last >= index,
                              index > last,
                              index >= last,
                              below < last,
                              last <= below,
                              static_cast<T>(lane - 5) < n,
                              static_cast<common>(lane * 2) <= last};
    for (int column = 0; column < 10; ++column) {
      want[static_cast<std::size_t>(lane * 10 + column)] = answers[column] ? 1 : 0;
    }
  }
  SCOPED_TRACE(testing::Message() << "n = " << +n);
  expect_on_interpreter_and_host<compared<T>>(tw::grid(1), out, want, n);
}
template <class T>
void expect_all_comparisons() {
  for (const T n : {T{0}, T{7}, T{15}, T{16}, std::numeric_limits<T>::max(),
                    static_cast<T>(std::numeric_limits<T>::max() - 3),
                    std::numeric_limits<T>::lowest(), static_cast<T>(-1), static_cast<T>(-4)}) {
    expect_comparisons(n);
  }
}
TEST(Masks, FollowThePromotedType) {
  expect_all_comparisons<std::int8_t>();
  expect_all_comparisons<std::uint8_t>();
  expect_all_comparisons<std::int32_t>();
  expect_all_comparisons<std::uint32_t>();
  expect_all_comparisons<std::int64_t>();
  expect_all_comparisons<std::uint64_t>();
}

/// Lengths of any type limit a load and a store, as leading lanes.
template <class T>
struct limited {
  static constexpr void body(tw::lang& tl, tw::ptr<float> out, tw::ptr<const float> x,
                             tw::block<T> n) {
    auto offsets = tl.program_id(0) * 8 + tl.arange<8>();
    tl.store(out + offsets, tl.load(x + offsets, offsets < n) * 2.0f, offsets < n);
  }
};
template <class T>
void expect_limited(T n) {
  std::vector<float> x, out(20, -1.0f), want = out;
  for (int i = 0; i < 20; ++i) x.push_back(static_cast<float>(i));
  for (std::size_t i = 0; i < 20 && i < n; ++i) want[i] = 2.0f * x[i];
  expect_on_every_way<limited<T>>(tw::grid(3), out, want, x, n);
}
TEST(Masks, UnsignedLengthsAreExtents) {
  expect_limited<std::uint32_t>(13);
  expect_limited<std::uint64_t>(13);
  expect_limited<std::uint32_t>(0);
  std::vector<float> x(16, 1.0f), out(16, -1.0f), want(16, 2.0f);
  expect_on_every_way<limited<std::uint64_t>>(tw::grid(2), out, want, x, ~std::uint64_t{0});
  expect_on_every_way<limited<std::uint32_t>>(tw::grid(2), out, want, x, ~std::uint32_t{0});
}

}  // namespace
