// Three kernels at real sizes, run every way: how far each result is from a closed form in f64, how
// fast the host is, and what the modelled device takes. Writes a roofline picture and a trace.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <tilewright/kernels/gemm.hpp>
#include <tilewright/kernels/softmax.hpp>
#include <tilewright/kernels/vector_add.hpp>
#include <tilewright/model/roofline.hpp>
#include <tilewright/model/trace.hpp>
#include <tilewright/tilewright.hpp>

#include "reference/gemm.hpp"
#include "reference/interpreter.hpp"
#include "reference/softmax.hpp"
#include "reference/vector_add.hpp"

namespace tw = tilewright;

namespace {

template <class T>
std::vector<T> random_values(std::int64_t count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = T(uniform(generator));
  return values;
}

/// Largest difference between `got` and `expected`, as a part of the largest expected magnitude.
template <class Expected>
double error_of(const std::vector<float>& got, const Expected& expected) {
  double largest = 0;
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    const double difference = std::fabs(got[static_cast<std::size_t>(i)] - expected.data()[i]);
    if (!(difference <= largest)) largest = difference;  // a NaN stays
  }
  return largest / expected.cwiseAbs().maxCoeff();
}

double seconds_of(const std::function<void()>& work) {
  work();  // warm up
  double best = 1e30;
  double total = 0;
  for (int i = 0; i < 20 && total < 1.0; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const double took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::min(best, took);
    total += took;
  }
  return best;
}

/// A line of the table.
struct line {
  std::string name;
  std::optional<double> interpreted;  ///< errors
  std::optional<double> on_host;
  std::optional<double> modelled;
  double flops = 0;
  double bytes = 0;
  std::optional<double> host_seconds;
  tw::report report;
};

std::string optional_text(const char* format, const std::optional<double>& value) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof(text), format, *value);
  return text;
}

void print_header() {
  std::printf("\n%-26s | %9s %9s %9s | %7s %7s | %10s %6s  %s\n", "kernel", "interpret", "host",
              "model", "GFLOP/s", "GB/s", "cycles", "% roof", "bottleneck");
  std::printf("%-26s | %29s | %15s | %s\n", "", "largest error against Eigen", "host, 1 thread",
              "modelled MTIA 2i");
}

void print(const line& l) {
  const auto rate = [&](double amount) -> std::optional<double> {
    if (!l.host_seconds) return {};
    return amount / *l.host_seconds * 1e-9;
  };
  std::printf(
      "%-26s | %9s %9s %9s | %7s %7s | %10lld %6.1f  %s %.0f %%\n", l.name.c_str(),
      optional_text("%.1e", l.interpreted).c_str(), optional_text("%.1e", l.on_host).c_str(),
      optional_text("%.1e", l.modelled).c_str(), optional_text("%.1f", rate(l.flops)).c_str(),
      optional_text("%.1f", rate(l.bytes)).c_str(), static_cast<long long>(l.report.cycles),
      100 * l.report.roofline_part(), l.report.bottleneck.name, 100 * l.report.bottleneck.part);
}

void progress(const std::string& what) { std::fprintf(stderr, "  ... %s\n", what.c_str()); }

// ---- the kernels ----

line vector_add(std::int64_t n) {
  using kernel = tw::kernels::vector_add<float, 4096>;
  progress("vector add of " + std::to_string(n));
  const auto x = random_values<float>(n, 1);
  const auto y = random_values<float>(n, 2);
  std::vector<float> out(x.size());
  const auto expected = tw::reference::vector_add(x.data(), y.data(), n);
  const tw::grid programs(tw::cdiv(n, 4096));
  line l;
  l.name = "add f32 " + std::to_string(n);
  l.flops = static_cast<double>(n);
  l.bytes = 12.0 * static_cast<double>(n);
  tw::launch<kernel>(tw::reference::interpreter, programs, x, y, out, n);
  l.interpreted = error_of(out, expected);
  l.host_seconds = seconds_of([&] { tw::launch<kernel>(tw::host, programs, x, y, out, n); });
  l.on_host = error_of(out, expected);
  l.report = tw::launch<kernel>(tw::model(tw::mtia_2i), programs, x, y, out, n);
  l.modelled = error_of(out, expected);
  return l;
}

template <int Block>
line softmax(int rows, int columns) {
  using kernel = tw::kernels::softmax<Block>;
  progress("softmax of " + std::to_string(rows) + " x " + std::to_string(columns));
  const std::int64_t count = std::int64_t{rows} * columns;
  const auto x = random_values<float>(count, 3);
  std::vector<float> out(x.size());
  const auto expected = tw::reference::softmax_rows(x.data(), rows, columns);
  line l;
  l.name = "softmax f32 " + std::to_string(rows) + "x" + std::to_string(columns);
  l.flops = 5.0 * static_cast<double>(count);  // maximum, difference, exp, sum, quotient
  l.bytes = 8.0 * static_cast<double>(count);
  tw::launch<kernel>(tw::reference::interpreter, tw::grid(rows), x, out, columns, columns);
  l.interpreted = error_of(out, expected);
  l.host_seconds =
      seconds_of([&] { tw::launch<kernel>(tw::host, tw::grid(rows), x, out, columns, columns); });
  l.on_host = error_of(out, expected);
  l.report = tw::launch<kernel>(tw::model(tw::mtia_2i), tw::grid(rows), x, out, columns, columns);
  l.modelled = error_of(out, expected);
  return l;
}

