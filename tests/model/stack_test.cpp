// Launches on the model from a thread with a small stack.
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>
#include <vector>

#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/kernels/gemm.hpp>
#include <tilewright/kernels/vector_add.hpp>
#include <tilewright/launch/launch.hpp>
#include <tilewright/model/target.hpp>

namespace tw = tilewright;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t stack_bytes = 256 * 1024;  // frames have room between their variables
#else
constexpr std::size_t stack_bytes = 64 * 1024;
#endif

/// Runs `body` on a thread whose stack has `stack_bytes` beside what the system itself needs.
template <class Body>
void on_small_stack(Body body) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack_bytes), 0);
  pthread_t thread;
  const auto start = [](void* what) -> void* {
    (*static_cast<Body*>(what))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, start, &body), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

using add = tw::kernels::vector_add<float, 64>;
using gemm = tw::kernels::gemm<tw::f16, 64, 64, 64>;

TEST(Stack, ProgramsThatAreConstants) {
  on_small_stack([] {
    const std::vector<float> x(100, 1.0f), y(100, 2.0f);
    std::vector<float> out(100);
    tw::launch<add>(tw::model(tw::mtia_2i), tw::grid(2), x, y, out, 100);
    EXPECT_EQ(out, std::vector<float>(100, 3.0f));
  });
}
TEST(Stack, ProgramsForADeviceAtRunTime) {
  on_small_stack([] {
    const tw::device_spec device = tw::mtia_2i;
    const std::vector<tw::f16> a(64 * 64, tw::f16(1.0f)), b = a;
    std::vector<float> c(64 * 64);
    tw::launch<gemm>(tw::model(device), tw::grid(1), a, b, c, 64, 64, 64);
    EXPECT_EQ(c, std::vector<float>(64 * 64, 64.0f));
  });
}
TEST(Stack, OverlappingArguments) {
  on_small_stack([] {
    std::vector<float> x(100, 1.0f);
    tw::launch<add>(tw::model(tw::mtia_2i), tw::grid(2), x, x, x, 100);
    EXPECT_EQ(x, std::vector<float>(100, 2.0f));
  });
}

}  // namespace
