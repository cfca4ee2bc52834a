// The command programs of the three kernels are compile-time constants of known size.
#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/kernels/gemm.hpp>
#include <tilewright/kernels/softmax.hpp>
#include <tilewright/kernels/vector_add.hpp>
#include <tilewright/passes/pipeline.hpp>

namespace tw = tilewright;

namespace {

constexpr int buffers_in(const tw::command_program& program, tw::memory_space space) {
  int count = 0;
  for (const tw::buffer& b : program.buffers) count += b.space == space ? 1 : 0;
  return count;
}

constexpr std::int64_t local_bytes(const tw::command_program& program) {
  std::int64_t bytes = 0;
  for (const tw::buffer& b : program.buffers) {
    if (b.space == tw::memory_space::local) bytes += b.bytes();
  }
  return bytes;
}

// Two loads, the sum, a store.
constexpr const auto& add = tw::program<tw::kernels::vector_add<float, 1024>, tw::mtia_2i>;
static_assert(!add.error);
static_assert(add.commands.size() == 4);
static_assert(add.buffers.size() == 3);

// A load, the maximum, difference, exp, sum, quotient, a store.
constexpr const auto& softmax = tw::program<tw::kernels::softmax<1024>, tw::mtia_2i>;
static_assert(!softmax.error);
static_assert(softmax.commands.size() == 7);
static_assert(softmax.buffers.size() == 6);

// In f32 the vector core multiplies: the accumulator's zeros, two loads, the dot, a store.
constexpr const auto& gemm = tw::program<tw::kernels::gemm<float, 64, 64, 64>, tw::mtia_2i>;
static_assert(!gemm.error);
static_assert(gemm.commands.size() == 5);
static_assert(buffers_in(gemm, tw::memory_space::re) == 0);

// In f16 the DPE does, with the accumulator in RE, from where it is drained before the store.
constexpr const auto& half_gemm = tw::program<tw::kernels::gemm<tw::f16, 64, 64, 64>, tw::mtia_2i>;
static_assert(!half_gemm.error);
static_assert(half_gemm.commands.size() == 6);
static_assert(buffers_in(half_gemm, tw::memory_space::re) == 1);

static_assert(local_bytes(add) <= tw::mtia_2i.local_bytes);
static_assert(local_bytes(softmax) <= tw::mtia_2i.local_bytes);
static_assert(local_bytes(gemm) <= tw::mtia_2i.local_bytes);
static_assert(local_bytes(half_gemm) <= tw::mtia_2i.local_bytes);

}  // namespace