template <class T, int BM, int BN, int BK>
struct tiled {
  using kernel = tw::kernels::gemm<T, BM, BN, BK>;
  static tw::grid grid(std::int32_t m, std::int32_t n) {
    return tw::grid(tw::cdiv(m, BM), tw::cdiv(n, BN));
  }
};

/// `Device` is the tiling for the device, whose local memory and accumulators are smaller than the
/// host's caches.
template <class T, class Device>
line gemm(const char* type, int size) {
  using host_tiles = tiled<T, 256, 256, 256>;
  progress(std::string("matrix product in ") + type + " of " + std::to_string(size) + " cubed");
  const std::int64_t count = std::int64_t{size} * size;
  const auto a = random_values<T>(count, 4);
  const auto b = random_values<T>(count, 5);
  std::vector<float> c(static_cast<std::size_t>(count));
  const auto expected = tw::reference::matmul(a.data(), b.data(), size, size, size);
  line l;
  l.name = std::string("matmul ") + type + " " + std::to_string(size) + "^3";
  l.flops = 2.0 * static_cast<double>(count) * size;
  l.bytes = static_cast<double>(count) * (2.0 * sizeof(T) + 4.0);
  if (size <= 512) {  // interpreting takes about 10 ns for each multiply-accumulate
    tw::launch<typename Device::kernel>(tw::reference::interpreter, Device::grid(size, size), a, b,
                                        c, size, size, size);
    l.interpreted = error_of(c, expected);
  }
  l.host_seconds = seconds_of([&] {
    tw::launch<typename host_tiles::kernel>(tw::host, host_tiles::grid(size, size), a, b, c, size,
                                            size, size);
  });
  l.on_host = error_of(c, expected);
  l.report = tw::launch<typename Device::kernel>(tw::model(tw::mtia_2i), Device::grid(size, size),
                                                 a, b, c, size, size, size);
  l.modelled = error_of(c, expected);
  return l;
}

template <class T, class Device>
line timed_gemm(const char* type, std::int32_t m, std::int32_t n, std::int32_t k) {
  line l;
  l.name = std::string("matmul ") + type + " " + std::to_string(m) + "x" + std::to_string(n) + "x" +
           std::to_string(k);
  progress(l.name + ", timing only");
  l.report = tw::launch<typename Device::kernel>(
      tw::model(tw::mtia_2i).timing(), Device::grid(m, n), tw::unbacked<T>{std::int64_t{m} * k},
      tw::unbacked<T>{std::int64_t{k} * n}, tw::unbacked<float>{std::int64_t{m} * n}, m, n, k);
  return l;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file) {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    std::exit(1);
  }
  std::printf("%s\n", path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  using half_tiles = tiled<tw::f16, 128, 64, 64>;
  using single_tiles = tiled<float, 64, 64, 64>;

  std::printf("host SIMD target: %s\n", tw::simd::target_name());
  std::vector<line> lines;
  for (const std::int64_t n : {std::int64_t{98432}, std::int64_t{1} << 24})
    lines.push_back(vector_add(n));
  lines.push_back(softmax<1024>(1823, 781));
  lines.push_back(softmax<4096>(4096, 4096));
  for (const int size : {512, 1024, 2048}) {
    lines.push_back(gemm<float, single_tiles>("f32", size));
    lines.push_back(gemm<tw::f16, half_tiles>("f16", size));
  }
  lines.push_back(timed_gemm<float, single_tiles>("f32", 128, 13312, 16384));
  lines.push_back(timed_gemm<tw::f16, half_tiles>("f16", 128, 13312, 16384));

  print_header();
  std::vector<tw::roofline_point> points;
  for (const line& l : lines) {
    print(l);
    points.push_back(tw::point_of(l.name, l.report, tw::mtia_2i));
  }
  std::printf(
      "\nErrors are parts of the largest expected value; - is a way that ran no values here.\n\n");

  const tw::unbacked<tw::f16> operand{512 * 512};
  const auto traced = tw::launch<half_tiles::kernel>(tw::model(tw::mtia_2i).timing().traced({0, 1}),
                                                     half_tiles::grid(512, 512), operand, operand,
                                                     tw::unbacked<float>{512 * 512}, 512, 512, 512);
  std::printf("Roofline picture, and the trace of a matrix product for ui.perfetto.dev:\n");
  write(folder + "/roofline.svg", tw::roofline_svg(tw::mtia_2i, points));
  write(folder + "/matmul_f16_512.trace.json", tw::trace_json(traced));
  return 0;
}
