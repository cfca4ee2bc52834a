// Every operation of the language, one entry each. The enumeration, the result rules, the scalar
// meaning, the units that can do it, the language's functions and the documentation are read off
// these tables; the SIMD form is an entry of `host/simd_ops.hpp`.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/ir/scalar_math.hpp>
#include <tilewright/ir/unit.hpp>
#include <tilewright/types/dtype.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// What operands an element-wise operation takes and what it returns. T is the promoted type.
enum class op_kind : std::uint8_t {
  arithmetic,   ///< (T, T) -> T, any type
  compare,      ///< (T, T) -> i1, any type
  bitwise,      ///< (T, T) -> T, integers and i1
  shift,        ///< (T, T) -> T, integers
  unary,        ///< T -> T, any type
  unary_bits,   ///< T -> T, integers and i1
  unary_float,  ///< T -> T, floats; the SIMD engine looks such functions up in tables
  select,       ///< (i1, T, T) -> T
  structural,   ///< not element-wise; the rule is in the verifier
};

namespace detail {
inline constexpr unit_set simd_units = units_of(unit::se, unit::vector);
inline constexpr unit_set vector_only = units_of(unit::vector);
inline constexpr unit_set no_unit = 0;  // becomes part of an address, a mask or a loop
}  // namespace detail

// clang-format off

// X(name, kind, units, cost, host_ulp, summary, scalar meaning of x, y, z)
// `cost` is the number of vector instructions for a vector of results. Assumed: exp and log are a
// range reduction and a polynomial of about 16, division and square root take the time of 4.
// `host_ulp` is the largest difference in units in the last place between the host's SIMD form and
// the scalar meaning; 0 promises equal bits.
#define TILEWRIGHT_ELEMENTWISE_OPS(X)                                                             \
  X(add, arithmetic, simd_units, 1, 0, "x + y; integers wrap", scalar_math::add(x, y))            \
  X(sub, arithmetic, simd_units, 1, 0, "x - y; integers wrap", scalar_math::sub(x, y))            \
  X(mul, arithmetic, simd_units, 1, 0, "x * y; integers wrap", scalar_math::mul(x, y))            \
  X(div, arithmetic, simd_units, 4, 0, "x / y; integers truncate toward zero, x / 0 has all bits one", \
    scalar_math::div(x, y))                                                                       \
  X(rem, arithmetic, vector_only, 4, 0, "x % y with the sign of x; x % 0 is x; fmod for floats",  \
    scalar_math::rem(x, y))                                                                       \
  X(maximum, arithmetic, simd_units, 1, 0, "the larger; a number wins over NaN, x wins a tie",    \
    scalar_math::maximum(x, y))                                                                   \
  X(minimum, arithmetic, simd_units, 1, 0, "the smaller; a number wins over NaN, x wins a tie",   \
    scalar_math::minimum(x, y))                                                                   \
  X(lt, compare, simd_units, 1, 0, "x < y; false when either is NaN", x < y)                      \
  X(le, compare, simd_units, 1, 0, "x <= y; false when either is NaN", x <= y)                    \
  X(gt, compare, simd_units, 1, 0, "x > y; false when either is NaN", x > y)                      \
  X(ge, compare, simd_units, 1, 0, "x >= y; false when either is NaN", x >= y)                    \
  X(eq, compare, simd_units, 1, 0, "x == y; false when either is NaN", x == y)                    \
  X(ne, compare, simd_units, 1, 0, "x != y; true when either is NaN", x != y)                     \
  X(bit_and, bitwise, simd_units, 1, 0, "bits set in both; logical and of i1", x & y)             \
  X(bit_or, bitwise, simd_units, 1, 0, "bits set in either; logical or of i1", x | y)             \
  X(bit_xor, bitwise, simd_units, 1, 0, "bits set in one only", x ^ y)                            \
  X(shl, shift, vector_only, 1, 0, "x << y, y modulo the width", scalar_math::shl(x, y))          \
  X(shr, shift, vector_only, 1, 0, "x >> y, y modulo the width; arithmetic when x is signed",     \
    scalar_math::shr(x, y))                                                                       \
  X(neg, unary, simd_units, 1, 0, "sign flip for floats, wrapping 0 - x for integers",            \
    scalar_math::neg(x))                                                                          \
  X(abs, unary, simd_units, 1, 0, "magnitude; the most negative integer stays as it is",          \
    scalar_math::abs(x))                                                                          \
  X(bit_not, unary_bits, vector_only, 1, 0, "all bits inverted; logical not of i1",               \
    scalar_math::bit_not(x))                                                                      \
  X(exp, unary_float, simd_units, 16, 2, "e to the power x", scalar_math::exp(x))                 \
  X(log, unary_float, simd_units, 16, 2, "natural logarithm", scalar_math::log(x))                \
  X(sqrt, unary_float, simd_units, 4, 0, "square root, rounded to nearest", scalar_math::sqrt(x)) \
  X(where, select, simd_units, 1, 0, "y where x is true, else z; both are evaluated", x ? y : z)

