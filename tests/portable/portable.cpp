// What must hold wherever the library compiles: a program without any test framework, exceptions or
// type information. Prints what it did not find right, and `PORTABLE: ok` at the end.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>

#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/host/host.hpp>
#include <tilewright/kernels/gemm.hpp>
#include <tilewright/kernels/softmax.hpp>
#include <tilewright/kernels/vector_add.hpp>
#include <tilewright/launch/launch.hpp>
#include <tilewright/model/target.hpp>

namespace tw = tilewright;

namespace {

bool good = true;
void expect(bool holds, const char* what) {
  if (!holds) std::printf("wrong: %s\n", what);
  good = good && holds;
}

/// Small types, fills, scalars that commands take along, indices of several widths.
struct mixture {
  static constexpr void body(tw::lang& tl, tw::ptr<const std::int8_t> x, tw::ptr<const tw::f16> h,
                             tw::ptr<std::int16_t> out, tw::ptr<float> sums, tw::u64 n,
                             tw::i16 add) {
    auto lane = tl.arange<40>();
    auto mask = lane < n;
    auto small = tl.load(x + lane, mask, 7).to<std::int16_t>();
    tl.store(out + lane, small * 3 + add);
    auto halves = tl.load(h + lane, mask, 0.5f);
    tl.store(sums, tl.sum<0>(halves.to<float>()));
    tl.store(sums + 1, tl.max<0>(halves));
    for (auto i : tl.range(2147483640, 2147483647, 4))
      tl.store(sums + 2, (i - 2147483640).to<float>());
  }
};

template <class Target>
void check_mixture(const Target& target, const char* way) {
  std::int8_t x[40];
  tw::f16 h[40];
  std::int16_t out[40] = {};
  float sums[3] = {};
  float sum = 0;
  for (int i = 0; i < 40; ++i) {
    x[i] = static_cast<std::int8_t>(i * 5 - 100);
    h[i] = tw::f16(static_cast<float>(i) * 0.25f);
    sum += i < 33 ? static_cast<float>(i) * 0.25f : 0.5f;
  }
  tw::launch<mixture>(target, tw::grid(1), std::span<const std::int8_t>(x),
                      std::span<const tw::f16>(h), std::span<std::int16_t>(out),
                      std::span<float>(sums), 33, -1000);
  for (int i = 0; i < 40; ++i) expect(out[i] == (i < 33 ? i * 5 - 100 : 7) * 3 - 1000, way);
  expect(sums[0] == sum, way);  // small multiples of a quarter: exact in any order
  expect(sums[1] == 8.0f, way);
  expect(sums[2] == 4.0f, way);
}

template <class Target>
void check_kernels(const Target& target, const char* way) {
  constexpr int n = 150;
  float x[n], y[n], out[n];
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i) * 0.5f;
    y[i] = static_cast<float>(n - i);
  }
  tw::launch<tw::kernels::vector_add<float, 64>>(target, tw::grid(3), std::span<const float>(x),
                                                 std::span<const float>(y), std::span<float>(out),
                                                 n);
  for (int i = 0; i < n; ++i) expect(out[i] == x[i] + y[i], way);

  tw::launch<tw::kernels::softmax<64>>(target, tw::grid(3), std::span<const float>(x),
                                       std::span<float>(out), 50, 50);
  for (int row = 0; row < 3; ++row) {
    double sum = 0;
    for (int i = 0; i < 50; ++i) sum += std::exp(static_cast<double>(x[row * 50 + i]));
    for (int i = 0; i < 50; ++i) {
      const double want = std::exp(static_cast<double>(x[row * 50 + i])) / sum;
      expect(std::fabs(out[row * 50 + i] - want) <= 1e-6, way);
    }
  }

  constexpr int size = 20;
  tw::f16 a[size * size];
  float c[size * size];
  for (int i = 0; i < size * size; ++i) a[i] = tw::f16(static_cast<float>(i % 5) - 2.0f);
  tw::launch<tw::kernels::gemm<tw::f16, 16, 16, 16>>(
      target, tw::grid(2, 2), std::span<const tw::f16>(a), std::span<const tw::f16>(a),
      std::span<float>(c), size, size, size);
  for (int i = 0; i < size * size; ++i) {
    float want = 0;  // small integers: exact
    for (int k = 0; k < size; ++k) {
      want +=
          static_cast<float>(a[i / size * size + k]) * static_cast<float>(a[k * size + i % size]);
    }
    expect(c[i] == want, way);
  }
}

/// Products in f32: one rounding for each k where the host has fused multiply-add, else two, whatever
/// the compiler's level of optimisation.
void check_rounding() {
  constexpr int size = 16;
  float a[size * size], b[size * size], c[size * size];
  for (int i = 0; i < size * size; ++i) {
    a[i] = 1.0f + static_cast<float>(i % 37) / 8388608.0f;
    b[i] = 1.0f - static_cast<float>(i % 29) / 16777216.0f;
  }
  tw::launch<tw::kernels::gemm<float, 16, 16, 16>>(tw::host, tw::grid(1), std::span<const float>(a),
                                                   std::span<const float>(b), std::span<float>(c),
                                                   size, size, size);
  for (int i = 0; i < size * size; ++i) {
    float want = 0;
    for (int k = 0; k < size; ++k) {
      const float x = a[i / size * size + k];
      const float y = b[k * size + i % size];
      if (tw::simd::has_fma) {
        want = std::fma(x, y, want);
      } else {
        volatile float product = x * y;
        volatile float sum = want + product;
        want = sum;
      }
    }
    expect(c[i] == want, "roundings of f32 products");
  }
}

}  // namespace

int main() {
  std::printf("%s, %d lanes%s\n", tw::simd::target_name(), tw::simd::lanes,
              tw::simd::has_fma ? ", fused multiply-add" : "");
  check_mixture(tw::host, "host");
  check_kernels(tw::host, "host");
  check_rounding();
  check_mixture(tw::model(tw::mtia_2i), "model");
  check_kernels(tw::model(tw::mtia_2i), "model");
  const tw::device_spec device = tw::mtia_2i;
  check_mixture(tw::model(device), "model at run time");
  if (good) std::printf("PORTABLE: ok\n");
  return good ? 0 : 1;
}
