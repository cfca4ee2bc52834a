// One kernel on every way to run: interpreter, host, modelled device.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <reference/interpreter.hpp>
#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/error.hpp>
#include <tilewright/host/host.hpp>
#include <tilewright/launch/launch.hpp>
#include <tilewright/model/target.hpp>

namespace tilewright::tests {

using floats = std::vector<float>;

/// first, first + 1, ...
inline floats counted(std::size_t size, float first = 0) {
  floats values;
  for (std::size_t i = 0; i < size; ++i) values.push_back(first + static_cast<float>(i));
  return values;
}

/// The bits of an element, any NaN being one value.
template <class T>
std::uint64_t pattern_of(T value) {
  if constexpr (is_float(dtype_v<T>)) {
    if (scalar_math::is_nan(value)) return ~std::uint64_t{0};
  }
  return to_bits(value);
}

template <class T>
void expect_equal(const std::vector<T>& have, const std::vector<T>& want) {
  ASSERT_EQ(have.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(pattern_of(have[i]), pattern_of(want[i]))
        << "element " << i << ": " << convert<double>(have[i]) << ", not "
        << convert<double>(want[i]);
  }
}

/// The device as run-time data: passes then run at run time, and one test program holds many kernels.
inline const device_spec& run_time_device() {
  static const device_spec device = mtia_2i;
  return device;
}

/// Runs `K` on `programs` programs, `out` being its first argument, and expects `want` in it.
template <class K, class T, class... Arguments>
void expect_on_interpreter_and_host(const grid& programs, const std::vector<T>& out,
                                    const std::vector<T>& want, const Arguments&... arguments) {
  {
    SCOPED_TRACE("interpreter");
    std::vector<T> changed = out;
    launch<K>(reference::interpreter, programs, changed, arguments...);
    expect_equal(changed, want);
  }
  {
    SCOPED_TRACE("host");
    std::vector<T> changed = out;
    launch<K>(host, programs, changed, arguments...);
    expect_equal(changed, want);
  }
}
template <class K, class T, class... Arguments>
void expect_on_every_way(const grid& programs, const std::vector<T>& out,
                         const std::vector<T>& want, const Arguments&... arguments) {
  expect_on_interpreter_and_host<K>(programs, out, want, arguments...);
  SCOPED_TRACE("model");
  std::vector<T> changed = out;
  try {
    launch<K>(model(run_time_device()), programs, changed, arguments...);
  } catch (const error& refused) {
    FAIL() << refused.what();
  }
  expect_equal(changed, want);
}
/// The same for a kernel that the device refuses: with a sentence that contains `code`.
template <class K, class T, class... Arguments>
void expect_refused_by_device(const std::string& code, std::vector<T> out,
                              const Arguments&... arguments) {
  try {
    launch<K>(model(run_time_device()), grid(1), out, arguments...);
    FAIL() << "the device took it";
  } catch (const error& refused) {
    EXPECT_NE(std::string(refused.what()).find(code), std::string::npos) << refused.what();
  }
}

}  // namespace tilewright::tests
