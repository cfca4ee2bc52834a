// The context of a kernel, `tl`: every operation under Triton's name and argument order.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/ir/source_line.hpp>
#include <tilewright/lang/block.hpp>
#include <tilewright/lang/recorder.hpp>
#include <tilewright/lang/result_types.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

class loop_range;

/// What a kernel author may say. A kernel is a class with
/// `static constexpr void body(lang& tl, parameters...)`, whose parameters are `ptr<T>`,
/// `ptr<const T>` and scalars such as `i32`. Shapes, axes and element types are template arguments.
/// Operations of two blocks broadcast (extents equal or 1, aligned at the innermost) and promote
/// like Triton's; a C++ literal adopts the block's type unless it is of a higher kind.
/// The parameter `line` is the source line of the call; leave it alone.
class lang {
 public:
  constexpr lang() = default;
  lang(const lang&) = delete;
  lang& operator=(const lang&) = delete;

  // ---- programs ----

  /// Index of this program along `axis` (0 to 2) of the grid.
  constexpr i32 program_id(int axis, source_line line = source_line::here()) {
    return grid_value(op::program_id, axis, line);
  }
  /// Extent of the grid along `axis`.
  constexpr i32 num_programs(int axis, source_line line = source_line::here()) {
    return grid_value(op::num_programs, axis, line);
  }

  // ---- creation ----

  /// [0, 1, ..., Count - 1].
  template <int Count>
  constexpr block<std::int32_t, Count> arange(source_line line = source_line::here()) {
    return arange<0, Count>(line);
  }
  /// [First, First + 1, ..., Last - 1].
  template <int First, int Last>
  constexpr auto arange(source_line line = source_line::here()) {
    static_assert(First < Last, "TW-E105: tl.arange<First, Last> needs First < Last");
    return emit<block<std::int32_t, (First < Last ? Last - First : 1)>>(op::arange, line, First);
  }
  /// A block of zeros.
  template <Element T, int... Dims>
  constexpr block<T, Dims...> zeros(source_line line = source_line::here()) {
    return constant<block<T, Dims...>>(T{}, line);
  }
  /// A block that holds `value` everywhere; `value` is a literal or a scalar.
  template <Element T, int... Dims, Operand Value>
  constexpr auto full(const Value& value, source_line line = source_line::here()) {
    if constexpr (Literal<Value>) {
      return constant<block<T, Dims...>>(value, line);
    } else {
      static_assert(Value::dims.rank == 0, "TW-E106: tl.full takes a literal or a scalar");
      return broadcast_to<Dims...>(block<T>(*this, operand_as<T>(value, line)), line);
    }
  }

  // ---- shape ----

  /// `x` with extents of 1 repeated (and missing outer dimensions added) to `Dims`.
  template <int... Dims, NumberBlock X>
  constexpr auto broadcast_to(const X& x, source_line line = source_line::here()) {
    static_assert(broadcasts_to(X::dims, make_shape<Dims...>()),
                  "TW-E107: tl.broadcast_to cannot reach this shape");
    return emit<block<typename X::element, Dims...>>(op::broadcast, line, 0, x.id());
  }
  /// A new dimension of extent 1 at position `Axis`.
  template <int Axis, NumberBlock X>
  constexpr auto expand_dims(const X& x, source_line line = source_line::here()) {
    static_assert(Axis >= 0 && Axis <= X::dims.rank, "TW-E108: no such axis");
    using result = detail::block_t<typename X::element, detail::expanded_shape<X, Axis>>;
    return emit<result>(op::expand_dims, line, Axis, x.id());
  }
  /// `v[:, None]`: a vector as a column [N, 1].
  template <NumberBlock X>
  constexpr auto col(const X& v, source_line line = source_line::here()) {
    static_assert(X::dims.rank == 1, "TW-E109: tl.col and tl.row take a block of rank 1");
    return expand_dims<1>(v, line);
  }
  /// `v[None, :]`: a vector as a row [1, N].
  template <NumberBlock X>
  constexpr auto row(const X& v, source_line line = source_line::here()) {
    static_assert(X::dims.rank == 1, "TW-E109: tl.col and tl.row take a block of rank 1");
    return expand_dims<0>(v, line);
  }

  // ---- memory ----

