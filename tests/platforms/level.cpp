// Compiles where Highway's target, the lanes and the multiply-add are those that the flags promise.
#ifdef HIGHWAY_FIRST
#include <hwy/highway.h>
#endif
#include <tilewright/host/simd_math.hpp>

static_assert(HWY_TARGET == EXPECTED_TARGET);
static_assert(tilewright::simd::lanes == EXPECTED_LANES);
static_assert(tilewright::simd::has_fma == EXPECTED_FMA);

tilewright::simd::vf use_all(tilewright::simd::vf x) {
  using namespace tilewright::simd;
  return exp(log(maximum(mul_add(x, x, x), widen_f16(narrow_f16(x)))));
}
