// The typed handles that kernel authors hold: blocks, scalars and pointers.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <tilewright/config.hpp>
#include <tilewright/ir/graph.hpp>
#include <tilewright/ir/source_line.hpp>
#include <tilewright/types/dtype.hpp>
#include <tilewright/types/shape.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

class lang;
template <class T, int... Dims>
class block;

/// A pointer to elements of `T`; `T` is const when the kernel only reads.
template <class T>
using ptr = block<T*>;
/// Run-time scalars.
using i1 = block<bool>;
using i8 = block<std::int8_t>;
using i16 = block<std::int16_t>;
using i32 = block<std::int32_t>;
using i64 = block<std::int64_t>;
using u8 = block<std::uint8_t>;
using u16 = block<std::uint16_t>;
using u32 = block<std::uint32_t>;
using u64 = block<std::uint64_t>;
using f32 = block<float>;
using f64 = block<double>;

namespace detail {

template <class T>
struct is_block : std::false_type {};
template <class T, int... Dims>
struct is_block<block<T, Dims...>> : std::true_type {};

/// `Type`, as a name that depends on `T`: lets a template use a class that is defined later.
template <class T, class Type>
struct dependent {
  using type = Type;
};

/// Element type behind a handle's `T`: `T` itself, or what a pointer points to, without const.
template <class T>
using pointee_t = std::remove_const_t<std::remove_pointer_t<T>>;

}  // namespace detail

/// A handle of the language.
template <class T>
concept Block = detail::is_block<std::remove_cvref_t<T>>::value;
/// A C++ number written in a kernel. It is weak: it adopts the type of the operand beside it.
template <class T>
concept Literal = std::is_arithmetic_v<T> || std::same_as<T, f16> || std::same_as<T, bf16>;
/// A block of numbers (not of pointers).
template <class T>
concept NumberBlock = Block<T> && !std::is_pointer_v<typename std::remove_cvref_t<T>::element>;
/// A block of pointers.
template <class T>
concept PointerBlock = Block<T> && std::is_pointer_v<typename std::remove_cvref_t<T>::element>;
template <class T>
concept Operand = NumberBlock<T> || Literal<T>;

namespace detail {
/// Whether an operator may be found for these operands at all.
template <class Left, class Right>
concept operands = Operand<Left> && Operand<Right> &&(Block<Left> || Block<Right>);
}  // namespace detail

/// A block of elements `T` with extents `Dims` (none: a scalar), as a kernel sees it: a variable
/// that names a node of the graph being traced. Copying a variable gives the copy a node of its
/// own; assigning to a variable from outside the open loop makes it loop-carried.
template <class T, int... Dims>
class block {
 public:
  using element = T;
  static constexpr shape dims = make_shape<Dims...>();
  static_assert(sizeof...(Dims) <= max_rank, "TW-E101: a block has at most rank 5");
  static_assert(((Dims > 0) && ...), "TW-E102: extents of a block are positive");
  static_assert(elements_of(dims) <= max_elements,
                "TW-E103: a block has at most 1,048,576 elements");

  constexpr block(const block& other)
      : block(*other.context_, other.context_->nodes.copy(other.id_)) {}
  constexpr block& operator=(const block& other) {
    context_->nodes.assign(id_, born_, context_->nodes.copy(other.id_));
    return *this;
  }
  template <Literal Number>
  constexpr block& operator=(Number value) {
    return *this =
               context_->template constant<block>(value, source_line(context_->nodes[id_].line));
  }
  template <Block Other>
  constexpr block& operator=(const Other&) {
    static_assert(
        std::same_as<Other, block>,
        "TW-E104: a variable keeps one element type and one shape; convert with .to<T>()");
    return *this;
  }

  /// Conversion to element type `To`, one rounding; see types/convert.hpp for the rules. What is
  /// converted is no index arithmetic any more (docs/reference/language.md), even if `To` is `T`.
  template <Element To>
  constexpr auto to(source_line line = source_line::here()) const {
    static_assert(!std::is_pointer_v<T>, "TW-E125: pointers do not convert");
    return context_->template emit<block<To, Dims...>>(op::cast, line, 0, id_);
  }

  // What follows is for the language itself.
  constexpr block(lang& context, node_id id)
      : context_(&context), id_(id), born_(context_->nodes.size()) {}
  constexpr node_id id() const { return id_; }
  constexpr lang& context() const { return *context_; }

 private:
  // Defined here rather than after `lang`, since Clang only evaluates what it has seen defined at
  // the first use.
  typename detail::dependent<T, lang>::type* context_;
  node_id id_;
  node_id born_;  // nodes traced before this variable existed
};

}  // namespace tilewright::inline TILEWRIGHT_ABI
