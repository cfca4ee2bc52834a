// The whole path on three kernels: the host against Eigen (and OpenBLAS) on one thread, and the
// modelled device against its roofline.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <tilewright/kernels/gemm.hpp>
#include <tilewright/kernels/softmax.hpp>
#include <tilewright/kernels/vector_add.hpp>
#include <tilewright/tilewright.hpp>

#include "contest.hpp"
#include "suite.hpp"

namespace tw = tilewright;
using tw::bench::row;

namespace {

using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using half_matrix = std::vector<tw::f16>;

matrix random_matrix(std::int64_t rows, std::int64_t columns) {
  static std::mt19937 generator(7);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  return matrix::NullaryExpr(rows, columns, [&] { return uniform(generator); });
}

/// Host rows: ours against each peer, in `unit` per second.
struct comparison {
  double work = 0;
  std::string unit;
  tw::bench::contest timed;
};
std::deque<comparison> comparisons;

void compare(
    const std::string& name, double work, const std::string& unit, std::function<void()> ours,
    std::vector<tw::bench::contestant> peers, std::function<void()> before_round = [] {}) {
  std::vector<tw::bench::contestant> all = {{"tilewright", std::move(ours)}};
  for (tw::bench::contestant& peer : peers) all.push_back(std::move(peer));
  comparisons.push_back({work, unit, {name, std::move(all), std::move(before_round)}});
  comparisons.back().timed.enter();
}

// ---- the kernels, in the block sizes that suit the host ----

/// An array that starts at another cache line of its page in each round. A load that follows a store
/// by almost a multiple of 4 KiB waits for it on x86: with arrays that stay in place, chance in where
/// they lie would decide by up to 30 % who is faster.
class moving_array {
 public:
  using view = Eigen::Map<matrix, Eigen::Aligned64>;

  explicit moving_array(std::int64_t n) : size_(n), memory_(random_matrix(1, n + page)) {}
  void move() { line_ = static_cast<std::int64_t>(random_() % (page / 16)); }
  view get() { return view(memory_.data() + 16 * line_, 1, size_); }

 private:
  static constexpr std::int64_t page = 1024;  // in floats
  std::int64_t size_;
  matrix memory_;
  std::int64_t line_ = 0;
  static inline std::minstd_rand random_{7};
};

void add_vector_add(std::int64_t n) {
  auto x = std::make_shared<moving_array>(n);
  auto y = std::make_shared<moving_array>(n);
  auto out = std::make_shared<moving_array>(n);
  constexpr int block = 131072;
  compare(
      "add f32 " + std::to_string(n), 12e-9 * static_cast<double>(n), "GB/s",
      [=] {
        tw::launch<tw::kernels::vector_add<float, block>>(tw::host, tw::grid(tw::cdiv(n, block)),
                                                          x->get(), y->get(), out->get(), n);
      },
      {{"Eigen", [=] { out->get().noalias() = x->get() + y->get(); }}},
      [=] {
        for (const auto& array : {x, y, out}) array->move();
      });
}

template <int Block>
void add_softmax(int rows, int columns) {
  auto x = std::make_shared<matrix>(random_matrix(rows, columns));
  auto y = std::make_shared<matrix>(matrix::Zero(rows, columns));
  compare("softmax f32 " + std::to_string(rows) + "x" + std::to_string(columns),
          8e-9 * rows * columns, "GB/s",
          [=] {
            tw::launch<tw::kernels::softmax<Block>>(tw::host, tw::grid(rows), *x, *y, columns,
                                                    columns);
          },
          {{"Eigen",
            [=] {
              for (int r = 0; r < rows; ++r) {
                const auto in = x->row(r).array();
                auto out = y->row(r).array();
                out = (in - in.maxCoeff()).exp();
                out /= out.sum();
              }
            }},
           // Faster, but rounds twice where the kernel rounds once.
           {"Eigen, reciprocal", [=] {
              for (int r = 0; r < rows; ++r) {
                const auto in = x->row(r).array();
                auto out = y->row(r).array();
                out = (in - in.maxCoeff()).exp();
                out *= 1.0f / out.sum();
              }
            }}});
}

void add_gemm(int size) {
  auto a = std::make_shared<matrix>(random_matrix(size, size));
  auto b = std::make_shared<matrix>(random_matrix(size, size));
  auto c = std::make_shared<matrix>(matrix::Zero(size, size));
  constexpr int bm = 256;
  constexpr int bn = 256;
  compare("gemm f32 " + std::to_string(size), 2e-9 * std::pow(size, 3), "GFLOP/s",
          [=] {
            tw::launch<tw::kernels::gemm<float, bm, bn, 256>>(
                tw::host, tw::grid(tw::cdiv(size, bm), tw::cdiv(size, bn)), *a, *b, *c, size, size,
                size);
          },
          {{"Eigen", [=] { c->noalias() = *a * *b; }},
           {"OpenBLAS", [=] {
              cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1.0f,
                          a->data(), size, b->data(), size, 0.0f, c->data(), size);
            }}});
}

