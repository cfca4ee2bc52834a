// Random kernels, traced at run time: the graph after each pass, and the command program on the
// modelled device, must give the bits that the traced graph gives.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/ir/dump.hpp>
#include <tilewright/ir/verify.hpp>
#include <tilewright/model/model.hpp>
#include <tilewright/passes/pipeline.hpp>

#include "random_data.hpp"
#include "reference/interpreter.hpp"
#include "run_time.hpp"

namespace tw = tilewright;

namespace {

constexpr int lanes = 32;
constexpr int out_slots = 64;

using vec = tw::block<float, lanes>;
using mat = tw::block<float, 8, 16>;

/// Writes a random kernel through the language.
class author {
 public:
  author(tw::lang& tl, std::uint32_t seed, tw::ptr<const float> x, tw::ptr<float> out,
         tw::ptr<const std::int32_t> numbers, tw::i32 n, tw::i32 m)
      : tl_(tl), random_(seed), x_(x), out_(out), numbers_(numbers), n_(n), m_(m) {}

  void write() {
    for (int i = 0; i < 3; ++i) vectors_.push_back(load_vector());
    for (int i = 0; i < 2; ++i) matrices_.push_back(load_matrix());
    scalars_.push_back(tl_.sum<0>(pick(vectors_)));
    scalars_.push_back(tl_.full<float>(0.5f));
    statements(8, 2);
    store_vector(pick(vectors_), tl_.full<std::int32_t>(0));
    store_vector(tl_.full<float, lanes>(pick(scalars_)), tl_.full<std::int32_t>(0));
    store_matrix(pick(matrices_));
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint32_t>(limit)); }
  template <class T>
  T& pick(std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(static_cast<int>(from.size())))];
  }

  /// A number from memory, 0 to 31.
  tw::i32 loaded_number() { return tl_.load(numbers_ + below(16)); }

  tw::block<bool, lanes> mask() {
    auto lane = tl_.arange<lanes>();
    switch (below(6)) {
      case 4: return lane < loaded_number();
      case 5: return lane < n_ && loaded_number() > 7;
      case 0: return lane < n_;
      case 1: return lane + below(8) <= m_;
      case 2: return lane < n_ && lane < m_;
      default: return m_ > lane;
    }
  }
  vec load_vector() {
    // Of what the program stores, also parts that it stored before and will store again.
    if (below(4) == 0) {
      auto stored = out_ + (tl_.arange<lanes>() + below(12) * lanes / 2);
      return below(2) == 0 ? vec(tl_.load(stored)) : vec(tl_.load(stored, mask(), 0.5f));
    }
    auto at = x_ + (tl_.arange<lanes>() * (1 + below(3)) + below(50));
    if (below(6) == 0) return tl_.load(x_ + loaded_number() * 4 + tl_.arange<lanes>(), mask());
    switch (below(4)) {
      case 0: return tl_.load(at);
      case 1: return tl_.load(at, mask());
      case 2: return tl_.load(at, mask(), 1.5f);
      default: return tl_.load(at, mask(), -2.0f);
    }
  }
  mat load_matrix() {
    auto rows = tl_.arange<8>();
    auto cols = tl_.arange<16>();
    auto at = x_ + (tl_.col(rows) * (16 + below(5)) + tl_.row(cols));
    if (below(2) == 0) return tl_.load(at);
    return tl_.load(at, tl_.col(rows) < m_ && tl_.row(cols) < n_, 0.0f);
  }
  void store_vector(const vec& value, const tw::i32& slot) {
    auto at = out_ + (slot * lanes + slots_++ * 8 * lanes + tl_.arange<lanes>());
    if (below(2) == 0) {
      tl_.store(at, value);
    } else {
      tl_.store(at, value, mask());
    }
  }
  void store_matrix(const mat& value) {
    auto rows = tl_.arange<8>();
    auto cols = tl_.arange<16>();
    auto at = out_ + (slots_++ * 8 * lanes + tl_.col(rows) * 16 + tl_.row(cols));
    tl_.store(at, value, tl_.col(rows) < n_ && tl_.row(cols) < m_);
  }

  vec vector_expression() {
    const vec& a = pick(vectors_);
    const vec& b = pick(vectors_);
    switch (below(13)) {
      case 9: return a + tl_.full<float, lanes>(tl_.sum<0>(tl_.full<float, 16>(pick(scalars_))));
      case 10: return tl_.sum<1>(tl_.broadcast_to<lanes, 3>(tl_.col(a))) - b;
      case 11: return a * tl_.sum<0>(a < b).to<float>();
      case 0: return a + b;
      case 1: return a - b;
      case 2: return a * 0.75f;
      case 3: return tl_.maximum(a, b);
      case 4: return tl_.minimum(a, pick(scalars_));
      case 5: return tl_.where(a < b, a, pick(scalars_));
      case 6: return tl_.exp(tl_.minimum(a, 1.0f));
      case 7: return a * pick(scalars_) + b;
      case 8: return tl_.where(mask(), a, b);
      default: return tl_.abs(a) + tl_.arange<lanes>();
    }
  }
  mat matrix_expression() {
    const mat& a = pick(matrices_);
    const mat& b = pick(matrices_);
    switch (below(8)) {
      case 4:
        return a + tl_.max<2>(tl_.expand_dims<2>(tl_.broadcast_to<8, 16>(tl_.row(tl_.sum<0>(b)))));
      case 5: return tl_.broadcast_to<8, 16>(tl_.col(tl_.min<1>(a)));
      case 6:
        return tl_.dot(tl_.full<float, 8, 16>(0.5f),
                       tl_.broadcast_to<16, 16>(tl_.row(tl_.max<0>(a))), b);
      case 0: return a + b * 0.5f;
      case 1: return a + tl_.row(tl_.max<0>(b));
      case 2: return a - tl_.col(tl_.sum<1>(b));
      case 3:
        return tl_.dot(
            a, tl_.load(x_ + (tl_.col(tl_.arange<16>()) * 16 + tl_.row(tl_.arange<16>()))), b);
      default: return tl_.where(a > b, a, 0.25f);
    }
  }
  tw::f32 scalar_expression() {
    switch (below(5)) {
      case 0: return tl_.max<0>(pick(vectors_));
      case 1: return tl_.sum<0>(pick(vectors_)) * 0.125f;
      case 2: return pick(scalars_) * 0.5f + pick(scalars_);
      case 3: return tl_.min<0>(tl_.max<1>(pick(matrices_)));
      default: return tl_.minimum(pick(scalars_), 3.0f);
    }
  }

  void statements(int count, int depth) {
    for (int i = 0; i < count; ++i) {
      switch (below(11)) {
        case 0: pick(vectors_) = vector_expression(); break;
        case 1: pick(scalars_) = scalar_expression(); break;
        case 2: pick(matrices_) = matrix_expression(); break;
        case 3: pick(vectors_) = pick(vectors_); break;  // aliases
        case 6: swap(pick(vectors_), pick(vectors_)); break;
        case 7: swap(pick(scalars_), pick(scalars_)); break;
        case 4:
          if (depth > 0) loop(depth);
          break;
        case 5: pick(vectors_) = load_vector(); break;
        default: pick(vectors_) = vector_expression();
      }
    }
  }
  template <class Block>
  static void swap(Block& a, Block& b) {
    auto kept = a;
    a = b;
    b = kept;
  }
  void loop(int depth) {
    const int trips = below(4);
    auto body = [&](const tw::i32& i) {
      statements(2 + below(3), depth - 1);
      if (below(2) == 0) pick(vectors_) = pick(vectors_) + i;
      // Slots written in an inner loop are written again by the outer one, with later values.
      if (slots_ < out_slots / 8) store_vector(pick(vectors_), tl_.maximum(i, 0));
    };
    switch (below(4)) {
      case 3:
        for (auto i : tl_.range(loaded_number() / 8)) body(i);
        break;
      case 0:
        for (auto i : tl_.range(0, trips)) body(i);
        break;
      case 1:
        for (auto i : tl_.range(0, m_, 9)) body(tl_.minimum(i, 5));
        break;
      default:
        for (auto i : tl_.range(trips, -1, -1)) body(i);
    }
  }

  tw::lang& tl_;
  std::mt19937 random_;
  tw::ptr<const float> x_;
  tw::ptr<float> out_;
  tw::ptr<const std::int32_t> numbers_;
  tw::i32 n_;
  tw::i32 m_;
  std::vector<vec> vectors_;
  std::vector<mat> matrices_;
  std::vector<tw::f32> scalars_;
  int slots_ = 0;
};

