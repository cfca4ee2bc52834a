// Repeatable random test data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace tilewright::tests {

/// `count` values from [-1, 1), the same for the same seed.
template <class T>
std::vector<T> random_values(std::int64_t count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = T(uniform(generator));
  return values;
}

}  // namespace tilewright::tests
