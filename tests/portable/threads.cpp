// Launches from eight threads at once, on the host, on one pool for all and on the model. For
// ThreadSanitizer. Prints `PORTABLE: ok` at the end.
#include <cstdio>
#include <thread>
#include <vector>

#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/host/host.hpp>
#include <tilewright/host/thread_pool.hpp>
#include <tilewright/kernels/softmax.hpp>
#include <tilewright/kernels/vector_add.hpp>
#include <tilewright/launch/launch.hpp>
#include <tilewright/model/target.hpp>

namespace tw = tilewright;

int main() {
  tw::thread_pool pool(3);
  bool good[8] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&pool, &mine = good[t], t] {
      const std::vector<float> x(500, static_cast<float>(t)), ones(500, 1.0f);
      mine = true;
      for (int round = 0; round < 20; ++round) {
        std::vector<float> out(500), shares(500);
        tw::launch<tw::kernels::vector_add<float, 64>>(tw::host, tw::grid(8), x, ones, out, 500);
        mine = mine && out == std::vector<float>(500, static_cast<float>(t) + 1);
        tw::launch<tw::kernels::softmax<128>>(tw::host.on(pool), tw::grid(5), x, shares, 100, 100);
        mine = mine && shares == std::vector<float>(500, 0.01f);
        if (round != 0) continue;
        tw::launch<tw::kernels::vector_add<float, 64>>(tw::model(tw::mtia_2i), tw::grid(8), x, ones,
                                                       out, 500);
        mine = mine && out == std::vector<float>(500, static_cast<float>(t) + 1);
      }
    });
  }
  for (std::thread& each : threads) each.join();
  for (const bool each : good) {
    if (!each) return 1;
  }
  std::printf("PORTABLE: ok\n");
  return 0;
}
