// Random kernels, made at compile time: the host must give the bits that the interpreter gives, both
// for the graph as traced (gathers and scatters) and after the passes (structured accesses, extents).
//
// For other kernels than the committed ones, compile with -DFIRST_SEED=n.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <tilewright/host/checked.hpp>
#include <tilewright/host/host.hpp>
#include <tilewright/launch/launch.hpp>
#include <utility>
#include <vector>

#include "guarded.hpp"
#include "random_data.hpp"
#include "reference/interpreter.hpp"

#ifndef FIRST_SEED
#define FIRST_SEED 1
#endif

namespace tw = tilewright;

namespace {

constexpr int lanes = 37;  // no multiple of any vector
using vec = tw::block<float, lanes>;
using mat = tw::block<float, 6, 19>;

struct values {
  vec a, b, c;
  mat p, q;
  tw::f32 s, t;
  tw::i32 k;
};

class author {
 public:
  constexpr author(tw::lang& tl, std::uint32_t seed, tw::ptr<const float> x, tw::ptr<float> io,
                   tw::ptr<const std::int32_t> index, tw::i32 n, tw::i32 m)
      : tl_(tl), state_(seed * 2654435761u + 12345u), x_(x), io_(io), index_(index), n_(n), m_(m) {}

  constexpr void write() {
    auto lane = tl_.arange<lanes>();
    values v{tl_.load(x_ + lane),
             tl_.load(x_ + lane * 3, lane < n_, 0.5f),
             tl_.load(x_ + (lane + 11), lane < m_ && lane < n_),
             tl_.load(x_ + (tl_.col(tl_.arange<6>()) * 19 + tl_.row(tl_.arange<19>()))),
             tl_.zeros<float, 6, 19>(),
             tl_.load(x_ + 3),
             tl_.full<float>(0.25f),
             tl_.program_id(0) + 1};
    statements(v, 9, 2);
    store(v.a);
    store(v.p);
    store(tl_.full<float, lanes>(v.s));
    store(v.b + v.c * v.t);
    store(v.q + v.k.to<float>());
  }

 private:
  constexpr int below(int limit) {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<int>((state_ >> 16) % static_cast<std::uint32_t>(limit));
  }

  constexpr vec& pick_vec(values& v) {
    const int which = below(3);
    return which == 0 ? v.a : which == 1 ? v.b : v.c;
  }
  constexpr mat& pick_mat(values& v) { return below(2) == 0 ? v.p : v.q; }
  constexpr tw::f32& pick_scalar(values& v) { return below(2) == 0 ? v.s : v.t; }

  constexpr tw::block<bool, lanes> mask(values& v) {
    auto lane = tl_.arange<lanes>();
    switch (below(6)) {
      case 0: return lane < n_;
      case 1: return lane + below(8) <= m_;
      case 2: return lane < n_ && lane < m_;
      case 3: return lane % 3 == 1;
      case 4: return lane > v.k;
      default: return pick_vec(v) > 0.0f;
    }
  }
  /// Loads from what the kernel also stores to, at any distance.
  constexpr vec load_vec(values& v) {
    auto lane = tl_.arange<lanes>();
    switch (below(7)) {
      case 0: return tl_.load(io_ + (lane + below(60)));
      case 1: return tl_.load(io_ + (lane * (1 + below(3)) + below(9)), mask(v));
      case 2: return tl_.load(io_ + (lane + v.k), mask(v), -1.5f);
      case 3: return tl_.load(x_ + tl_.load(index_ + lane));
      case 4: return tl_.load(io_ + tl_.load(index_ + (lane + 5)), mask(v), 2.0f);
      case 5: return tl_.load(io_ + (60 - lane), lane < n_, 1.0f);
      default: return tl_.load(io_ + (lane + 7), lane < n_ && lane < m_, 0.0f);
    }
  }
  constexpr mat load_mat() {
    auto rows = tl_.col(tl_.arange<6>());
    auto cols = tl_.row(tl_.arange<19>());
    switch (below(4)) {
      case 0: return tl_.load(io_ + (rows * 19 + cols + below(20)));
      case 1: return tl_.load(io_ + (rows * 20 + cols), rows < n_ && cols < m_, 0.0f);
      case 2: return tl_.load(io_ + (rows + cols * 6), cols < n_);
      default: return tl_.load(x_ + (rows * 25 + cols), rows * 3 + cols < m_, 0.75f);
    }
  }
  constexpr void store(const vec& value) {
    auto lane = tl_.arange<lanes>();
    const int at = 40 * below(9);
    switch (below(4)) {
      case 0: return tl_.store(io_ + (lane + at), value);
      case 1: return tl_.store(io_ + (lane + at), value, lane < n_);
      case 2: return tl_.store(io_ + (lane * 2 + at), value, lane % 5 != 2);
      default: return tl_.store(io_ + (lane / 2 + at), value);  // pairs share an address
    }
  }
  constexpr void store(const mat& value) {
    auto rows = tl_.col(tl_.arange<6>());
    auto cols = tl_.row(tl_.arange<19>());
    const int at = 30 * below(6);
    switch (below(3)) {
      case 0: return tl_.store(io_ + (rows * 19 + cols + at), value);
      case 1: return tl_.store(io_ + (rows * 21 + cols + at), value, rows < m_ && cols < n_);
      default: return tl_.store(io_ + (rows + cols * 6 + at), value, cols < m_);
    }
  }

