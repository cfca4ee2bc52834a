// The SIMD form of each operation against its scalar meaning, over all pairs of awkward values.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tilewright/host/simd_ops.hpp>
#include <tilewright/ir/evaluate.hpp>
#include <vector>

namespace tilewright {
namespace {

using bits = std::uint64_t;

constexpr dtype all_types[] = {dtype::i1,   dtype::i8,  dtype::u8,  dtype::i16, dtype::u16,
                               dtype::i32,  dtype::u32, dtype::i64, dtype::u64, dtype::f16,
                               dtype::bf16, dtype::f32, dtype::f64};

/// Bit patterns of zeros, ones, bounds, subnormals, infinities, NaNs, and what rounds badly.
std::vector<bits> special_values(dtype type) {
  std::vector<bits> values;
  if (type == dtype::i1) return {0, 1};
  if (is_float(type)) {
    using limits = std::numeric_limits<float>;
    for (const double v : {0.0,
                           1.0,
                           1.5,
                           0.1,
                           2.0,
                           3.14159,
                           10.0,
                           65504.0,
                           65519.0,
                           1e-7,
                           6e-8,
                           5.9e-8,
                           1e-5,
                           88.0,
                           88.72,
                           88.73,
                           89.0,
                           87.3,
                           103.9,
                           104.5,
                           1e10,
                           1e30,
                           2147483520.0,
                           2147483648.0,
                           4294967296.0,
                           0.3333333,
                           7.0,
                           1e-38,
                           1e-40,
                           1.4e-45,
                           16777217.0,
                           11.09,
                           0.9999999,
                           1e300,
                           5e-324,
                           1.0 + 1e-16,
                           1.0 / 3,
                           9007199254740993.0,
                           static_cast<double>(limits::max()),
                           static_cast<double>(limits::infinity())}) {
      values.push_back(evaluate_cast(dtype::f64, type, to_bits(v)));
      values.push_back(evaluate_cast(dtype::f64, type, to_bits(-v)));
    }
    values.push_back(evaluate_cast(dtype::f32, type, 0x7fc00000u));
    if (type == dtype::f32) {
      for (const std::uint32_t v :
           {0x7fc12345u, 0xffc00001u, 0x007fffffu, 0x00800000u, 0x3f800001u, 0x3f7fffffu}) {
        values.push_back(v);
      }
    }
    if (size_of(type) == 2) {
      for (const unsigned v : {0x7fffu, 0xffffu, 0x7fe0u, 0x0001u, 0x03ffu, 0x0400u, 0x3c01u}) {
        values.push_back(v);
      }
    }
    return values;
  }
  const bits all = size_of(type) == 8 ? ~bits{0} : (bits{1} << size_of(type) * 8) - 1;
  for (const bits edge : {bits{0}, all / 2 + 1, all}) {
    for (const bits by : {bits{0}, bits{1}, bits{2}}) {
      values.push_back((edge + by) & all);
      values.push_back((edge - by) & all);
    }
  }
  for (const int v : {3, 7, 9, 31, 32, 33, 63, 64, 100, 12345, -5, -31, -32, -100}) {
    values.push_back(static_cast<bits>(v) & all);
  }
  return values;
}

/// Position of a float among all floats, so that neighbours differ by 1.
std::int64_t ordered(dtype type, bits pattern) {
  const int width = size_of(type) * 8;
  const std::int64_t value = static_cast<std::int64_t>(pattern << (64 - width)) >> (64 - width);
  const std::int64_t least = -(std::int64_t{1} << (width - 2)) * 2;
  return value < 0 ? least - value : value;
}
bool is_nan(dtype type, bits pattern) {
  return is_float(type) && evaluate(op::ne, type, pattern, pattern) != 0;
}

/// Equal bits, any NaN for any NaN unless `exact`, or floats within `ulps`.
bool agrees(dtype type, bits have, bits want, int ulps, bool exact) {
  if (have == want) return true;
  if (is_nan(type, have) || is_nan(type, want)) {
    return !exact && is_nan(type, have) && is_nan(type, want);
  }
  const bool close =
      ulps > 0 && is_float(type) && std::llabs(ordered(type, have) - ordered(type, want)) <= ulps;
  return close;
}

template <class T>
detail::register_t<T> register_of(const bits* from) {
  detail::lane_array<T> elements;
  for (int lane = 0; lane < simd::lanes; ++lane) elements.at[lane] = from_bits<T>(from[lane]);
  return detail::from_lanes<T>(elements);
}
template <class T>
void put(bits* to, const detail::register_t<T>& value) {
  const detail::lane_array<T> elements = detail::to_lanes<T>(value);
  for (int lane = 0; lane < simd::lanes; ++lane) to[lane] = to_bits(elements.at[lane]);
}

/// result := Code(x, y, z), lane by lane, in SIMD.
template <op Code, class T>
[[gnu::noinline]] void apply(const bits* x, const bits* y, const bits* z, bits* result) {
  constexpr op_kind kind = info_of(Code).kind;
  using R = element_t<result_type(kind, dtype_v<T>)>;
  if constexpr (kind == op_kind::select) {
    put<R>(result, detail::elementwise<Code, T>(register_of<bool>(x), register_of<T>(y),
                                                register_of<T>(z)));
  } else if constexpr (arity_of(kind) == 2) {
    put<R>(result, detail::elementwise<Code, T>(register_of<T>(x), register_of<T>(y)));
  } else {
    put<R>(result, detail::elementwise<Code, T>(register_of<T>(x)));
  }
}
using simd_function = void (*)(const bits*, const bits*, const bits*, bits*);

void check(op code, dtype type, simd_function function) {
  const op_info& info = info_of(code);
  // Results that are one of the operands keep even the payload of a NaN.
  const bool exact = code == op::maximum || code == op::minimum || code == op::where ||
                     code == op::neg || code == op::abs;
  const bool select = info.kind == op_kind::select;
  const std::vector<bits> values = special_values(type);
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; j += simd::lane_count) {
      bits x[16], y[16], z[16], have[16];
      for (std::size_t lane = 0; lane < simd::lane_count; ++lane) {
        const bool one_operand = arity_of(info.kind) == 1;
        x[lane] =
            select ? (i + j + lane) % 3 == 0 : values[one_operand ? (i + j + lane) % count : i];
        y[lane] = values[(j + lane) % count];
        z[lane] = values[i];
      }
      function(x, y, z, have);
      for (std::size_t lane = 0; lane < simd::lane_count; ++lane) {
        const bits want = evaluate(code, type, x[lane], y[lane], z[lane]);
        ASSERT_TRUE(agrees(result_type(info.kind, type), have[lane], want, info.host_ulp, exact))
            << info.name << " of " << name_of(type) << std::hex << " x " << x[lane] << " y "
            << y[lane] << " gives " << have[lane] << ", not " << want;
      }
    }
  }
}

