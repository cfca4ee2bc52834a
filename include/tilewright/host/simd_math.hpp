// Vector exp and log, from Highway's contrib/math, made total: NaN, infinities, zeros, negative
// numbers and subnormals give what the scalar functions give. Within 2 ulp of the exact value.
#pragma once

#include <limits>
#include <tilewright/host/simd.hpp>

#include <hwy/contrib/math/math-inl.h>

namespace tilewright::simd {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

TILEWRIGHT_INLINE vf exp(vf x) {
  // Highway's takes numbers up to 104; above 88.73 the result overflows.
  const vf inside = hn::Min(x, hn::Set(df{}, 88.75f));
  const vf finite = hn::Exp(df{}, inside);
  const vf infinity = hn::Set(df{}, std::numeric_limits<float>::infinity());
  const vf result = hn::IfThenElse(hn::Gt(x, hn::Set(df{}, 88.7228394f)), infinity, finite);
  return hn::IfThenElse(hn::Ne(x, x), x, result);
}

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

}  // inline namespace
}  // namespace tilewright::simd
