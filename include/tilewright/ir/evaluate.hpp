// Run-time evaluation of the op table: one value at a time on bit patterns, or rows of elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tilewright/config.hpp>
#include <tilewright/ir/op_table.hpp>
#include <tilewright/types/convert.hpp>
#include <type_traits>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

/// Operation `Code` of kind `Kind` on operands of type `T`: `load(i, std::type_identity<U>{})` gives
/// operand i as a `U`. The one place that tells the kinds of operands apart.
template <op Code, op_kind Kind, class T, class Load>
constexpr auto apply_meaning(Load&& load) {
  if constexpr (Kind == op_kind::select) {
    return meaning<Code>::eval(load(0, std::type_identity<bool>{}),
                               load(1, std::type_identity<T>{}), load(2, std::type_identity<T>{}));
  } else if constexpr (arity_of(Kind) == 2) {
    return meaning<Code>::eval(load(0, std::type_identity<T>{}), load(1, std::type_identity<T>{}));
  } else {
    return meaning<Code>::eval(load(0, std::type_identity<T>{}));
  }
}

/// Elements lie in raw bytes: read and written by copy, so that no object of another type is
/// touched. A byte of an i1 that is neither 0 nor 1 (memory never written) reads as true.
template <class T>
T load_element(const std::byte* from) {
  if constexpr (std::is_same_v<T, bool>) {
    return *from != std::byte{0};
  } else {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  }
}
template <class T>
void store_element(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

}  // namespace detail

/// The result of element-wise operation `code` on bit patterns (`to_bits`) of type `type`, the
/// promoted type of the operands; the x of a select is an i1. The pattern returned has
/// `result_type`. Operations outside the element-wise table, op::cast, and types that the operation
/// does not accept give 0: the verifiers reject them.
constexpr std::uint64_t evaluate(op code, dtype type, std::uint64_t x, std::uint64_t y = 0,
                                 std::uint64_t z = 0) {
  const std::uint64_t operands[3] = {x, y, z};
  const auto load = [&operands]<class T>(int index, std::type_identity<T>) {
    return from_bits<T>(operands[index]);
  };
  switch (code) {
#define TILEWRIGHT_X(name, kind, units, cost, ulp, summary, expression)          \
  case op::name:                                                                 \
    return with_element(type, [&]<class T>() -> std::uint64_t {                  \
      if constexpr (accepts(op_kind::kind, dtype_v<T>)) {                        \
        return to_bits(detail::apply_meaning<op::name, op_kind::kind, T>(load)); \
      } else {                                                                   \
        return 0;                                                                \
      }                                                                          \
    });
    TILEWRIGHT_ELEMENTWISE_OPS(TILEWRIGHT_X)
#undef TILEWRIGHT_X
    default: return 0;
  }
}

/// The bit pattern `bits` of type `from` converted to type `to` (op::cast), with one rounding.
constexpr std::uint64_t evaluate_cast(dtype from, dtype to, std::uint64_t bits) {
  return with_element(from, [&]<class From>() {
    return with_element(to,
                        [&]<class To>() { return to_bits(convert<To>(from_bits<From>(bits))); });
  });
}

/// A row of elements to read: element i lies at `data` + i * `stride` elements. A stride of 0
/// repeats one element.
struct input_row {
  const std::byte* data = nullptr;
  std::int64_t stride = 1;
};
/// A row of elements to write. It may be exactly one of the inputs, but not overlap one partly.
struct output_row {
  std::byte* data = nullptr;
  std::int64_t stride = 1;
};

/// output[i] := code(inputs[0][i], ...) for i < count, with operands of `type` as in `evaluate`;
/// `inputs` has as many rows as the operation has operands.
inline void evaluate_elements(op code, dtype type, std::int64_t count, const input_row* inputs,
                              const output_row& output) {
  switch (code) {
#define TILEWRIGHT_X(name, kind, units, cost, ulp, summary, expression)                  \
  case op::name:                                                                         \
    with_element(type, [&]<class T>() {                                                  \
      if constexpr (accepts(op_kind::kind, dtype_v<T>)) {                                \
        for (std::int64_t i = 0; i < count; ++i) {                                       \
          const auto load = [&]<class Operand>(int index, std::type_identity<Operand>) { \
            const std::int64_t width = static_cast<std::int64_t>(sizeof(Operand));       \
            return detail::load_element<Operand>(inputs[index].data +                    \
                                                 i * inputs[index].stride * width);      \
          };                                                                             \
          const auto value = detail::apply_meaning<op::name, op_kind::kind, T>(load);    \
          const std::int64_t width = static_cast<std::int64_t>(sizeof(value));           \
          detail::store_element(output.data + i * output.stride * width, value);         \
        }                                                                                \
      }                                                                                  \
    });                                                                                  \
    break;
    TILEWRIGHT_ELEMENTWISE_OPS(TILEWRIGHT_X)
#undef TILEWRIGHT_X
    default: break;
  }
}

/// output[i] := input[i] converted from type `from` to type `to`, for i < count.
inline void evaluate_cast_elements(dtype from, dtype to, std::int64_t count, const input_row& input,
                                   const output_row& output) {
  with_element(from, [&]<class From>() {
    with_element(to, [&]<class To>() {
      const auto convert_all = [&](auto input_stride, auto output_stride) {
        constexpr auto from_width = static_cast<std::int64_t>(sizeof(From));
        constexpr auto to_width = static_cast<std::int64_t>(sizeof(To));
        for (std::int64_t i = 0; i < count; ++i) {
          const From value = detail::load_element<From>(input.data + i * input_stride * from_width);
          detail::store_element(output.data + i * output_stride * to_width, convert<To>(value));
        }
      };
      if (input.stride == 1 && output.stride == 1) {
        // Strides known to the compiler let it vectorise the loop.
        constexpr std::integral_constant<std::int64_t, 1> one;
        convert_all(one, one);
      } else {
        convert_all(input.stride, output.stride);
      }
    });
  });
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