TEST(SimdOps, EveryOperationHasItsMeaning) {
  for (const dtype type : all_types) {
#define TILEWRIGHT_X(name, kind, ...)                           \
  if (accepts(op_kind::kind, type)) {                           \
    check(op::name, type, with_element(type, []<class T>() {    \
            if constexpr (accepts(op_kind::kind, dtype_v<T>)) { \
              return simd_function{&apply<op::name, T>};        \
            } else {                                            \
              return simd_function{nullptr};                    \
            }                                                   \
          }));                                                  \
  }
    TILEWRIGHT_ELEMENTWISE_OPS(TILEWRIGHT_X)
#undef TILEWRIGHT_X
  }
}

using cast_function = void (*)(const bits*, bits*);
template <class To, class From>
[[gnu::noinline]] void apply_cast(const bits* from, bits* to) {
  put<To>(to, detail::cast<To, From>(register_of<From>(from)));
}

TEST(SimdOps, EveryCastConvertsAsDefined) {
  for (const dtype from : all_types) {
    const std::vector<bits> values = special_values(from);
    for (const dtype to : all_types) {
      const cast_function function = with_element(from, [to]<class From>() {
        return with_element(to, []<class To>() { return cast_function{&apply_cast<To, From>}; });
      });
      for (std::size_t first = 0; first < values.size(); first += simd::lane_count) {
        bits x[16], have[16];
        for (std::size_t lane = 0; lane < simd::lane_count; ++lane) {
          x[lane] = values[(first + lane) % values.size()];
        }
        function(x, have);
        for (std::size_t lane = 0; lane < simd::lane_count; ++lane) {
          const bits want = evaluate_cast(from, to, x[lane]);
          ASSERT_TRUE(agrees(to, have[lane], want, 0, false))
              << name_of(from) << " to " << name_of(to) << std::hex << " of " << x[lane]
              << " gives " << have[lane] << ", not " << want;
        }
      }
    }
  }
}

/// Largest error of `function` beside `exact` in ulps of the f32 result, over every 61st group of
/// patterns.
double worst_error(simd::vf (*function)(simd::vf), double (*exact)(double)) {
  double worst = 0;
  for (std::uint64_t first = 0; first < std::uint64_t{1} << 32; first += 61 * simd::lane_count) {
    float x[simd::lane_count];
    float y[simd::lane_count];
    for (std::size_t lane = 0; lane < simd::lane_count; ++lane) {
      x[lane] = std::bit_cast<float>(static_cast<std::uint32_t>(first + lane));
    }
    simd::store(y, function(simd::load(x)));
    for (std::size_t lane = 0; lane < simd::lane_count; ++lane) {
      const double want = exact(static_cast<double>(x[lane]));
      const float nearest = static_cast<float>(want);
      if (std::isnan(nearest) || std::isinf(nearest)) {
        if (std::isnan(nearest) ? !std::isnan(y[lane]) : y[lane] != nearest) return 1e9;
        continue;
      }
      int exponent;
      std::frexp(nearest, &exponent);
      const double ulp = std::ldexp(1.0, std::max(exponent - 24, -149));
      worst = std::max(worst, std::abs(static_cast<double>(y[lane]) - want) / ulp);
    }
  }
  return worst;
}

TEST(SimdMath, ExpIsWithinItsBound) {
  EXPECT_LE(
      worst_error([](simd::vf x) { return simd::exp(x); }, [](double x) { return std::exp(x); }),
      info_of(op::exp).host_ulp - 0.5);
}
TEST(SimdMath, LogIsWithinItsBound) {
  EXPECT_LE(
      worst_error([](simd::vf x) { return simd::log(x); }, [](double x) { return std::log(x); }),
      info_of(op::log).host_ulp - 0.5);
}

}  // namespace
}  // namespace tilewright