// X(name, units, summary)
#define TILEWRIGHT_STRUCTURAL_OPS(X)                                                              \
  X(constant, no_unit, "a literal, in every element")                                             \
  X(argument, no_unit, "a launch argument: a pointer or a scalar")                                \
  X(program_id, no_unit, "index of this program along a grid axis")                               \
  X(num_programs, no_unit, "extent of the grid along an axis")                                    \
  X(arange, no_unit, "start, start + 1, ... as i32")                                              \
  X(broadcast, no_unit, "extents of 1 repeated to a larger shape; rank 0 fills the shape")        \
  X(expand_dims, no_unit, "a new dimension of extent 1")                                          \
  X(cast, simd_units, "conversion to another element type, one rounding")                         \
  X(copy, no_unit, "a C++ variable that was copied")                                              \
  X(add_pointer, no_unit, "pointer plus element offset, computed in 64 bits")                     \
  X(load, units_of(unit::dma_in, unit::vector),                                                   \
    "reads through a block of pointers; masked lanes are not read and give `other`, or 0")        \
  X(store, units_of(unit::dma_out, unit::vector),                                                 \
    "writes through a block of pointers; masked lanes are not written")                           \
  X(dot, units_of(unit::dpe, unit::vector),                                                       \
    "matrix product plus accumulator: one fused multiply-add per k, ascending")                   \
  X(reduce, units_of(unit::se, unit::vector), "combines along one axis in the documented tree")   \
  X(loop, no_unit, "opens a loop: first, last (excluded), step")                                  \
  X(induction, no_unit, "the loop's running value")                                               \
  X(phi, no_unit, "a loop-carried variable: its value before and after an iteration")             \
  X(end_loop, no_unit, "closes a loop")

// X(name, combine, summary): reductions along one axis.
#define TILEWRIGHT_REDUCTIONS(X)                                                                  \
  X(sum, add, "i1 and integers below 32 bits are added in 32; 16-bit floats in f32, rounded once") \
  X(max, maximum, "16-bit floats give f32; NaN is ignored, all NaN gives NaN")                    \
  X(min, minimum, "16-bit floats give f32; NaN is ignored, all NaN gives NaN")

// clang-format on

/// An operation of the graph.
enum class op : std::uint8_t {
#define TILEWRIGHT_X(name, ...) name,
  TILEWRIGHT_ELEMENTWISE_OPS(TILEWRIGHT_X) TILEWRIGHT_STRUCTURAL_OPS(TILEWRIGHT_X)
#undef TILEWRIGHT_X
};

/// One row of the table.
struct op_info {
  const char* name;
  op_kind kind;
  unit_set units;
  int cost;
  int host_ulp;
  const char* summary;
};

namespace detail {
inline constexpr op_info op_rows[] = {
#define TILEWRIGHT_X(name, kind, units, cost, ulp, summary, meaning) \
  {#name, op_kind::kind, units, cost, ulp, summary},
    TILEWRIGHT_ELEMENTWISE_OPS(TILEWRIGHT_X)
#undef TILEWRIGHT_X
#define TILEWRIGHT_X(name, units, summary) {#name, op_kind::structural, units, 1, 0, summary},
        TILEWRIGHT_STRUCTURAL_OPS(TILEWRIGHT_X)
#undef TILEWRIGHT_X
};
}  // namespace detail

inline constexpr int op_count = static_cast<int>(sizeof(detail::op_rows) / sizeof(op_info));

constexpr const op_info& info_of(op code) { return detail::op_rows[static_cast<int>(code)]; }
constexpr const char* name_of(op code) { return info_of(code).name; }
constexpr bool is_elementwise(op code) {
  return info_of(code).kind != op_kind::structural || code == op::cast;
}

/// Operands of an element-wise operation.
constexpr int arity_of(op_kind kind) {
  switch (kind) {
    case op_kind::unary:
    case op_kind::unary_bits:
    case op_kind::unary_float: return 1;
    case op_kind::select: return 3;
    case op_kind::structural: return 0;
    default: return 2;
  }
}

/// Whether operands of `kind` may have the element type `type`.
constexpr bool accepts(op_kind kind, dtype type) {
  switch (kind) {
    case op_kind::bitwise:
    case op_kind::unary_bits: return is_int_or_bool(type);
    case op_kind::shift: return is_int(type);
    case op_kind::unary_float: return is_float(type);
    default: return type != dtype::none;
  }
}

/// Element type of the result for operands of (promoted) type `type`.
constexpr dtype result_type(op_kind kind, dtype type) {
  return kind == op_kind::compare ? dtype::i1 : type;
}

/// Element type in which `sum` (combine = add) or `max`, `min` of elements of `type` are returned.
constexpr dtype reduced_type(op combine, dtype type) {
  if (type == dtype::i1) return combine == op::add ? dtype::u32 : dtype::i32;
  if (is_int(type) && size_of(type) < 4) return is_signed_int(type) ? dtype::i32 : dtype::u32;
  if (combine != op::add && (type == dtype::f16 || type == dtype::bf16)) return dtype::f32;
  return type;
}

/// Element type in which a reduction to `result` accumulates.
constexpr dtype accumulator_type(dtype result) {
  return result == dtype::f16 || result == dtype::bf16 ? dtype::f32 : result;
}

/// The scalar meaning of an element-wise operation: `meaning<op::add>::eval(x, y)`. Operands have
/// the promoted type; the result has `result_type`.
template <op Code>
struct meaning;

namespace detail {
/// What the table's expressions may leave unused.
template <class... Values>
constexpr void unused(const Values&...) {}
}  // namespace detail

#define TILEWRIGHT_X(name, kind, units, cost, ulp, summary, expression) \
  template <>                                                           \
  struct meaning<op::name> {                                            \
    template <class X, class Y = X, class Z = X>                        \
    static constexpr auto eval(X x, Y y = {}, Z z = {}) {               \
      detail::unused(x, y, z);                                          \
      if constexpr (op_kind::kind == op_kind::compare) {                \
        return static_cast<bool>(expression);                           \
      } else if constexpr (op_kind::kind == op_kind::select) {          \
        return static_cast<Y>(expression);                              \
      } else {                                                          \
        return static_cast<X>(expression);                              \
      }                                                                 \
    }                                                                   \
  };
TILEWRIGHT_ELEMENTWISE_OPS(TILEWRIGHT_X)
#undef TILEWRIGHT_X

}  // namespace tilewright::inline TILEWRIGHT_ABI