std::uint32_t next_seed = 0;

struct random_kernel {
  static void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> out,
                   tw::ptr<const std::int32_t> numbers, tw::i32 n, tw::i32 m) {
    author(tl, next_seed, x, out, numbers, n, m).write();
  }
};

struct run {
  std::vector<float> x = tw::tests::random_values<float>(400, 3);
  std::vector<float> out = std::vector<float>(out_slots * 8 * lanes, 9.0f);
  std::vector<std::int32_t> numbers = {3, 31, 8, 0, 17, 25, 1, 12, 30, 7, 9, 20, 2, 16, 28, 5};
  std::int32_t n;
  std::int32_t m;

  run(std::int32_t first, std::int32_t second) : n(first), m(second) {}
  std::vector<tw::argument> arguments() {
    return {{tw::dtype::f32, true, x.data(), std::ssize(x), 0},
            {tw::dtype::f32, true, out.data(), std::ssize(out), 0},
            {tw::dtype::i32, true, numbers.data(), std::ssize(numbers), 0},
            {tw::dtype::i32, false, nullptr, -1, tw::to_bits(n)},
            {tw::dtype::i32, false, nullptr, -1, tw::to_bits(m)}};
  }
};

/// Index of the first element that differs (any NaN equals any NaN), or -1.
int first_difference(const std::vector<float>& a, const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool both_nan = a[i] != a[i] && b[i] != b[i];
    if (!both_nan && std::memcmp(&a[i], &b[i], sizeof(float)) != 0) return static_cast<int>(i);
  }
  return -1;
}

