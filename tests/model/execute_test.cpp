#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tilewright/model/execute.hpp>
#include <vector>

namespace tilewright::model_detail {
namespace {

class random_numbers {
 public:
  std::int64_t below(std::int64_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(limit));
  }
  double number() { return static_cast<double>(below(2001) - 1000) / 64.0; }

 private:
  std::uint64_t state_ = 11;
};

shape dims_of(std::initializer_list<std::int32_t> extents) {
  shape made;
  for (const std::int32_t extent : extents) made[made.rank++] = extent;
  return made;
}

operand tile(dtype type, const shape& dims) {
  operand made;
  made.from = operand::source::buffer;
  made.type = type;
  made.dims = dims;
  return made;
}

template <class T>
std::byte* bytes(std::vector<T>& values) {
  return reinterpret_cast<std::byte*>(values.data());
}

issued_values all_lanes(const command& what) {
  issued_values made;
  for (int d = 0; d < what.dims.rank; ++d) {
    made.on.extents[d] = what.dims[d];
    made.on.count *= what.dims[d];
  }
  return made;
}
void limit(issued_values& values, int dimension, std::int64_t extent) {
  values.on.count = values.on.count / values.on.extents[dimension] * extent;
  values.on.extents[dimension] = extent;
}

void run(const command& what, const issued_values& values, std::vector<std::byte*> inputs,
         std::byte* output, std::byte* memory = nullptr) {
  inputs.resize(3);
  executor().run(what, values, inputs.data(), output, memory);
}

// ---- transfers ----------------------------------------------------------------------------------

command transfer(op code, const shape& dims) {
  command made;
  made.code = code;
  made.type = dtype::i32;
  made.dims = dims;
  (code == op::load ? made.output : made.inputs[0]) = tile(dtype::i32, dims);
  return made;
}

TEST(Execute, LoadsAnyStridesInsideTheExtents) {
  std::vector<std::int32_t> memory(200);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::int32_t>(i);
  const command load = transfer(op::load, dims_of({3, 4}));
  for (const std::int64_t outer : {10, 1, -7, 0}) {
    for (const std::int64_t inner : {1, 5, -2, 0}) {
      issued_values values = all_lanes(load);
      values.offset = 60;
      values.strides[0] = outer;
      values.strides[1] = inner;
      limit(values, 1, 3);
      std::vector<std::int32_t> result(12, -1);
      run(load, values, {}, bytes(result), bytes(memory));
      for (std::int64_t i = 0; i < 3; ++i) {
        for (std::int64_t j = 0; j < 4; ++j) {
          const std::int64_t expected = j < 3 ? 60 + outer * i + inner * j : -1;
          EXPECT_EQ(result[static_cast<std::size_t>(4 * i + j)], expected);
        }
      }
    }
  }
}

TEST(Execute, FillsTheLanesOutsideTheExtents) {
  std::vector<std::int32_t> memory = {1, 2, 3, 4};
  command load = transfer(op::load, dims_of({2, 3}));
  load.fill = true;
  load.fill_bits = -7;
  issued_values values = all_lanes(load);
  values.strides[0] = 2;
  values.strides[1] = 1;
  limit(values, 1, 2);
  std::vector<std::int32_t> result(6, 99);
  run(load, values, {}, bytes(result), bytes(memory));
  EXPECT_EQ(result, (std::vector<std::int32_t>{1, 2, -7, 3, 4, -7}));
  limit(values, 0, 0);
  run(load, values, {}, bytes(result), nullptr);
  EXPECT_EQ(result, std::vector<std::int32_t>(6, -7));
}

TEST(Execute, StoresOnlyInsideTheExtents) {
  std::vector<std::int32_t> source = {1, 2, 3, 4, 5, 6};
  const command store = transfer(op::store, dims_of({2, 3}));
  issued_values values = all_lanes(store);
  values.offset = 1;
  values.strides[0] = 1;
  values.strides[1] = 3;  // transposed, with gaps
  limit(values, 1, 2);
  std::vector<std::int32_t> memory(9, 0);
  run(store, values, {bytes(source)}, nullptr, bytes(memory));
  EXPECT_EQ(memory, (std::vector<std::int32_t>{0, 1, 4, 0, 2, 5, 0, 0, 0}));
}

TEST(Execute, ScalarsMoveToo) {
  std::vector<std::int32_t> memory = {5, 6};
  std::vector<std::int32_t> result(1);
  const command load = transfer(op::load, shape{});
  issued_values values = all_lanes(load);
  values.offset = 1;
  run(load, values, {}, bytes(result), bytes(memory));
  EXPECT_EQ(result[0], 6);
  values.offset = 0;
  run(transfer(op::store, shape{}), values, {bytes(result)}, nullptr, bytes(memory));
  EXPECT_EQ(memory[0], 6);
}

// ---- element-wise -------------------------------------------------------------------------------

TEST(Execute, ElementWiseBroadcastsAndRespectsExtents) {
  random_numbers random;
  for (int round = 0; round < 60; ++round) {
    const shape dims = dims_of({static_cast<std::int32_t>(1 + random.below(4)),
                                static_cast<std::int32_t>(1 + random.below(4)),
                                static_cast<std::int32_t>(1 + random.below(5))});
    shape own[2] = {dims, dims};
    for (shape& each : own) {
      for (int d = 0; d < 3; ++d) {
        if (random.below(3) == 0) each[d] = 1;
      }
    }
    if (random.below(4) == 0) own[1] = dims_of({dims[2]});  // of lower rank
    std::vector<double> in[2];
    for (int i = 0; i < 2; ++i) {
      for (std::int64_t e = 0; e < elements_of(own[i]); ++e) in[i].push_back(random.number());
    }
    command add;
    add.code = op::add;
    add.type = dtype::f64;
    add.dims = dims;
    add.inputs[0] = tile(dtype::f64, own[0]);
    add.inputs[1] = tile(dtype::f64, own[1]);
    add.output = tile(dtype::f64, dims);
    issued_values values = all_lanes(add);
    for (int d = 0; d < 3; ++d) {
      if (random.below(3) == 0) limit(values, d, random.below(dims[d] + 1));
    }
    std::vector<double> out(static_cast<std::size_t>(elements_of(dims)), -1e9);
    run(add, values, {bytes(in[0]), bytes(in[1])}, bytes(out));

    const auto at = [&](int i, std::int64_t a, std::int64_t b, std::int64_t c) {
      const std::int64_t index[3] = {a, b, c};
      std::int64_t linear = 0;
      for (int d = 0; d < own[i].rank; ++d) {
        const std::int64_t along = index[3 - own[i].rank + d];
        linear = linear * own[i][d] + (own[i][d] == 1 ? 0 : along);
      }
      return in[i][static_cast<std::size_t>(linear)];
    };
    std::size_t next = 0;
    for (std::int64_t a = 0; a < dims[0]; ++a) {
      for (std::int64_t b = 0; b < dims[1]; ++b) {
        for (std::int64_t c = 0; c < dims[2]; ++c) {
          const bool inside =
              a < values.on.extents[0] && b < values.on.extents[1] && c < values.on.extents[2];
          ASSERT_EQ(out[next++], inside ? at(0, a, b, c) + at(1, a, b, c) : -1e9);
        }
      }
    }
  }
}

TEST(Execute, ScalarOperandsAndSelects) {
  // where(mask, x, 2.5): an i1 tile, a tile and a register.
  command where;
  where.code = op::where;
  where.type = dtype::f32;
  where.dims = dims_of({4});
  where.inputs[0] = tile(dtype::i1, where.dims);
  where.inputs[1] = tile(dtype::f32, where.dims);
  where.inputs[2].from = operand::source::scalar;
  where.inputs[2].type = dtype::f32;
  where.output = tile(dtype::f32, where.dims);
  issued_values values = all_lanes(where);
  values.scalars[2] = to_bits(2.5f);
  std::vector<std::uint8_t> mask = {1, 0, 0, 1};
  std::vector<float> x = {1, 2, 3, 4};
  std::vector<float> out(4);
  run(where, values, {bytes(mask), bytes(x)}, bytes(out));
  EXPECT_EQ(out, (std::vector<float>{1, 2.5f, 2.5f, 4}));
}

TEST(Execute, ConstantsCopiesCastsAndRanges) {
  command made;
  made.dims = dims_of({5});
  made.type = dtype::f16;
  made.code = op::constant;
  made.inputs[0].from = operand::source::scalar;
  made.inputs[0].type = dtype::f16;
  made.output = tile(dtype::f16, made.dims);
  issued_values values = all_lanes(made);
  values.scalars[0] = to_bits(f16(1.5f));
  limit(values, 0, 4);
  std::vector<f16> halves(5);
  run(made, values, {}, bytes(halves));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(halves[i], i < 4 ? 1.5f : 0.0f);

  made.code = op::cast;
  made.type = dtype::i32;
  made.inputs[0] = tile(dtype::f16, made.dims);
  made.output = tile(dtype::i32, made.dims);
  std::vector<std::int32_t> numbers(5, 9);
  run(made, all_lanes(made), {bytes(halves)}, bytes(numbers));
  EXPECT_EQ(numbers, (std::vector<std::int32_t>{1, 1, 1, 1, 0}));

  made.code = op::arange;
  made.value = -2;
  run(made, all_lanes(made), {}, bytes(numbers));
  EXPECT_EQ(numbers, (std::vector<std::int32_t>{-2, -1, 0, 1, 2}));

  made.code = op::copy;
  made.inputs[0] = tile(dtype::i32, made.dims);
  std::vector<std::int32_t> copied(5);
  run(made, all_lanes(made), {bytes(numbers)}, bytes(copied));
  EXPECT_EQ(copied, numbers);
}

// ---- reductions ---------------------------------------------------------------------------------

TEST(Execute, ReducesAlongEveryAxis) {
  random_numbers random;
  const shape dims = dims_of({3, 37, 5});
  std::vector<float> in;
  for (std::int64_t e = 0; e < elements_of(dims); ++e) {
    in.push_back(static_cast<float>(random.number()));
  }
  for (int axis = 0; axis < 3; ++axis) {
    command sum;
    sum.code = op::reduce;
    sum.combine = op::add;
    sum.type = dtype::f32;
    sum.dims = dims;
    sum.axis = axis;
    sum.inputs[0] = tile(dtype::f32, dims);
    sum.output = tile(dtype::f32, dims);  // only its type counts here
    std::vector<float> out(static_cast<std::size_t>(elements_of(dims) / dims[axis]));
    run(sum, all_lanes(sum), {bytes(in)}, bytes(out));
    std::int64_t step = 1;
    for (int d = axis + 1; d < 3; ++d) step *= dims[d];
    for (std::int64_t o = 0; o < elements_of(dims) / dims[axis]; ++o) {
      const std::int64_t first = o / step * step * dims[axis] + o % step;
      double expected = 0;
      for (std::int64_t e = 0; e < dims[axis]; ++e) {
        expected += static_cast<double>(in[static_cast<std::size_t>(first + e * step)]);
      }
      // The numbers are multiples of 1/64 below 2^10: their sums are exact in f32.
      EXPECT_EQ(static_cast<double>(out[static_cast<std::size_t>(o)]), expected);
    }
  }
}

TEST(Execute, ReductionsCombineInTheDocumentedTree) {
  // In the order of the tree 2^24 + 1 loses the 1 three times; other orders keep some of it.
  const float big = 16777216.0f;
  std::vector<float> in = {big, 1, 1, 1};
  command sum;
  sum.code = op::reduce;
  sum.combine = op::add;
  sum.type = dtype::f32;
  sum.dims = dims_of({4});
  sum.inputs[0] = tile(dtype::f32, sum.dims);
  sum.output = tile(dtype::f32, shape{});
  std::vector<float> out(1);
  run(sum, all_lanes(sum), {bytes(in)}, bytes(out));
  EXPECT_EQ(out[0], big + 2.0f);  // (big + 1) + (1 + 1)
}

TEST(Execute, SixteenBitSumsRoundOnce) {
  std::vector<f16> in(2049, f16(1.0f));
  command sum;
  sum.code = op::reduce;
  sum.combine = op::add;
  sum.type = dtype::f16;
  sum.dims = dims_of({2049});
  sum.inputs[0] = tile(dtype::f16, sum.dims);
  sum.output = tile(dtype::f16, shape{});
  std::vector<f16> out(1);
  run(sum, all_lanes(sum), {bytes(in)}, bytes(out));
  EXPECT_EQ(out[0], 2048.0f);  // 2049 is no f16
  issued_values fewer = all_lanes(sum);
  limit(fewer, 0, 2047);
  run(sum, fewer, {bytes(in)}, bytes(out));
  EXPECT_EQ(out[0], 2047.0f);
}

TEST(Execute, ReductionsOfPartOfTheAxis) {
  std::vector<std::int8_t> in = {-3, -9, -4, 100};
  command most;
  most.code = op::reduce;
  most.combine = op::maximum;
  most.type = dtype::i8;
  most.dims = dims_of({4});
  most.inputs[0] = tile(dtype::i8, most.dims);
  most.output = tile(dtype::i32, shape{});
  std::vector<std::int32_t> out(1);
  const auto result = [&](std::int64_t lanes) {
    issued_values values = all_lanes(most);
    limit(values, 0, lanes);
    run(most, values, {bytes(in)}, bytes(out));
    return out[0];
  };
  EXPECT_EQ(result(4), 100);
  EXPECT_EQ(result(3), -3);
  EXPECT_EQ(result(0), std::numeric_limits<std::int32_t>::min());
  most.fill = true;
  most.fill_bits = static_cast<std::int64_t>(to_bits(std::int8_t{-1}));
  EXPECT_EQ(result(3), -1);
  EXPECT_EQ(result(0), -1);
  EXPECT_EQ(result(4), 100);  // nothing is left to fill
}

// ---- dot ----------------------------------------------------------------------------------------

template <class In, class Sum>
void check_dot(std::int32_t m, std::int32_t n, std::int32_t k, std::int64_t rows,
               std::int64_t columns, std::int64_t depth, bool in_place) {
  random_numbers random;
  std::vector<In> left(static_cast<std::size_t>(m * k));
  std::vector<In> right(static_cast<std::size_t>(k * n));
  for (In& each : left) each = convert<In>(random.number());
  for (In& each : right) each = convert<In>(random.number());
  std::vector<Sum> sums(static_cast<std::size_t>(m * n));
  for (Sum& each : sums) each = convert<Sum>(random.number());
  std::vector<Sum> out(sums.size(), convert<Sum>(-77.0));

  command dot;
  dot.code = op::dot;
  dot.type = dtype_v<In>;
  dot.dims = dims_of({m, n, k});
  dot.inputs[0] = tile(dtype_v<In>, dims_of({m, k}));
  dot.inputs[1] = tile(dtype_v<In>, dims_of({k, n}));
  dot.inputs[2] = tile(dtype_v<Sum>, dims_of({m, n}));
  dot.output = dot.inputs[2];
  dot.in_place = in_place;
  issued_values values = all_lanes(dot);
  limit(values, 0, rows);
  limit(values, 1, columns);
  limit(values, 2, depth);
  std::vector<Sum> changed = sums;
  run(dot, values, {bytes(left), bytes(right), bytes(changed)},
      in_place ? bytes(changed) : bytes(out));
  const std::vector<Sum>& result = in_place ? changed : out;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const std::size_t at = static_cast<std::size_t>(i * n + j);
      Sum expected = in_place ? sums[at] : convert<Sum>(-77.0);
      if (i < rows && j < columns) {
        expected = sums[at];
        for (std::int64_t e = 0; e < depth; ++e) {
          const Sum x = convert<Sum>(left[static_cast<std::size_t>(i * k + e)]);
          const Sum y = convert<Sum>(right[static_cast<std::size_t>(e * n + j)]);
          if constexpr (is_float(dtype_v<Sum>)) {
            expected = std::fma(x, y, expected);
          } else {
            expected =
                static_cast<Sum>(static_cast<std::uint64_t>(expected) +
                                 static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
          }
        }
      }
      ASSERT_EQ(to_bits(result[at]), to_bits(expected)) << i << ", " << j;
    }
  }
}

