// Kernels as SIMD code that watches over its memory: the launch target `tilewright::checked`.
#pragma once

#include <cstdint>
#include <span>
#include <tilewright/config.hpp>
#include <tilewright/host/host.hpp>
#include <tilewright/passes/poison_masked_lanes.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {

/// Where the stages of kernel `K` start when masked lanes hold poison.
template <Kernel K>
struct poisoned_kernel {
  static constexpr graph traced = poison_masked_lanes(middle<K>::traced);
};

inline namespace TILEWRIGHT_SIMD_NAMESPACE {

/// The graph of a kernel and a plan with checks.
template <Kernel K>
struct checked_code {
  static constexpr const graph& g = middle_of<poisoned_kernel<K>>::extended;
  static constexpr diagnostic error = g.error;
  static constexpr int room = 2 * g.size();  // each load and store may need a second step
  static constexpr tile_choice<room> choice{g};
  static constexpr plan<room> p = make_plan(g, choice, access_checks::on);
};

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace detail

inline namespace TILEWRIGHT_SIMD_NAMESPACE {

/// `checked.on(executor)`, a launch target.
template <Executor Runner>
struct checked_on {
  Runner* executor;

  template <Kernel K>
  void run(const grid& programs, std::span<const argument> arguments) const {
    detail::run_programs<without_error<detail::checked_code<K>>>(*executor, programs, arguments);
  }
};

/// The target `tilewright::checked`: `tilewright::host` with checks, for tests. Everything runs on
/// the calling thread, or, with `checked.on(executor)`, on an executor.
///
/// A load or store one of whose active lanes lies outside of an argument of known size (not a raw
/// pointer) fails before it reads or writes anything, with its line, the elements and the program;
/// what came before has been stored by then. Masked lanes of loads without `other` hold NaN, or the
/// bytes a5 in integers, instead of 0. Otherwise results have the bits of `tilewright::host`.
struct checked_target {
  template <Kernel K>
  void run(const grid& programs, std::span<const argument> arguments) const {
    serial_executor serial;
    checked_on<serial_executor>{&serial}.run<K>(programs, arguments);
  }
  /// `executor` must live as long as the returned target is used.
  template <Executor Runner>
  constexpr checked_on<Runner> on(Runner& executor) const {
    return {&executor};
  }
};
inline constexpr checked_target checked{};

}  // namespace TILEWRIGHT_SIMD_NAMESPACE

}  // namespace tilewright::inline TILEWRIGHT_ABI
