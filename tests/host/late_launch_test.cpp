// Launches from destructors that run late: of static objects, and of another thread_local object.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include <tilewright/host/host.hpp>
#include <tilewright/kernels/softmax.hpp>
#include <tilewright/launch/launch.hpp>

namespace tw = tilewright;

namespace {

/// A launch that needs scratch memory; exits with 2 unless its values are right.
void launch(int columns) {
  const std::vector<float> x(static_cast<std::size_t>(columns), 1.0f);
  std::vector<float> y(x.size());
  tw::launch<tw::kernels::softmax<1024>>(tw::host, tw::grid(1), x, y, columns, columns);
  if (y != std::vector<float>(x.size(), 1.0f / static_cast<float>(columns))) std::_Exit(2);
}

struct launches_when_destroyed {
  ~launches_when_destroyed() {
    launch(512);
    launch(64);
  }
};

TEST(LateLaunch, FromTheDestructorOfAStaticObject) {
  EXPECT_EXIT(
      {
        static launches_when_destroyed late;
        launch(128);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(LateLaunch, FromTheDestructorOfAThreadLocalObject) {
  EXPECT_EXIT(
      {
        std::thread([] {
          thread_local launches_when_destroyed late;  // destroyed after what launches keep
          static_cast<void>(late);
          launch(128);
        }).join();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(LateLaunch, FromAThreadThatHasNotLaunchedBefore) {
  EXPECT_EXIT(
      {
        std::thread([] {
          thread_local launches_when_destroyed late;
          static_cast<void>(late);
        }).join();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
