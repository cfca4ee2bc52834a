// What the files that generate_kernels writes include.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "every_way.hpp"

namespace tw = tilewright;

namespace tilewright::tests {

/// A device with more buffers than MTIA 2i, so that it refuses less.
inline const device_spec& roomy_device() {
  static const device_spec device = [] {
    device_spec spec = mtia_2i;
    spec.circular_buffers = 48;
    return spec;
  }();
  return device;
}

/// An output of `size` elements, of which a kernel writes some.
template <class T>
std::vector<T> written(std::size_t size, const std::vector<std::pair<std::size_t, T>>& elements) {
  std::vector<T> all(size, T{77});
  for (const auto& [at, value] : elements) all[at] = value;
  return all;
}

/// Runs `K` on two programs on every way, and expects what the generator worked out. The device may
/// refuse a kernel when it compiles it, by a TW-E sentence, but must run what it takes.
template <class K, class... Arguments>
void expect_random_kernel(const std::vector<std::int64_t>& want_i, const std::vector<float>& want_f,
                          const Arguments&... arguments) {
  const auto run = [&](const char* way, const auto& target) {
    SCOPED_TRACE(way);
    std::vector<std::int64_t> out_i(want_i.size(), 77);
    std::vector<float> out_f(want_f.size(), 77.0f);
    try {
      launch<K>(target, grid(2), out_i, out_f, arguments...);
    } catch (const error& refused) {
      const std::string why = refused.what();
      if (why.rfind("TW-E", 0) != 0) FAIL() << why;
      return;
    }
    expect_equal(out_i, want_i);
    expect_equal(out_f, want_f);
  };
  run("interpreter", reference::interpreter);
  run("host", host);
  run("model", model(roomy_device()));
}

}  // namespace tilewright::tests

using tilewright::tests::expect_random_kernel;
using tilewright::tests::written;