TEST(Execute, DotIsOneFusedMultiplyAddPerK) {
  for (const bool in_place : {true, false}) {
    check_dot<float, float>(64, 64, 64, 64, 64, 64, in_place);
    check_dot<float, float>(7, 70, 9, 7, 70, 9, in_place);
    check_dot<float, float>(16, 96, 8, 13, 67, 5, in_place);
    check_dot<f16, float>(9, 65, 33, 8, 65, 33, in_place);
    check_dot<bf16, float>(5, 3, 20, 5, 3, 19, in_place);
    check_dot<double, double>(6, 6, 6, 6, 6, 6, in_place);
    check_dot<std::int8_t, std::int32_t>(10, 12, 14, 10, 11, 14, in_place);
    check_dot<float, float>(4, 4, 4, 0, 4, 4, in_place);
    check_dot<float, float>(4, 4, 4, 4, 4, 0, in_place);
  }
}

TEST(Execute, DotWithoutAccumulatorStartsAtZero) {
  std::vector<float> left = {1, 2, 3, 4};
  std::vector<float> right = {5, 6, 7, 8};
  std::vector<float> out(4, -1);
  command dot;
  dot.code = op::dot;
  dot.type = dtype::f32;
  dot.dims = dims_of({2, 2, 2});
  dot.inputs[0] = dot.inputs[1] = dot.output = tile(dtype::f32, dims_of({2, 2}));
  run(dot, all_lanes(dot), {bytes(left), bytes(right)}, bytes(out));
  EXPECT_EQ(out, (std::vector<float>{19, 22, 43, 50}));
}

TEST(Execute, IntegerDotsWrap) {
  std::vector<std::int32_t> left = {std::numeric_limits<std::int32_t>::max()};
  std::vector<std::int32_t> right = {2};
  std::vector<std::int32_t> sum = {5};
  command dot;
  dot.code = op::dot;
  dot.type = dtype::i32;
  dot.dims = dims_of({1, 1, 1});
  dot.inputs[0] = dot.inputs[1] = dot.inputs[2] = dot.output = tile(dtype::i32, dims_of({1, 1}));
  run(dot, all_lanes(dot), {bytes(left), bytes(right), bytes(sum)}, bytes(sum));
  EXPECT_EQ(sum[0], 3);  // 2 * (2^31 - 1) + 5 modulo 2^32
}

}  // namespace
}  // namespace tilewright::model_detail
