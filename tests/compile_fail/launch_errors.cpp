// Launches whose arguments do not match the kernel's parameters: the TW-E sentence and the line.
#include <span>
#include <vector>

#include <tilewright/launch/launch.hpp>

namespace tw = tilewright;

struct kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> y, tw::i32 n) {
    auto i = tl.arange<4>();
    tl.store(y + i, tl.load(x + i, i < n));
  }
};

struct target {
  template <class Kernel>
  void run(const tw::grid&, std::span<const tw::argument>) const {}
};

void run(std::vector<float>& x, std::vector<float>& y, std::vector<double>& z,
         const std::vector<float>& fixed) {
#ifndef TILEWRIGHT_BAD
  tw::launch<kernel>(target{}, tw::grid(1), fixed, y.data(), 4);
  static_cast<void>(x);
  static_cast<void>(z);
#elif TILEWRIGHT_BAD == 1
// expect 1: TW-E130: the number of launch arguments is not that of the kernel's parameters
// expect 1: launch_errors.cpp:1001\b
#line 1001
  tw::launch<kernel>(target{}, tw::grid(1), x, y);
#elif TILEWRIGHT_BAD == 2
// expect 2: TW-E131: a launch argument does not have the type of the kernel's parameter
// expect 2: launch_errors.cpp:1002\b
#line 1002
  tw::launch<kernel>(target{}, tw::grid(1), z, y, 4);
#elif TILEWRIGHT_BAD == 3
// expect 3: TW-E131: a launch argument does not have the type of the kernel's parameter
// expect 3: launch_errors.cpp:1003\b
#line 1003
  tw::launch<kernel>(target{}, tw::grid(1), x, fixed, 4);
#elif TILEWRIGHT_BAD == 4
// expect 4: TW-E131: a launch argument does not have the type of the kernel's parameter
// expect 4: launch_errors.cpp:1004\b
#line 1004
  tw::launch<kernel>(target{}, tw::grid(1), x, y, 4.5f);
#endif
}
