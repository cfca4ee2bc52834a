// The SIMD form of each element-wise operation, one entry each. Its result has the bits of
// `meaning<op>` when the table's host_ulp is 0, and is within host_ulp of it otherwise.
//
// An entry has an `apply` for each register type for which a SIMD form is worth having; for the
// other types, and for operations without an entry, `elementwise` takes the scalar meaning lane by
// lane. Results on 16-bit floats are rounded to the type unless the entry is marked `exact`: its
// results are always values that one of the operands has.
#pragma once

#include <limits>
#include <tilewright/config.hpp>
#include <tilewright/host/registers.hpp>
#include <tilewright/host/simd_math.hpp>
#include <tilewright/ir/evaluate.hpp>
#include <tilewright/ir/op_table.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {
namespace simd {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

template <op Code>
struct simd_form {};

template <>
struct simd_form<op::add> {
  static TILEWRIGHT_INLINE vf apply(vf x, vf y) { return hn::Add(x, y); }
  static TILEWRIGHT_INLINE vi apply(vi x, vi y) { return hn::Add(x, y); }
  static TILEWRIGHT_INLINE vu apply(vu x, vu y) { return hn::Add(x, y); }
  static TILEWRIGHT_INLINE mask apply(mask x, mask y) { return differ(x, y); }
};
template <>
struct simd_form<op::sub> {
  static TILEWRIGHT_INLINE vf apply(vf x, vf y) { return hn::Sub(x, y); }
  static TILEWRIGHT_INLINE vi apply(vi x, vi y) { return hn::Sub(x, y); }
  static TILEWRIGHT_INLINE vu apply(vu x, vu y) { return hn::Sub(x, y); }
  static TILEWRIGHT_INLINE mask apply(mask x, mask y) { return differ(x, y); }
};
template <>
struct simd_form<op::mul> {
  static TILEWRIGHT_INLINE vf apply(vf x, vf y) { return rounded(hn::Mul(x, y)); }
  static TILEWRIGHT_INLINE vi apply(vi x, vi y) { return hn::Mul(x, y); }
  static TILEWRIGHT_INLINE vu apply(vu x, vu y) { return hn::Mul(x, y); }
  static TILEWRIGHT_INLINE mask apply(mask x, mask y) { return both(x, y); }
};
template <>
struct simd_form<op::div> {
  static TILEWRIGHT_INLINE vf apply(vf x, vf y) { return hn::Div(x, y); }
  static TILEWRIGHT_INLINE mask apply(mask x, mask y) { return either(x, negate(y)); }
};
template <>
struct simd_form<op::rem> {
  static TILEWRIGHT_INLINE mask apply(mask x, mask y) { return both(x, negate(y)); }
};
template <>
struct simd_form<op::maximum> {
  static constexpr bool exact = true;
  static TILEWRIGHT_INLINE vf apply(vf x, vf y) { return simd::maximum(x, y); }
  static TILEWRIGHT_INLINE vi apply(vi x, vi y) { return hn::Max(x, y); }
  static TILEWRIGHT_INLINE vu apply(vu x, vu y) { return hn::Max(x, y); }
  static TILEWRIGHT_INLINE mask apply(mask x, mask y) { return either(x, y); }
};
template <>
struct simd_form<op::minimum> {
  static constexpr bool exact = true;
  static TILEWRIGHT_INLINE vf apply(vf x, vf y) { return simd::minimum(x, y); }
  static TILEWRIGHT_INLINE vi apply(vi x, vi y) { return hn::Min(x, y); }
  static TILEWRIGHT_INLINE vu apply(vu x, vu y) { return hn::Min(x, y); }
  static TILEWRIGHT_INLINE mask apply(mask x, mask y) { return both(x, y); }
};

template <>
struct simd_form<op::lt> {
  static TILEWRIGHT_INLINE mask apply(vf x, vf y) { return simd::lt(x, y); }
  static TILEWRIGHT_INLINE mask apply(vi x, vi y) { return simd::lt(x, y); }
  static TILEWRIGHT_INLINE mask apply(vu x, vu y) { return simd::lt(x, y); }
  static TILEWRIGHT_INLINE mask apply(mask x, mask y) { return both(negate(x), y); }
};
template <>
struct simd_form<op::le> {
  static TILEWRIGHT_INLINE mask apply(vf x, vf y) { return simd::le(x, y); }
  static TILEWRIGHT_INLINE mask apply(vi x, vi y) { return negate(simd::lt(y, x)); }
  static TILEWRIGHT_INLINE mask apply(vu x, vu y) { return negate(simd::lt(y, x)); }
  static TILEWRIGHT_INLINE mask apply(mask x, mask y) { return either(negate(x), y); }
};
template <>
struct simd_form<op::gt> {
  template <class V>
  static TILEWRIGHT_INLINE auto apply(V x, V y) -> decltype(simd_form<op::lt>::apply(y, x)) {
    return simd_form<op::lt>::apply(y, x);
  }
};
template <>
struct simd_form<op::ge> {
  template <class V>
  static TILEWRIGHT_INLINE auto apply(V x, V y) -> decltype(simd_form<op::le>::apply(y, x)) {
    return simd_form<op::le>::apply(y, x);
  }
};
template <>
struct simd_form<op::eq> {
  static TILEWRIGHT_INLINE mask apply(vf x, vf y) { return simd::eq(x, y); }
  static TILEWRIGHT_INLINE mask apply(vi x, vi y) { return simd::eq(x, y); }
  static TILEWRIGHT_INLINE mask apply(vu x, vu y) { return simd::eq(x, y); }
  static TILEWRIGHT_INLINE mask apply(mask x, mask y) { return negate(differ(x, y)); }
};
template <>
struct simd_form<op::ne> {
  template <class V>
  static TILEWRIGHT_INLINE auto apply(V x, V y) -> decltype(simd_form<op::eq>::apply(x, y)) {
    return negate(simd_form<op::eq>::apply(x, y));
  }
};

template <>
struct simd_form<op::bit_and> {
  static TILEWRIGHT_INLINE vi apply(vi x, vi y) { return hn::And(x, y); }
  static TILEWRIGHT_INLINE vu apply(vu x, vu y) { return hn::And(x, y); }
  static TILEWRIGHT_INLINE mask apply(mask x, mask y) { return both(x, y); }
};
template <>
struct simd_form<op::bit_or> {
  static TILEWRIGHT_INLINE vi apply(vi x, vi y) { return hn::Or(x, y); }
  static TILEWRIGHT_INLINE vu apply(vu x, vu y) { return hn::Or(x, y); }
  static TILEWRIGHT_INLINE mask apply(mask x, mask y) { return either(x, y); }
};
template <>
struct simd_form<op::bit_xor> {
  static TILEWRIGHT_INLINE vi apply(vi x, vi y) { return hn::Xor(x, y); }
  static TILEWRIGHT_INLINE vu apply(vu x, vu y) { return hn::Xor(x, y); }
  static TILEWRIGHT_INLINE mask apply(mask x, mask y) { return differ(x, y); }
};
template <>
struct simd_form<op::shl> {
  static TILEWRIGHT_INLINE vi apply(vi x, vi y) {
    return hn::Shl(x, hn::And(y, hn::Set(di{}, 31)));
  }
  static TILEWRIGHT_INLINE vu apply(vu x, vu y) {
    return hn::Shl(x, hn::And(y, hn::Set(du{}, 31u)));
  }
};
template <>
struct simd_form<op::shr> {
  static TILEWRIGHT_INLINE vi apply(vi x, vi y) {
    return hn::Shr(x, hn::And(y, hn::Set(di{}, 31)));
  }
  static TILEWRIGHT_INLINE vu apply(vu x, vu y) {
    return hn::Shr(x, hn::And(y, hn::Set(du{}, 31u)));
  }
};

template <>
struct simd_form<op::neg> {
  static constexpr bool exact = true;
  static TILEWRIGHT_INLINE vf apply(vf x) { return hn::Xor(x, hn::Set(df{}, -0.0f)); }
  static TILEWRIGHT_INLINE vi apply(vi x) { return hn::Sub(hn::Zero(di{}), x); }
  static TILEWRIGHT_INLINE vu apply(vu x) { return hn::Sub(hn::Zero(du{}), x); }
  static TILEWRIGHT_INLINE mask apply(mask x) { return x; }
};
template <>
struct simd_form<op::abs> {
  static constexpr bool exact = true;
  static TILEWRIGHT_INLINE vf apply(vf x) { return hn::AndNot(hn::Set(df{}, -0.0f), x); }
  static TILEWRIGHT_INLINE vi apply(vi x) { return hn::Abs(x); }
  static TILEWRIGHT_INLINE vu apply(vu x) { return x; }
  static TILEWRIGHT_INLINE mask apply(mask x) { return x; }
};
template <>
struct simd_form<op::bit_not> {
  static TILEWRIGHT_INLINE vi apply(vi x) { return hn::Not(x); }
  static TILEWRIGHT_INLINE vu apply(vu x) { return hn::Not(x); }
  static TILEWRIGHT_INLINE mask apply(mask x) { return negate(x); }
};
template <>
struct simd_form<op::exp> {
  static TILEWRIGHT_INLINE vf apply(vf x) { return simd::exp(x); }
};
template <>
struct simd_form<op::log> {
  static TILEWRIGHT_INLINE vf apply(vf x) { return simd::log(x); }
};
template <>
struct simd_form<op::sqrt> {
  static TILEWRIGHT_INLINE vf apply(vf x) { return hn::Sqrt(x); }
};
template <>
struct simd_form<op::where> {
  static constexpr bool exact = true;
  template <class V>
  static TILEWRIGHT_INLINE auto apply(mask x, V y, V z) -> decltype(select(x, y, z)) {
    return select(x, y, z);
  }
};

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace simd

namespace detail {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

/// Rounds f32 values to those of the 16-bit float `T`.
template <class T>
TILEWRIGHT_INLINE simd::vf round_to(simd::vf value) {
  if constexpr (std::is_same_v<T, f16>) {
    return simd::widen_f16(simd::narrow_f16(value));
  } else {
    return simd::widen_bf16(simd::narrow_bf16(value));
  }
}

/// Scalar meanings of one operation, a lane after the other.
template <op Code, class T, class... Registers>
TILEWRIGHT_INLINE auto lane_by_lane(const Registers&... operands) {
  constexpr op_kind kind = info_of(Code).kind;
  using result = element_t<result_type(kind, dtype_v<T>)>;
  lane_array<result> results;
  if constexpr (kind == op_kind::select) {
    const auto run = [&results](const register_t<bool>& c, const register_t<T>& x,
                                const register_t<T>& y) {
      const lane_array<bool> conditions = to_lanes<bool>(c);
      const lane_array<T> xs = to_lanes<T>(x), ys = to_lanes<T>(y);
      for (int lane = 0; lane < simd::lanes; ++lane) {
        results.at[lane] = conditions.at[lane] ? xs.at[lane] : ys.at[lane];
      }
    };
    run(operands...);
  } else {
    const lane_array<T> inputs[] = {to_lanes<T>(operands)...};
    for (int lane = 0; lane < simd::lanes; ++lane) {
      const auto load = [&inputs, lane](int index, auto) { return inputs[index].at[lane]; };
      result value = apply_meaning<Code, kind, T>(load);
      if constexpr (Code == op::mul && std::is_floating_point_v<result>) {
        value = simd::rounded_scalar(value);
      }
      results.at[lane] = value;
    }
  }
  return from_lanes<result>(results);
}

/// Operation `Code` on registers of elements `T` (the x of a select is a mask).
template <op Code, class T, class... Registers>
TILEWRIGHT_INLINE auto elementwise(const Registers&... operands) {
  if constexpr (requires { simd::simd_form<Code>::apply(operands...); }) {
    const auto result = simd::simd_form<Code>::apply(operands...);
    if constexpr (is_small_float<T> && std::is_same_v<decltype(result), const simd::vf> &&
                  !requires { simd::simd_form<Code>::exact; }) {
      return round_to<T>(result);
    } else {
      return result;
    }
  } else {
    return lane_by_lane<Code, T>(operands...);
  }
}

/// Conversion of a register of `From` to one of `To` (op::cast): the bits of `convert`.
template <class To, class From>
TILEWRIGHT_INLINE register_t<To> cast(const register_t<From>& value) {
  namespace hn = simd::hn;
  constexpr bool from_float = std::is_same_v<From, float> || is_small_float<From>;
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, float> && is_small_float<From>) {
    return value;
  } else if constexpr (is_small_float<To> && from_float) {
    return round_to<To>(value);
  } else if constexpr (std::is_same_v<To, bool> && from_float) {
    return simd::negate(simd::eq(value, simd::set(0.0f)));
  } else if constexpr (std::is_same_v<To, bool> && is_word<From>) {
    return simd::negate(simd::eq(value, simd::set(From{0})));
  } else if constexpr (std::is_same_v<From, bool> && (is_word<To> || is_small_float<To>)) {
    using word = std::conditional_t<is_word<To>, To, float>;
    return simd::select(value, simd::set(word{1}), simd::set(word{0}));
  } else if constexpr (std::is_same_v<To, float> && std::is_same_v<From, std::int32_t>) {
    return hn::ConvertTo(simd::df{}, value);
  } else if constexpr (std::is_same_v<To, f16> && std::is_same_v<From, std::int32_t>) {
    // Integers that f32 would round are beyond f16's range: they are infinite either way.
    return round_to<f16>(hn::ConvertTo(simd::df{}, value));
  } else if constexpr (std::is_same_v<To, std::int32_t> && from_float) {
    const simd::vi inside = hn::ConvertTo(simd::di{}, value);
    const simd::mask fits = simd::lt(value, simd::set(2147483648.0f));  // false for NaN
    return simd::select(fits, inside, simd::set(std::numeric_limits<std::int32_t>::max()));
  } else if constexpr (std::is_same_v<To, std::int32_t> && std::is_same_v<From, std::uint32_t>) {
    return simd::bits_i(value);
  } else if constexpr (std::is_same_v<To, std::uint32_t> && std::is_same_v<From, std::int32_t>) {
    return simd::bits_u(value);
  } else {
    const lane_array<From> from = to_lanes<From>(value);
    lane_array<To> to;
    for (int lane = 0; lane < simd::lanes; ++lane) to.at[lane] = convert<To>(from.at[lane]);
    return from_lanes<To>(to);
  }
}

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace detail
}  // namespace tilewright::inline TILEWRIGHT_ABI
