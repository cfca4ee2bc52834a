// Kernels as native SIMD code: the launch target `tilewright::host`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tilewright/config.hpp>
#include <tilewright/host/executor.hpp>
#include <tilewright/host/planner.hpp>
#include <tilewright/host/run.hpp>
#include <tilewright/host/scratch.hpp>
#include <tilewright/lang/trace.hpp>
#include <tilewright/launch/arguments.hpp>
#include <tilewright/launch/grid.hpp>
#include <tilewright/passes/middle.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

namespace detail {
inline namespace TILEWRIGHT_SIMD_NAMESPACE {

/// The graph of a kernel and its plan.
template <Kernel K>
struct host_code {
  static constexpr const graph& g = middle<K>::extended;
  static constexpr diagnostic error = g.error;
  static constexpr tile_choice<g.size()> choice{g};
  static constexpr plan<g.size()> p = make_plan(g, choice);
};

/// Launches that write more than this go past the caches: nobody will find the results there.
inline constexpr std::int64_t streaming_bytes = std::int64_t{24} << 20;

/// Bytes that one program writes when nothing is masked.
template <class Code>
constexpr std::int64_t bytes_written() {
  std::int64_t bytes = 0;
  for (node_id id = 0; id < Code::g.size(); ++id) {
    const node& n = Code::g[id];
    if (n.code == op::store) bytes += elements_of(n.dims) * size_of(n.type);
  }
  return bytes;
}

/// Runs all programs of a launch of `Code` on `executor`.
template <class Code, class Runner>
void run_programs(Runner& executor, const grid& programs, std::span<const argument> arguments) {
  static_assert(!Code::p.too_large,
                "this kernel has more values than the host's plan has room for");
  const std::int64_t count = programs.programs();
  if (count == 0) return;
  // Tasks of consecutive programs: few enough that starting one costs nothing beside its work,
  // enough that no thread waits long for another.
  const std::int64_t threads = executor.concurrency() > 1 ? executor.concurrency() : 1;
  const std::int64_t most = threads == 1 ? 1 : 8 * threads;
  const std::int64_t tasks = count < most ? count : most;
  constexpr std::int64_t written = bytes_written<Code>();
  const bool streams = written > 0 && count > streaming_bytes / written;
  executor.parallel_for(tasks, [&](std::int64_t task) {
    constexpr std::size_t slots = static_cast<std::size_t>(Code::p.slot_count) + 1;
    std::uint64_t values[slots];
    const scratch memory(static_cast<std::size_t>(Code::p.scratch_bytes));
    frame f{arguments.data(), &programs, 0, memory.data(), values, streams};
    const std::int64_t whole = count / tasks, rest = count % tasks;
    const std::int64_t first = task * whole + (task < rest ? task : rest);
    const std::int64_t last = first + whole + (task < rest ? 1 : 0);
    for (std::int64_t program = first; program < last; ++program) run_program<Code>(f, program);
    if (streams) simd::stream_fence();
  });
}

}  // namespace TILEWRIGHT_SIMD_NAMESPACE
}  // namespace detail

inline namespace TILEWRIGHT_SIMD_NAMESPACE {

/// A launch target that runs kernels as SIMD code on `Runner`, an executor.
///
/// Values are the same for any number of threads. Results have the bits that the scalar meanings of
/// the operations give, but for `exp` and `log` (host_ulp in the op table) and, on targets without
/// fused multiply-add, f32 products (see host/dot.hpp).
template <Executor Runner>
struct host_on {
  Runner* executor;

  template <Kernel K>
  void run(const grid& programs, std::span<const argument> arguments) const {
    detail::run_programs<without_error<detail::host_code<K>>>(*executor, programs, arguments);
  }
};

/// The target `tilewright::host`: everything on the calling thread. `host.on(executor)` uses an
/// executor instead, such as `thread_pool`.
struct host_target {
  template <Kernel K>
  void run(const grid& programs, std::span<const argument> arguments) const {
    serial_executor serial;
    host_on<serial_executor>{&serial}.run<K>(programs, arguments);
  }
  /// `executor` must live as long as the returned target is used.
  template <Executor Runner>
  constexpr host_on<Runner> on(Runner& executor) const {
    return {&executor};
  }
};
inline constexpr host_target host{};

}  // namespace TILEWRIGHT_SIMD_NAMESPACE

}  // namespace tilewright::inline TILEWRIGHT_ABI
