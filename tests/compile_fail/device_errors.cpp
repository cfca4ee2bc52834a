// Kernels that a device cannot run: the TW-E sentence, the line and the numbers.
#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/kernels/gemm.hpp>
#include <tilewright/kernels/vector_add.hpp>
#include <tilewright/passes/pipeline.hpp>

namespace tw = tilewright;

#ifndef TILEWRIGHT_BAD
using kernel = tw::kernels::gemm<tw::f16, 64, 64, 64>;

#elif TILEWRIGHT_BAD == 1
// expect 1: TW-E013: the kernel's buffers do not fit in local memory
// expect 1: local_memory, .*line<16>, .*need<786432>, .*have<393216>
// Three tiles of 65,536 f32 are 786,432 bytes; the line is that of the load in vector_add.hpp.
using kernel = tw::kernels::vector_add<float, 65536>;

#elif TILEWRIGHT_BAD == 2
// expect 2: TW-E010: this access has no base, sizes and strides
// expect 2: line<24>
struct kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> y) {
    auto lane = tl.arange<64>();
    tl.store(y + lane, tl.load(x + lane / 3));
  }
};

#elif TILEWRIGHT_BAD == 3
// expect 3: TW-E011: this mask does not select leading lanes
// expect 3: line<34>
struct kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> y) {
    auto lane = tl.arange<64>();
    tl.store(y + lane, tl.load(x + lane, lane >= 3));
  }
};

#elif TILEWRIGHT_BAD == 4
// expect 4: TW-E015: the accumulators do not fit
// expect 4: need<32768>, .*have<20000>
struct small_device : tw::mtia_2i_device {
  constexpr small_device() { re_accumulator_bytes = 20000; }
};
struct kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const tw::f16> x, tw::ptr<float> y) {
    auto i = tl.arange<64>();
    auto tile = tl.load(x + tl.col(i) * 64 + tl.row(i));
    auto first = tl.dot(tile, tile);
    auto second = tl.dot(tile, tile + tile);
    tl.store(y + tl.col(i) * 64 + tl.row(i), first + second);
  }
};
#define DEVICE small_device

#elif TILEWRIGHT_BAD == 5
// expect 5: TW-E003: a tl.range loop has step 0
// expect 5: line<60>
struct kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<float> y, tw::i32 n) {
    for (auto i : tl.range(0, n, 0)) tl.store(y + i, 1.0f);
  }
};

#elif TILEWRIGHT_BAD == 6
// expect 6: TW-E002: a tl.range loop was left by break or return
// expect 6: line<69>
struct kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<float> y, tw::i32 n) {
    for (auto i : tl.range(0, n)) {
      tl.store(y + i, 1.0f);
      break;
    }
  }
};

#elif TILEWRIGHT_BAD == 7
// expect 7: TW-E014: the kernel needs more circular buffers than the device has
// expect 7: need<16>, .*have<15>
struct kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> y) {
    auto lane = tl.arange<64>();
    auto sum = tl.load(x + lane);
    for (int i = 1; i < 6; ++i) sum = tl.exp(sum) + tl.load(x + (lane + i * 64));
    tl.store(y + lane, sum);
  }
};

#elif TILEWRIGHT_BAD == 8
// expect 8: TW-E017: an address, a mask or a loop bound depends on a value that a unit computes
// expect 8: line<94>
struct kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const std::int32_t> x, tw::ptr<float> y) {
    auto lane = tl.arange<64>();
    auto place = tl.sum<0>(tl.load(x + lane));
    tl.store(y + (place + lane), 1.0f);
  }
};

#elif TILEWRIGHT_BAD == 9
// expect 9: TW-E018: an address, a mask or a loop bound is loaded from memory that the kernel stores
// expect 9: line<105>
struct kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<std::int32_t> y) {
    auto lane = tl.arange<64>();
    tl.store(y + (tl.load(y) + lane), 1);
  }
};
#endif

#ifndef DEVICE
#define DEVICE tw::mtia_2i_device
#endif
constexpr DEVICE device{};
static_assert(tw::program<kernel, device>.commands.size() > 0);
