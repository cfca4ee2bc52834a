// What `bench/run compile` measures: a vector add, from #include to a checked result on the host.
#include <tilewright/tilewright.hpp>

namespace tw = tilewright;

template <int Block>
struct add_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<const float> y,
                             tw::ptr<float> out, tw::i32 n) {
    auto offsets = tl.program_id(0) * Block + tl.arange<Block>();
    auto mask = offsets < n;
    auto sum = tl.load(x + offsets, mask) + tl.load(y + offsets, mask);
    tl.store(out + offsets, sum, mask);
  }
};

int main() {
  constexpr int n = 5000;
  static float x[n], y[n], out[n];
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i);
    y[i] = 2.0f;
  }
  const float* left = x;
  const float* right = y;
  float* result = out;
  tw::launch<add_kernel<1024>>(tw::host, tw::grid(tw::cdiv(n, 1024)), left, right, result, n);
  for (int i = 0; i < n; ++i) {
    if (out[i] != x[i] + y[i]) return 1;
  }
  return 0;
}
