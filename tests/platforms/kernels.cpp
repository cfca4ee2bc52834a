// The ready kernels on the host and on the model, as a user's file would have them.
#include <cstdint>
#include <vector>

#include <tilewright/kernels/gemm.hpp>
#include <tilewright/kernels/softmax.hpp>
#include <tilewright/kernels/vector_add.hpp>
#include <tilewright/tilewright.hpp>

namespace tw = tilewright;

template <class Target>
void launch_all(Target&& target, std::vector<float>& x, std::vector<float>& y, std::int32_t n) {
  tw::launch<tw::kernels::vector_add<float, 256>>(target, tw::grid(tw::cdiv(n * n, 256)), x, x, y,
                                                  n * n);
  tw::launch<tw::kernels::softmax<256>>(target, tw::grid(n), x, y, n, n);
  tw::launch<tw::kernels::gemm<float, 32, 32, 32>>(
      target, tw::grid(tw::cdiv(n, 32), tw::cdiv(n, 32)), x, x, y, n, n, n);
}

void launch_all_targets(std::vector<float>& x, std::vector<float>& y, std::int32_t n) {
  launch_all(tw::host, x, y, n);
  launch_all(tw::model(tw::mtia_2i), x, y, n);
}
