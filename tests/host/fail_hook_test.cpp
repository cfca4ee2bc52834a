// Without exceptions the user's hook gets the message of a failure.
#define TILEWRIGHT_USE_EXCEPTIONS 0
#define TILEWRIGHT_FAIL(message) call_hook(message)

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {
void call_hook(const char* message) {
  std::fprintf(stderr, "hook: %s\n", message);
  std::exit(3);
}
}  // namespace

#include <tilewright/host/checked.hpp>
#include <tilewright/launch/launch.hpp>

namespace tw = tilewright;

namespace {

struct fill {
  static constexpr void body(tw::lang& tl, tw::ptr<float> y) {
    tl.store(y + tl.arange<16>(), 1.0f);
  }
};

TEST(FailHook, GetsTheMessageOfAnAccessOutOfBounds) {
  std::vector<float> y(16);
  tw::launch<fill>(tw::checked, tw::grid(1), y);
  EXPECT_EQ(y[15], 1.0f);
  y.pop_back();
  EXPECT_EXIT(
      tw::launch<fill>(tw::checked, tw::grid(1), y), testing::ExitedWithCode(3),
      "hook: host: the store of line [0-9]+ touches elements 0 to 15 of argument 0, which has 15");
}

}  // namespace
