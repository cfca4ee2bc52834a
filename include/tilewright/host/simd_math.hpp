// Vector exp and log for every f32: NaN, infinities, zeros, negative numbers and subnormals give what
// the scalar functions give. Within 2 ulp of the exact value.
#pragma once

#include <limits>
#include <tilewright/config.hpp>
#include <tilewright/host/simd.hpp>

#include <hwy/contrib/math/math-inl.h>

namespace tilewright::inline TILEWRIGHT_ABI::simd {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

/// e to the power x for every x: own, because Highway's gives 0 for NaN and garbage above 88.7.
TILEWRIGHT_INLINE vf exp(vf x) {
  // x = n ln 2 + r with |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds to an integer, which then stands
  // in the low bits.
  const vf magic = hn::Set(df{}, 12582912.0f);
  const vf shifted = hn::MulAdd(x, hn::Set(df{}, 1.44269504f), magic);
  const vf n = hn::Sub(rounded(shifted), magic);
  vf r = hn::NegMulAdd(n, hn::Set(df{}, 0.693145751953125f), x);  // 15 bits: n times it is exact
  r = hn::NegMulAdd(n, hn::Set(df{}, 1.42860677e-6f), r);
  // Interpolation of degree 6 at Chebyshev nodes, relative error 1e-8.
  vf p = hn::Set(df{}, 1.39262504e-3f);
  p = hn::MulAdd(p, r, hn::Set(df{}, 8.36323295e-3f));
  p = hn::MulAdd(p, r, hn::Set(df{}, 4.16665524e-2f));
  p = hn::MulAdd(p, r, hn::Set(df{}, 1.66665763e-1f));
  p = hn::MulAdd(p, r, hn::Set(df{}, 0.5f));
  p = hn::MulAdd(p, r, hn::Set(df{}, 1.0f));
  p = hn::MulAdd(p, r, hn::Set(df{}, 1.0f));
  const vi exponent = hn::BitCast(di{}, shifted);  // n + the bits of magic, whose low 9 are zero
  const mask normal = lt(hn::Abs(x), hn::Set(df{}, 87.0f));
  if (all(normal)) [[likely]] {
    return hn::BitCast(df{}, hn::Add(hn::BitCast(di{}, p), hn::ShiftLeft<23>(exponent)));
  }
  // Results that are subnormal or infinite take two factors, so that they are rounded once.
  const vi most = hn::Sub(exponent, hn::Set(di{}, 0x4b400000));
  const vi half = hn::ShiftRight<1>(most);
  const vi bias = hn::Set(di{}, 127);
  const vf first = hn::BitCast(df{}, hn::ShiftLeft<23>(hn::Add(half, bias)));
  const vf second = hn::BitCast(df{}, hn::ShiftLeft<23>(hn::Add(hn::Sub(most, half), bias)));
  vf result = hn::Mul(hn::Mul(p, first), second);
  const vf infinity = hn::Set(df{}, std::numeric_limits<float>::infinity());
  result = hn::IfThenElse(hn::Gt(x, hn::Set(df{}, 89.0f)), infinity, result);
  result = hn::IfThenElse(hn::Lt(x, hn::Set(df{}, -104.0f)), hn::Zero(df{}), result);
  return select(is_number(x), result, x);
}

/// Natural logarithm for every x: Highway's is right for positive numbers.
TILEWRIGHT_INLINE vf log(vf x) {
  const vf zero = hn::Zero(df{});
  const vf infinity = hn::Set(df{}, std::numeric_limits<float>::infinity());
  vf result = hn::Log(df{}, x);
  result = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), result);
  result = hn::IfThenElse(hn::Lt(x, zero), hn::Set(df{}, std::numeric_limits<float>::quiet_NaN()),
                          result);
  // Infinity and NaN stay what they are.
  return hn::IfThenElse(hn::Lt(x, infinity), result, hn::IfThenElse(hn::Lt(x, zero), result, x));
}

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace tilewright::inline TILEWRIGHT_ABI::simd
