// One unit of a program whose units are compiled with different flags. UNIT names its functions.
#include <tilewright/host/host.hpp>
#include <tilewright/kernels/gemm.hpp>
#include <tilewright/kernels/softmax.hpp>
#include <tilewright/launch/launch.hpp>

namespace tw = tilewright;

#define JOIN_AS_THEY_ARE(a, b) a##b
#define JOIN(a, b) JOIN_AS_THEY_ARE(a, b)
#define EXPORTED __attribute__((visibility("default")))

EXPORTED void JOIN(softmax_, UNIT)(const float* x, float* y, int rows, int columns) {
  tw::launch<tw::kernels::softmax<256>>(tw::host, tw::grid(rows), x, y, columns, columns);
}
EXPORTED void JOIN(gemm_, UNIT)(const float* a, const float* b, float* c, int n) {
  tw::launch<tw::kernels::gemm<float, 16, 16, 16>>(tw::host, tw::grid(1), a, b, c, n, n, n);
}
EXPORTED int JOIN(lanes_, UNIT)() { return tw::simd::lanes; }
