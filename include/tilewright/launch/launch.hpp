// Launching a kernel: arguments are bound and checked here, then the target runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <tilewright/config.hpp>
#include <tilewright/detail/message.hpp>
#include <tilewright/error.hpp>
#include <tilewright/lang/trace.hpp>
#include <tilewright/launch/arguments.hpp>
#include <tilewright/launch/grid.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

template <class T>
struct is_unbacked : std::false_type {};
template <class T>
struct is_unbacked<unbacked<T>> : std::true_type {};

template <class... Parts>
[[noreturn]] void fail_launch(const Parts&... parts) {
  message text;
  put(text, "launch: ", parts...);
  fail(text.c_str());
}

/// Whether a kernel's parameter takes a launch argument of type `Argument` (an lvalue).
template <class Parameter, class Argument>
constexpr bool binds() {
  using element = typename Parameter::element;
  using plain = std::remove_cv_t<Argument>;
  if constexpr (!PointerBlock<Parameter>) {
    if constexpr (Literal<plain>) {
      return is_float(dtype_v<element>) || !is_float(operand_type<plain>());
    } else {
      return false;
    }
  } else if constexpr (is_unbacked<plain>::value) {
    return std::is_same_v<plain, unbacked<pointee_t<element>>>;
  } else {
    return requires(element address, Argument & value) { address = value; }
    || requires(element address, Argument & value) {
      address = value.data();
      value.size();
    };
  }
}

template <class Parameter, class Argument>
argument bind_pointer(int position, Argument& value, bool used) {
  using target = std::remove_pointer_t<typename Parameter::element>;
  argument bound;
  bound.type = dtype_v<std::remove_const_t<target>>;
  bound.pointer = true;
  using plain = std::remove_cvref_t<Argument>;
  if constexpr (is_unbacked<plain>::value) {
    bound.elements = value.elements;
  } else {
    target* address = nullptr;
    if constexpr (requires { address = value; }) {
      address = value;
    } else {
      address = value.data();
      bound.elements = static_cast<std::int64_t>(value.size());
    }
    if (used && address == nullptr && bound.elements != 0) {
      fail_launch("parameter ", position, " (ptr<", name_of(bound.type), ">) is a null pointer");
    }
    if (reinterpret_cast<std::uintptr_t>(address) % alignof(target) != 0) {
      fail_launch("parameter ", position, " (ptr<", name_of(bound.type),
                  ">) is not aligned to its element type");
    }
    // The argument only carries the address; whether stores may go through it was checked above.
    bound.address = const_cast<std::remove_const_t<target>*>(address);
  }
  return bound;
}

template <class Parameter, class Argument>
argument bind_scalar(int position, const Argument& value) {
  using element = typename Parameter::element;
  argument bound;
  bound.type = dtype_v<element>;
  if (!holds<element>(value)) {
    fail_launch("parameter ", position, " (", name_of(bound.type),
                "): ", static_cast<std::int64_t>(value), " is outside its range");
  }
  bound.bits = to_bits(convert<element>(literal(value)));
  return bound;
}

template <class K, class Target, class... Arguments>
decltype(auto) bind_and_run(const Target& target, const grid& programs, Arguments&... arguments) {
  using body = body_of<decltype(&K::body)>;
  if (const char* problem = programs.problem()) fail_launch(problem);
  const bool used = programs.programs() > 0;
  int position = 0;
  const auto bind = [&]<class Parameter>(std::type_identity<Parameter>, auto& value) {
    if constexpr (PointerBlock<Parameter>) {
      return bind_pointer<Parameter>(position++, value, used);
    } else {
      return bind_scalar<Parameter>(position++, value);
    }
  };
  return body::with_parameters([&]<class... Parameters>() -> decltype(auto) {
    // One more than needed, since an array of no elements is not allowed.
    const argument bound[] = {bind(std::type_identity<Parameters>{}, arguments)..., argument{}};
    return target.template run<K>(programs, std::span<const argument>(bound, sizeof...(Arguments)));
  });
}

}  // namespace detail

/// Runs `K` once for each program of `programs` on `target` (the host, the device model, the
/// reference interpreter) and returns what the target reports.
///
/// Arguments follow the parameters of `K::body`: for `ptr<T>` a pointer, or something with data()
/// and size() such as std::span or std::vector (which lets the target know the size); for scalars
/// a number. A grid with an axis of 0 is a no-op. Errors (`tilewright::error`): a negative or
/// over-large grid axis, a null or misaligned pointer, an integer outside its parameter's range.
template <Kernel K, class Target, class... Arguments>
decltype(auto) launch(const Target& target, const grid& programs, Arguments&&... arguments) {
  using body = detail::body_of<decltype(&K::body)>;
  constexpr bool complete = body::parameter_count == sizeof...(Arguments);
  static_assert(complete,
                "TW-E130: the number of launch arguments is not that of the kernel's parameters");
  if constexpr (complete) {
    constexpr bool fits = body::with_parameters([]<class... Parameters>() {
      return (detail::binds<Parameters, std::remove_reference_t<Arguments>>() && ...);
    });
    static_assert(fits,
                  "TW-E131: a launch argument does not have the type of the kernel's parameter");
    if constexpr (fits) {
      return detail::bind_and_run<K>(target, programs, arguments...);
    }
  }
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