void add_half_gemm(int size) {
  const auto halves = [](const matrix& from) {
    auto to = std::make_shared<half_matrix>(static_cast<std::size_t>(from.size()));
    for (std::size_t i = 0; i < to->size(); ++i) (*to)[i] = tw::f16(from.data()[i]);
    return to;
  };
  const auto a = halves(random_matrix(size, size));
  const auto b = halves(random_matrix(size, size));
  auto c = std::make_shared<matrix>(matrix::Zero(size, size));
  constexpr int bm = 128;
  constexpr int bn = 128;
  // Eigen's own f16 product accumulates in f16, so its peer is: convert, then multiply in f32.
  using halves_of =
      Eigen::Map<const Eigen::Matrix<Eigen::half, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  compare("gemm f16 " + std::to_string(size), 2e-9 * std::pow(size, 3), "GFLOP/s",
          [=] {
            tw::launch<tw::kernels::gemm<tw::f16, bm, bn, 256>>(
                tw::host, tw::grid(tw::cdiv(size, bm), tw::cdiv(size, bn)), *a, *b, *c, size, size,
                size);
          },
          {{"Eigen f32", [=] {
              const halves_of left(reinterpret_cast<const Eigen::half*>(a->data()), size, size);
              const halves_of right(reinterpret_cast<const Eigen::half*>(b->data()), size, size);
              const matrix wide_left = left.cast<float>();
              const matrix wide_right = right.cast<float>();
              c->noalias() = wide_left * wide_right;
            }}});
}

// ---- the modelled device, in the block sizes that suit it ----

void add_model_row(std::vector<row>& rows, const std::string& name, const tw::report& result) {
  rows.push_back({"model " + name,
                  static_cast<double>(result.cycles),
                  "cycles",
                  0,
                  "roofline (" + std::string(result.roofline.name) + ")",
                  result.roofline.cycles,
                  result.roofline_part(),
                  0,
                  {}});
}

template <class T, int BM, int BN, int BK>
tw::report modelled_gemm(std::int32_t m, std::int32_t n, std::int32_t k) {
  return tw::launch<tw::kernels::gemm<T, BM, BN, BK>>(
      tw::model(tw::mtia_2i).timing(), tw::grid(tw::cdiv(m, BM), tw::cdiv(n, BN)),
      tw::unbacked<T>{std::int64_t{m} * k}, tw::unbacked<T>{std::int64_t{k} * n},
      tw::unbacked<float>{std::int64_t{m} * n}, m, n, k);
}

void add_model_rows(std::vector<row>& rows) {
  const auto device = tw::model(tw::mtia_2i).timing();
  for (const std::int64_t n : {std::int64_t{98432}, std::int64_t{1} << 24}) {
    constexpr int block = 4096;
    const tw::unbacked<float> vector{n};
    add_model_row(rows, "add f32 " + std::to_string(n),
                  tw::launch<tw::kernels::vector_add<float, block>>(
                      device, tw::grid(tw::cdiv(n, block)), vector, vector, vector, n));
  }
  const tw::unbacked<float> small{1823 * 781};
  add_model_row(
      rows, "softmax f32 1823x781",
      tw::launch<tw::kernels::softmax<1024>>(device, tw::grid(1823), small, small, 781, 781));
  const tw::unbacked<float> large{4096 * 4096};
  add_model_row(
      rows, "softmax f32 4096x4096",
      tw::launch<tw::kernels::softmax<4096>>(device, tw::grid(4096), large, large, 4096, 4096));
  for (const int size : {512, 1024, 2048}) {
    add_model_row(rows, "gemm f32 " + std::to_string(size),
                  modelled_gemm<float, 64, 64, 64>(size, size, size));
    add_model_row(rows, "gemm f16 " + std::to_string(size),
                  modelled_gemm<tw::f16, 128, 64, 64>(size, size, size));
  }
  add_model_row(rows, "gemm f16 128x13312x16384",
                modelled_gemm<tw::f16, 128, 64, 64>(128, 13312, 16384));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> defaults = {argv[0], "--benchmark_repetitions=5",
                                       "--benchmark_min_time=0.5",
                                       "--benchmark_enable_random_interleaving=true"};
  std::vector<char*> arguments;
  for (std::string& text : defaults) arguments.push_back(text.data());
  for (int i = 1; i < argc; ++i) arguments.push_back(argv[i]);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());

  openblas_set_num_threads(1);
  Eigen::setNbThreads(1);
  std::printf("host SIMD target: %s; Eigen %d.%d.%d; %s, kernel %s; one thread; built %s\n",
              tw::simd::target_name(), EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
              EIGEN_MINOR_VERSION, openblas_get_config(), openblas_get_corename(),
#ifdef NDEBUG
              "optimised"
#else
              "with assertions"
#endif
  );

  for (const std::int64_t n : {std::int64_t{98432}, std::int64_t{1} << 24}) add_vector_add(n);
  add_softmax<1024>(1823, 781);
  add_softmax<4096>(4096, 4096);
  for (const int size : {512, 1024, 2048}) {
    add_gemm(size);
    add_half_gemm(size);
  }

  tw::bench::progress dots;
  benchmark::RunSpecifiedBenchmarks(&dots);
  std::fprintf(stderr, "\n");

  std::vector<row> rows;
  for (const comparison& c : comparisons) {
    if (!c.timed.has_run()) continue;  // --benchmark_filter
    for (std::size_t peer = 1; peer < c.timed.size(); ++peer) {
      const auto [ratio, error] = c.timed.ratio_to_first(peer);
      row r{"host " + c.timed.name(),
            c.work / c.timed.median(0),
            c.unit,
            c.timed.spread(0),
            c.timed[peer].name,
            c.work / c.timed.median(peer),
            ratio,
            error,
            {}};
      if (c.timed[peer].name != "OpenBLAS") r.target = 1.0;
      rows.push_back(r);
    }
  }
  add_model_rows(rows);
  return tw::bench::finish("path", rows) == 0 ? 0 : 1;
}