  constexpr vec vec_expression(values& v) {
    const vec& x = pick_vec(v);
    const vec& y = pick_vec(v);
    switch (below(13)) {
      case 0: return x + y;
      case 1: return x - y * 0.5f;
      case 2: return tl_.maximum(x, y);
      case 3: return tl_.minimum(x, pick_scalar(v));
      case 4: return tl_.where(x < y, x, pick_scalar(v));
      case 5: return x * pick_scalar(v) + y;
      case 6: return tl_.where(mask(v), x, y);
      case 7: return tl_.abs(x) + tl_.arange<lanes>();
      case 8: return (x.to<tw::f16>() + y.to<tw::f16>()).to<float>();
      case 9: return (x * 7.0f).to<std::int32_t>().to<float>() * 0.125f;
      case 10: return (x.to<double>() / 3.0 + 1.0).to<float>();
      case 11: return tl_.sqrt(tl_.abs(x)) / (tl_.abs(y) + 1.0f);
      default: return load_vec(v);
    }
  }
  constexpr mat mat_expression(values& v) {
    const mat& x = pick_mat(v);
    const mat& y = pick_mat(v);
    switch (below(8)) {
      case 0: return x + y * 0.5f;
      case 1: return x + tl_.row(tl_.max<0>(y));
      case 2: return x - tl_.col(tl_.sum<1>(y)) * 0.01f;
      case 3:
        if constexpr (tw::simd::has_fma) {
          auto square = tl_.load(x_ + (tl_.col(tl_.arange<19>()) * 19 + tl_.row(tl_.arange<19>())));
          return tl_.dot(x, square, y) * 0.1f;
        }
        return x * y;
      case 4: return tl_.where(x > y, x, pick_scalar(v));
      case 5: return x * tl_.col(tl_.min<1>(y)) - tl_.row(tl_.sum<0>(x));
      case 6: return x.to<tw::bf16>().to<float>() + pick_scalar(v);
      default: return load_mat();
    }
  }
  constexpr tw::f32 scalar_expression(values& v) {
    switch (below(5)) {
      case 0: return tl_.sum<0>(pick_vec(v)) * 0.125f;
      case 1: return tl_.max<0>(pick_vec(v));
      case 2: return tl_.sum<0>(tl_.max<1>(pick_mat(v)));
      case 3: return tl_.minimum(pick_scalar(v), 3.0f) + 0.5f;
      default: return tl_.load(io_ + v.k * 3);
    }
  }