  /// Reads a block through pointers. The mask (i1) broadcasts with the pointers; masked lanes are
  /// not read and give `other`, or 0 without one.
  template <PointerBlock Pointer, class Mask = detail::absent, class Other = detail::absent>
  constexpr auto load(const Pointer& pointer, const Mask& mask = {}, const Other& other = {},
                      source_line line = source_line::here()) {
    using element = detail::pointee_t<typename Pointer::element>;
    static_assert(detail::mask_or_absent<Mask>, "TW-E110: a mask is a block of element type i1");
    using common = detail::broadcast_shape<Pointer, Mask>;
    static_assert(common::value.rank >= 0,
                  "TW-E116: tl.load: the mask does not broadcast with the pointers");
    using result = detail::block_t<element, common>;
    static_assert(broadcasts_to(detail::shape_of<Other>(), result::dims),
                  "TW-E117: tl.load: `other` must broadcast to the loaded shape");
    if constexpr (std::same_as<Other, detail::absent>) {
      return emit<result>(op::load, line, -1, pointer.id(), id_of(mask));
    } else {
      return emit<result>(op::load, line, -1, pointer.id(), id_of(mask),
                          operand_as<element>(other, line));
    }
  }
  /// Writes `value`, broadcast and converted to the pointers' element type. Masked lanes are not
  /// written; of equal addresses in one store the highest lane wins.
  template <PointerBlock Pointer, Operand Value, class Mask = detail::absent>
  constexpr void store(const Pointer& pointer, const Value& value, const Mask& mask = {},
                       source_line line = source_line::here()) {
    using target = std::remove_pointer_t<typename Pointer::element>;
    static_assert(detail::mask_or_absent<Mask>, "TW-E110: a mask is a block of element type i1");
    static_assert(!std::is_const_v<target>, "TW-E122: tl.store through a pointer to const");
    static_assert(broadcasts_to(detail::shape_of<Value>(), Pointer::dims) &&
                      broadcasts_to(detail::shape_of<Mask>(), Pointer::dims),
                  "TW-E111: tl.store: value and mask must broadcast to the pointers' shape");
    using element = std::remove_const_t<target>;
    using stored = detail::block_t<element, detail::broadcast_shape<Pointer>>;
    nodes.add(make_node<stored>(op::store, line, -1, pointer.id(), operand_as<element>(value, line),
                                id_of(mask)));
  }

  // ---- matrix product ----

  /// acc + left x right for left [M, K], right [K, N], acc [M, N]: one fused multiply-add per k,
  /// k ascending, starting from `acc` (0 without one), in the accumulator's type (f32 for f16, bf16
  /// and f32 operands, f64 for f64, i32 for integers).
  template <NumberBlock Left, NumberBlock Right, class Accumulator = detail::absent>
  constexpr auto dot(const Left& left, const Right& right, const Accumulator& acc = {},
                     source_line line = source_line::here()) {
    static_assert(
        std::same_as<typename Left::element, typename Right::element>,
        "TW-E112: tl.dot: both operands must have one element type; convert with .to<T>()");
    static_assert(Left::dims.rank == 2 && Right::dims.rank == 2,
                  "TW-E113: tl.dot takes blocks of rank 2");
    static_assert(Left::dims.rank != 2 || Right::dims.rank != 2 || Left::dims[1] == Right::dims[0],
                  "TW-E114: tl.dot: the left block's columns must match the right block's rows");
    using result = detail::dot_t<Left, Right>;
    if constexpr (std::same_as<Accumulator, detail::absent>) {
      const auto zero = constant<result>(typename result::element{}, line);
      return emit<result>(op::dot, line, 0, left.id(), right.id(), zero.id());
    } else {
      static_assert(std::same_as<Accumulator, result>,
                    "TW-E115: tl.dot: the accumulator must be f32 (f64 for f64, i32 for integer "
                    "operands) and have the shape of the product");
      return emit<result>(op::dot, line, 0, left.id(), right.id(), acc.id());
    }
  }

  // ---- reductions along an axis: tl.sum<1>(x), tl.max<0>(x), tl.min<0>(x) ----

#define TILEWRIGHT_X(name, combine_op, summary)                             \
  template <int Axis, NumberBlock X>                                        \
  constexpr auto name(const X& x, source_line line = source_line::here()) { \
    return reduce<op::combine_op, Axis>(x, line);                           \
  }
  TILEWRIGHT_REDUCTIONS(TILEWRIGHT_X)
#undef TILEWRIGHT_X

