// A kernel on the host and on the model, with the library in one header.
#include <cstdio>
#include <vector>

#include "tilewright.hpp"

namespace tw = tilewright;

template <int Block>
struct scale {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> y, tw::i32 n) {
    auto at = tl.program_id(0) * Block + tl.arange<Block>();
    tl.store(y + at, tl.load(x + at, at < n) * 3.0f, at < n);
  }
};

int main() {
  const int n = 1000;
  const std::vector<float> x(n, 2.0f);
  std::vector<float> host(n), model(n);
  tw::launch<scale<256>>(tw::host, tw::grid(tw::cdiv(n, 256)), x, host, n);
  tw::launch<scale<256>>(tw::model(tw::mtia_2i), tw::grid(tw::cdiv(n, 256)), x, model, n);
  const std::vector<float> want(n, 6.0f);
  const bool right = host == want && model == want;
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