  constexpr void statement(values& v, int depth) {
    switch (below(depth > 0 ? 12 : 11)) {
      case 0:
      case 1:
      case 2: pick_vec(v) = vec_expression(v); return;
      case 3:
      case 4: pick_mat(v) = mat_expression(v); return;
      case 5: pick_scalar(v) = scalar_expression(v); return;
      case 6: store(pick_vec(v)); return;
      case 7: store(vec_expression(v)); return;
      case 8: store(pick_mat(v)); return;
      case 9: {  // variables that change places
        auto kept = v.a;
        v.a = v.b;
        v.b = kept;
        return;
      }
      case 10: v.k = v.k + below(3); return;
      default: loop(v, depth); return;
    }
  }
  constexpr void loop(values& v, int depth) {
    switch (below(3)) {
      case 0:
        for (auto i : tl_.range(0, below(4))) {
          v.t = v.t + i.to<float>() * 0.125f;
          statements(v, 4, depth - 1);
        }
        return;
      case 1:
        for (auto i : tl_.range(n_ % 3 + 1, -1, -1)) {
          v.k = i;
          statements(v, 4, depth - 1);
        }
        return;
      default:
        for (auto i : tl_.range(0, m_ % 5, 2)) {
          v.a = v.a * 0.5f + i;
          statements(v, 4, depth - 1);
        }
    }
  }
  constexpr void statements(values& v, int count, int depth) {
    for (int i = 0; i < count; ++i) statement(v, depth);
  }

  tw::lang& tl_;
  std::uint32_t state_;
  tw::ptr<const float> x_;
  tw::ptr<float> io_;
  tw::ptr<const std::int32_t> index_;
  tw::i32 n_, m_;
};

template <std::uint32_t Seed>
struct random_kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> io,
                             tw::ptr<const std::int32_t> index, tw::i32 n, tw::i32 m) {
    author(tl, Seed, x, io, index, n, m).write();
  }
};

/// The host running the graph as traced.
template <class K>
struct traced_code {
  static constexpr const tw::graph& g = tw::middle<K>::traced;
  static constexpr tw::detail::tile_choice<g.size()> choice{g};
  static constexpr tw::detail::plan<g.size()> p = tw::detail::make_plan(g, choice);
};
struct traced_host {
  template <class K>
  void run(const tw::grid& programs, std::span<const tw::argument> arguments) const {
    tw::serial_executor serial;
    tw::detail::run_programs<traced_code<K>>(serial, programs, arguments);
  }
};

template <class K, class Target>
std::vector<float> run_on(const Target& target, std::int32_t n, std::int32_t m) {
  const tw::tests::guarded<float> x(tw::tests::random_values<float>(400, 1));
  const tw::tests::guarded<float> io(tw::tests::random_values<float>(700, 2));
  std::vector<std::int32_t> positions(64);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i] = static_cast<std::int32_t>(i * 29 % 97);
  }
  const tw::tests::guarded<std::int32_t> index(positions);
  tw::launch<K>(target, tw::grid(2), x, io, index, n, m);
  return io.values();
}

template <class K>
void check(std::uint32_t seed) {
  for (const auto& [n, m] : {std::pair{20, 9}, {37, 40}, {0, 3}, {5, 1}}) {
    const std::vector<float> want = run_on<K>(tw::reference::interpreter, n, m);
    const std::vector<float> have = run_on<K>(tw::host, n, m);
    const std::vector<float> traced = run_on<K>(traced_host{}, n, m);
    for (std::size_t i = 0; i < want.size(); ++i) {
      const bool nan = want[i] != want[i];
      ASSERT_TRUE(nan ? have[i] != have[i] : std::memcmp(&want[i], &have[i], 4) == 0)
          << "seed " << seed << " n " << n << " m " << m << " element " << i << ": " << have[i]
          << ", not " << want[i];
      ASSERT_TRUE(nan ? traced[i] != traced[i] : std::memcmp(&want[i], &traced[i], 4) == 0)
          << "as traced: seed " << seed << " n " << n << " m " << m << " element " << i << ": "
          << traced[i] << ", not " << want[i];
    }
  }
}

TEST(HostFuzz, RandomKernelsAgreeWithTheInterpreter) {
  [&]<std::uint32_t... Offset>(std::integer_sequence<std::uint32_t, Offset...>) {
    (check<random_kernel<FIRST_SEED + Offset>>(FIRST_SEED + Offset), ...);
  }
  (std::make_integer_sequence<std::uint32_t, 6>{});
}

