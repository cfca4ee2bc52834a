// A host-mode unit test of a kernel that is not Tilewright's: y = alpha * x + residual, for every
// row of a matrix whose rows are padded, with a masked tail.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <tilewright/testing_gtest.hpp>
#include <tilewright/tilewright.hpp>

namespace tw = tilewright;

namespace {

template <class T, int Block>
struct scaled_residual {
  static constexpr void body(tw::lang& tl, tw::ptr<const T> x, tw::ptr<const T> residual,
                             tw::ptr<T> y, tw::f32 alpha, tw::i32 columns, tw::i32 stride) {
    auto row = tl.program_id(0);
    auto column = tl.program_id(1) * Block + tl.arange<Block>();
    auto mask = column < columns;
    auto at = row * stride + column;
    auto scaled = tl.load(x + at, mask).template to<float>() * alpha;
    tl.store(y + at, scaled + tl.load(residual + at, mask).template to<float>(), mask);
  }
};

template <class T>
void check(std::int32_t rows, std::int32_t columns) {
  constexpr int block = 64;
  const std::int32_t stride = columns + 3;
  const float alpha = 0.75f;
  const auto size = static_cast<std::size_t>(rows * stride);
  const T untouched = T(-100.0f);
  std::vector<T> x(size);
  std::vector<T> residual(size);
  std::vector<T> y(size, untouched);
  std::vector<T> want(size, untouched);
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t column = 0; column < columns; ++column) {
      const auto at = static_cast<std::size_t>(row * stride + column);
      x[at] = T(static_cast<float>(column % 7) - 3.0f);
      residual[at] = T(static_cast<float>(row) + 0.25f);
      want[at] = T(alpha * static_cast<float>(x[at]) + static_cast<float>(residual[at]));
    }
  }
  tw::launch<scaled_residual<T, block>>(tw::host, tw::grid(rows, tw::cdiv(columns, block)), x,
                                        residual, y, alpha, columns, stride);
  // All of it, so that a write into the padding between the rows shows.
  TILEWRIGHT_EXPECT_CLOSE(y, want, {.shape = {rows, stride}});
}

TEST(ScaledResidual, TailsOfEverySize) {
  for (const std::int32_t columns : {1, 63, 64, 65, 200}) {
    SCOPED_TRACE(columns);
    check<float>(3, columns);
    check<tw::bf16>(2, columns);
  }
}

TEST(ScaledResidual, NoRowsAreNoWork) { check<float>(0, 5); }

}  // namespace
