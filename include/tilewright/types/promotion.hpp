// Result types of operators: Triton's promotion rules.
#pragma once

#include <tilewright/config.hpp>
#include <tilewright/types/dtype.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// Type in which `left op right` is computed and returned. The order of the tests is Triton's:
/// f64, f32, f16, bf16 with bf16, any other pair with a bf16 (f32), then C's usual conversions.
/// `divides` is true for `/` and `%`, which are done in f32 when a float takes part (unless an
/// f64 does).
constexpr dtype promote(dtype left, dtype right, bool divides = false) {
  if (left == dtype::f64 || right == dtype::f64) return dtype::f64;
  const bool any_float = is_float(left) || is_float(right);
  if (any_float && divides) return dtype::f32;
  if (left == dtype::f32 || right == dtype::f32) return dtype::f32;
  if (left == dtype::f16 || right == dtype::f16) return dtype::f16;
  if (left == dtype::bf16 && right == dtype::bf16) return dtype::bf16;
  if (left == dtype::bf16 || right == dtype::bf16) return dtype::f32;
  if (left == right) return left;
  if (left == dtype::i1) return right;
  if (right == dtype::i1) return left;
  if (is_signed_int(left) == is_signed_int(right))
    return size_of(left) >= size_of(right) ? left : right;
  const dtype signed_type = is_signed_int(left) ? left : right;
  const dtype unsigned_type = is_signed_int(left) ? right : left;
  return size_of(unsigned_type) >= size_of(signed_type) ? unsigned_type : signed_type;
}

/// 0 for i1, 1 for integers, 2 for floats.
constexpr int kind_of(dtype type) { return type == dtype::i1 ? 0 : is_int(type) ? 1 : 2; }

/// Type in which a C++ literal of type `literal` takes part beside an operand of type `operand`:
/// a literal of lower or equal kind adopts the operand's type, one of a higher kind keeps its own.
constexpr dtype weak_literal(dtype literal, dtype operand) {
  return kind_of(literal) <= kind_of(operand) ? operand : literal;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