  // ---- element-wise: each row of the op table, as tl.add(x, y), tl.exp(x), tl.where(c, x, y) ----

#define TILEWRIGHT_UNARY(name)                                              \
  template <NumberBlock X>                                                  \
  constexpr auto name(const X& x, source_line line = source_line::here()) { \
    return unary<op::name>(x, line);                                        \
  }
#define TILEWRIGHT_BINARY(name)                                                         \
  template <class X, class Y>                                                           \
  requires detail::operands<X, Y>                                                       \
  constexpr auto name(const X& x, const Y& y, source_line line = source_line::here()) { \
    return binary<op::name>(x, y, line);                                                \
  }
#define TILEWRIGHT_SELECT(name)                                           \
  template <NumberBlock Condition, Operand X, Operand Y>                  \
  constexpr auto name(const Condition& condition, const X& x, const Y& y, \
                      source_line line = source_line::here()) {           \
    return select<op::name>(condition, x, y, line);                       \
  }
#define TILEWRIGHT_OF_arithmetic TILEWRIGHT_BINARY
#define TILEWRIGHT_OF_compare TILEWRIGHT_BINARY
#define TILEWRIGHT_OF_bitwise TILEWRIGHT_BINARY
#define TILEWRIGHT_OF_shift TILEWRIGHT_BINARY
#define TILEWRIGHT_OF_unary TILEWRIGHT_UNARY
#define TILEWRIGHT_OF_unary_bits TILEWRIGHT_UNARY
#define TILEWRIGHT_OF_unary_float TILEWRIGHT_UNARY
#define TILEWRIGHT_OF_select TILEWRIGHT_SELECT
#define TILEWRIGHT_X(name, kind, ...) TILEWRIGHT_OF_##kind(name)
  TILEWRIGHT_ELEMENTWISE_OPS(TILEWRIGHT_X)
#undef TILEWRIGHT_X
#undef TILEWRIGHT_OF_arithmetic
#undef TILEWRIGHT_OF_compare
#undef TILEWRIGHT_OF_bitwise
#undef TILEWRIGHT_OF_shift
#undef TILEWRIGHT_OF_unary
#undef TILEWRIGHT_OF_unary_bits
#undef TILEWRIGHT_OF_unary_float
#undef TILEWRIGHT_OF_select
#undef TILEWRIGHT_UNARY
#undef TILEWRIGHT_BINARY
#undef TILEWRIGHT_SELECT

  /// Ceiling of x / y for integers, for every sign.
  template <class X, class Y>
  requires detail::operands<X, Y>
  constexpr auto cdiv(const X& x, const Y& y, source_line line = source_line::here());

  // ---- loops ----

  /// For a range-for: from `first` to before `last` in steps of `step`; negative steps count down,
  /// a step of 0 is an error. Variables from outside that the body assigns carry their value from
  /// one iteration to the next.
  template <Operand First, Operand Last, Operand Step = int>
  constexpr loop_range range(const First& first, const Last& last, const Step& step = 1,
                             source_line line = source_line::here());
  template <Operand Last>
  constexpr loop_range range(const Last& last, source_line line = source_line::here());

  // ---- for the language itself ----

