// Runs the functions of both units, or, given an argument, only those of the baseline unit, as a
// program does that looks at the processor first. Exits with 0 if the values are right.
#include <cmath>
#include <cstdio>

void softmax_baseline(const float* x, float* y, int rows, int columns);
void softmax_avx2(const float* x, float* y, int rows, int columns);
void gemm_baseline(const float* a, const float* b, float* c, int n);
void gemm_avx2(const float* a, const float* b, float* c, int n);
int lanes_baseline();
int lanes_avx2();

namespace {

constexpr int columns = 200;
constexpr int size = 16;

bool right(void (*softmax)(const float*, float*, int, int),
           void (*gemm)(const float*, const float*, float*, int)) {
  float x[2 * columns], y[2 * columns];
  for (int i = 0; i < 2 * columns; ++i) x[i] = static_cast<float>(i % 7);
  softmax(x, y, 2, columns);
  double sum = 0;
  for (int i = 0; i < columns; ++i) sum += std::exp(static_cast<double>(x[i]));
  for (int i = 0; i < columns; ++i) {
    if (std::fabs(y[i] - std::exp(static_cast<double>(x[i])) / sum) > 1e-6) return false;
  }
  float a[size * size], c[size * size];
  for (int i = 0; i < size * size; ++i) a[i] = static_cast<float>(i % 5);
  gemm(a, a, c, size);
  for (int i = 0; i < size * size; ++i) {
    float want = 0;
    for (int k = 0; k < size; ++k) want += a[i / size * size + k] * a[k * size + i % size];
    if (c[i] != want) return false;
  }
  return true;
}

}  // namespace

int main(int arguments, char**) {
  const bool all = arguments == 1;
  const bool good =
      right(softmax_baseline, gemm_baseline) && (!all || right(softmax_avx2, gemm_avx2));
  std::printf("%d and %d lanes: %s\n", lanes_baseline(), lanes_avx2(), good ? "right" : "WRONG");
  return good && lanes_avx2() == 8 ? 0 : 1;
}