std::string text_of(const tw::graph& g) {
  std::string text;
  tw::dump(g, text);
  return text;
}

TEST(Fuzz, EveryPassAndTheModelKeepTheMeaning) {
  tw::device_spec device = tw::mtia_2i;
  device.circular_buffers = 48;
  int on_device = 0;
  std::vector<tw::graph> stages(4);
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    next_seed = seed;
    stages[0] = tw::tests::trace_at_run_time<random_kernel>();
    ASSERT_FALSE(stages[0].error) << seed;
    stages[1] = tw::simplify(stages[0]);
    stages[2] = tw::find_structured_access(stages[1]);
    stages[3] = tw::propagate_extent(stages[2]);
    const std::int32_t sizes[][2] = {{20, 11}, {0, 40}, {32, 32}, {1, 3}};
    for (const auto& [n, m] : sizes) {
      run expected(n, m);
      tw::reference::interpret(stages[0], tw::grid(1), expected.arguments());
      for (std::size_t stage = 1; stage < 4; ++stage) {
        const tw::diagnostic wrong = tw::verify(stages[stage]);
        ASSERT_FALSE(wrong) << "seed " << seed << " stage " << stage << " rule " << wrong.need
                            << " node " << wrong.have << "\n"
                            << text_of(stages[stage]);
        run changed(n, m);
        tw::reference::interpret(stages[stage], tw::grid(1), changed.arguments());
        ASSERT_EQ(first_difference(expected.out, changed.out), -1)
            << "seed " << seed << " n " << n << " m " << m << " stage " << stage << "\n"
            << text_of(stages[0]) << text_of(stages[stage]);
      }
      const auto program = std::make_unique<tw::command_program>(tw::compile(stages[0], device));
      if (program->error) continue;
      // What is taken can be run.
      const tw::verdict unsound = tw::verify(*program, tw::model_detail::limits_of(device));
      ASSERT_FALSE(unsound) << "seed " << seed << ": " << unsound.why;
      ++on_device;
      run modelled(n, m);
      tw::run_program(*program, device, tw::grid(1), modelled.arguments());
      ASSERT_EQ(first_difference(expected.out, modelled.out), -1)
          << "seed " << seed << " n " << n << " m " << m << " on the model\n"
          << text_of(stages[3]);
    }
  }
  EXPECT_GT(on_device, 800) << "most kernels should compile for the device";
}

}  // namespace