// ---- checked mode ----

/// Random kernels whose masked lanes hold poison: the graph to run, and the host's code for it. With
/// `Passes`, accesses are structured and have extents; without, all are gathers and scatters.
template <class K, bool Passes>
struct watched {
  using stages = tw::middle_of<tw::detail::poisoned_kernel<K>>;
  static constexpr const tw::graph& g = Passes ? stages::extended : stages::simplified;
  static constexpr int room = 2 * g.size();
  static constexpr tw::detail::tile_choice<room> choice{g};
  static constexpr tw::detail::plan<room> p =
      tw::detail::make_plan(g, choice, tw::detail::access_checks::on);
};
template <bool Passes>
struct watched_host {
  template <class K>
  void run(const tw::grid& programs, std::span<const tw::argument> arguments) const {
    tw::serial_executor serial;
    tw::detail::run_programs<watched<K, Passes>>(serial, programs, arguments);
  }
};
template <bool Passes>
struct watched_interpreter {
  template <class K>
  void run(const tw::grid& programs, std::span<const tw::argument> arguments) const {
    tw::reference::interpret(watched<K, Passes>::g, programs, arguments);
  }
};

/// What a launch leaves behind that says its arguments are smaller than they are.
struct outcome {
  std::vector<float> memory;
  std::string message;  // without the way that ran it
};
template <class K, class Target>
outcome run_in(const Target& target, std::size_t x_size, std::size_t io_size, std::int32_t n) {
  const tw::tests::guarded<float> x(tw::tests::random_values<float>(400, 1));
  const tw::tests::guarded<float> io(tw::tests::random_values<float>(700, 2));
  std::vector<std::int32_t> positions(64);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i] = static_cast<std::int32_t>(i * 29 % 97);
  }
  outcome result;
  try {
    tw::launch<K>(target, tw::grid(2), std::span(x.data(), x_size), std::span(io.data(), io_size),
                  positions, n, 9);
  } catch (const tw::error& failure) {
    result.message = failure.what();
    result.message.erase(0, result.message.find(':'));
  }
  result.memory = io.values();
  return result;
}

template <class K, bool Passes>
int compare_failures(std::uint32_t seed) {
  int failures = 0;
  for (const auto& [x_size, io_size] : {std::pair{400u, 700u},
                                        {400u, 450u},
                                        {400u, 300u},
                                        {400u, 150u},
                                        {250u, 700u},
                                        {90u, 700u}}) {
    for (const std::int32_t n : {5, 20, 37}) {
      const outcome want = run_in<K>(watched_interpreter<Passes>{}, x_size, io_size, n);
      const outcome have = run_in<K>(watched_host<Passes>{}, x_size, io_size, n);
      EXPECT_EQ(have.message, want.message)
          << "seed " << seed << " n " << n << " passes " << Passes;
      for (std::size_t i = 0; i < want.memory.size(); ++i) {
        if (want.memory[i] != want.memory[i] && have.memory[i] != have.memory[i]) continue;
        EXPECT_EQ(want.memory[i], have.memory[i])
            << "seed " << seed << " n " << n << " passes " << Passes << " element " << i;
      }
      failures += want.message.empty() ? 0 : 1;
    }
  }
  return failures;
}

TEST(HostFuzz, CheckedKernelsFailWhereTheInterpreterDoes) {
  int failures = 0;
  [&]<std::uint32_t... Offset>(std::integer_sequence<std::uint32_t, Offset...>) {
    ((failures += compare_failures<random_kernel<FIRST_SEED + Offset>, false>(FIRST_SEED + Offset) +
                  compare_failures<random_kernel<FIRST_SEED + Offset>, true>(FIRST_SEED + Offset)),
     ...);
  }
  (std::make_integer_sequence<std::uint32_t, 4>{});
  EXPECT_GE(failures, 20) << "the sizes make too few kernels fail to compare anything";
}

}  // namespace