  /// A handle of type `Result` for a new node.
  template <Block Result>
  constexpr Result emit(op what, source_line line, std::int64_t value, node_id x = no_node,
                        node_id y = no_node, node_id z = no_node) {
    return {*this, nodes.add(make_node<Result>(what, line, value, x, y, z))};
  }
  template <Block Result>
  constexpr node make_node(op what, source_line line, std::int64_t value, node_id x = no_node,
                           node_id y = no_node, node_id z = no_node) {
    using element = typename Result::element;
    node n;
    n.code = what;
    n.type = dtype_v<detail::pointee_t<element>>;
    n.pointer = std::is_pointer_v<element>;
    n.line = line.number();
    n.dims = Result::dims;
    n.value = value;
    n.operands[0] = x;
    n.operands[1] = y;
    n.operands[2] = z;
    return n;
  }
  /// The parameter at `position` of the kernel.
  template <Block Parameter>
  constexpr Parameter parameter(int position) {
    node n = make_node<Parameter>(op::argument, source_line(0), position);
    if constexpr (PointerBlock<Parameter>) {
      n.writable = !std::is_const_v<std::remove_pointer_t<typename Parameter::element>>;
    }
    nodes.count_argument();
    return {*this, nodes.add(n)};
  }
  template <Block Result, Literal Number>
  constexpr Result constant(Number value, source_line line) {
    using element = typename Result::element;
    if (!detail::holds<element>(value)) nodes.fail(code::literal_range, line.number());
    return emit<Result>(
        op::constant, line,
        static_cast<std::int64_t>(to_bits(convert<element>(detail::literal(value)))));
  }
  /// Node of `value` promoted to `T`; a literal becomes a scalar constant.
  template <Element T, Operand Value>
  constexpr node_id operand_as(const Value& value, source_line line) {
    if constexpr (Literal<Value>) {
      return constant<block<T>>(value, line).id();
    } else if constexpr (std::same_as<typename Value::element, T>) {
      return value.id();
    } else {
      using result = detail::block_t<T, detail::broadcast_shape<Value>>;
      return emit<result>(op::cast, line, by_promotion, value.id()).id();
    }
  }

  template <op Code, class X, class Y>
  constexpr auto binary(const X& x, const Y& y, source_line line) {
    constexpr op_kind kind = info_of(Code).kind;
    using common = detail::broadcast_shape<X, Y>;
    static_assert(common::value.rank >= 0, "TW-E118: the operands' shapes do not broadcast");
    static_assert(
        !detail::mixes_signs<Code, X, Y>(),
        "TW-E119: / and % do not mix signed and unsigned integers; convert with .to<T>()");
    constexpr dtype type = detail::promoted_type<Code, X, Y>();
    static_assert(accepts(kind, type), "TW-E120: this operation does not take this element type");
    using result = detail::block_t<element_t<result_type(kind, type)>, common>;
    const node_id left = operand_as<element_t<type>>(x, line);
    const node_id right = operand_as<element_t<type>>(y, line);
    return emit<result>(Code, line, 0, left, right);
  }
  template <op Code, class X>
  constexpr auto unary(const X& x, source_line line) {
    static_assert(accepts(info_of(Code).kind, dtype_v<typename X::element>),
                  "TW-E120: this operation does not take this element type");
    return emit<X>(Code, line, 0, x.id());
  }
  template <op Code, class Condition, class X, class Y>
  constexpr auto select(const Condition& condition, const X& x, const Y& y, source_line line) {
    static_assert(std::same_as<typename Condition::element, bool>,
                  "TW-E121: a condition has element type i1");
    using common = detail::broadcast_shape<Condition, X, Y>;
    static_assert(common::value.rank >= 0, "TW-E118: the operands' shapes do not broadcast");
    constexpr dtype type = detail::promoted_type<Code, X, Y>();
    using result = detail::block_t<element_t<type>, common>;
    const node_id left = operand_as<element_t<type>>(x, line);
    const node_id right = operand_as<element_t<type>>(y, line);
    return emit<result>(Code, line, 0, condition.id(), left, right);
  }

  detail::recorder nodes;  ///< what has been traced so far

 private:
  constexpr i32 grid_value(op what, int axis, source_line line) {
    if (axis < 0 || axis > 2) nodes.fail(code::no_such_axis, line.number());
    return emit<i32>(what, line, axis);
  }
  template <op Combine, int Axis, class X>
  constexpr auto reduce(const X& x, source_line line) {
    static_assert(Axis >= 0 && Axis < X::dims.rank, "TW-E108: no such axis");
    constexpr dtype type = reduced_type(Combine, dtype_v<typename X::element>);
    using result = detail::block_t<element_t<type>, detail::reduced_shape<X, Axis>>;
    node n = make_node<result>(op::reduce, line, Axis, x.id());
    n.combine = Combine;
    return result{*this, nodes.add(n)};
  }
  template <class Mask>
  static constexpr node_id id_of(const Mask& mask) {
    if constexpr (Block<Mask>) {
      return mask.id();
    } else {
      return no_node;
    }
  }
};

}  // namespace tilewright::inline TILEWRIGHT_ABI
