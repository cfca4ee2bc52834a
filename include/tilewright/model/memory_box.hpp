// Whether two strided boxes of memory share a byte.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <tilewright/config.hpp>
#include <tilewright/types/shape.hpp>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI::model_detail {

/// The bytes of a load or store: an element of `element_bytes` at each address
/// first + sum of strides[d] * i_d, with 0 <= i_d < extents[d]. Strides are in bytes, of any sign.
struct memory_box {
  std::int64_t first = 0;
  std::int64_t element_bytes = 1;
  int rank = 0;
  std::int64_t extents[max_rank]{};
  std::int64_t strides[max_rank]{};

  bool empty() const {
    return std::any_of(extents, extents + rank, [](std::int64_t extent) { return extent <= 0; });
  }
  std::int64_t lowest_byte() const { return first + reach(-1); }
  std::int64_t highest_byte() const { return first + reach(1) + element_bytes - 1; }
  /// Whether the addresses are such that sums of them stay inside of an i64.
  bool is_addressable() const {
    double furthest = std::abs(static_cast<double>(first));
    for (int d = 0; d < rank; ++d) {
      furthest += std::abs(static_cast<double>(strides[d])) * static_cast<double>(extents[d] - 1);
    }
    return furthest < 0x1p60;
  }

 private:
  /// How far the box goes from its first element, in the direction of `sign`.
  std::int64_t reach(int sign) const {
    std::int64_t sum = 0;
    for (int d = 0; d < rank; ++d) {
      if (strides[d] * sign > 0) sum += strides[d] * (extents[d] - 1);
    }
    return sum;
  }
};

/// Of `step` any multiple from none to `most` times.
struct sum_term {
  std::int64_t step = 0;
  std::int64_t most = 0;
};

/// All sums that take one multiple of each of some terms.
class sums_of_terms {
 public:
  void add(std::int64_t step, std::int64_t most) {
    if (step != 0 && most > 0) terms_[count_++] = {step, most};
  }

  /// Call once, when all terms are there. Terms that fill each other's gaps become one: a row of
  /// elements that lie side by side is a single run of bytes.
  void prepare() {
    const auto by_step = [](const sum_term& a, const sum_term& b) { return a.step < b.step; };
    std::sort(terms_, terms_ + count_, by_step);
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      const sum_term term = terms_[i];
      sum_term* const dense = std::find_if(terms_, terms_ + kept, [&](const sum_term& smaller) {
        return term.step % smaller.step == 0 && term.step / smaller.step <= smaller.most + 1;
      });
      if (dense == terms_ + kept) {
        terms_[kept++] = term;
      } else {
        dense->most += term.step / dense->step * term.most;
      }
    }
    count_ = kept;
    for (int i = 0; i < count_; ++i) {
      reach_[i + 1] = reach_[i] + terms_[i].step * terms_[i].most;
      divisor_[i + 1] = std::gcd(divisor_[i], terms_[i].step);
    }
  }

  enum class answer : std::uint8_t { no, yes, unknown };
  /// Whether `sum` is one of them; unknown after `steps` steps, which it counts down.
  answer contains(std::int64_t sum, std::int64_t& steps) const {
    return search(count_, sum, steps);
  }

 private:
  /// Whether the first `count` terms, the smallest, give `sum`. The largest of them can have few
  /// multiples if the others don't reach far.
  answer search(int count, std::int64_t sum, std::int64_t& steps) const {
    if (sum < 0 || sum > reach_[count]) return answer::no;
    if (count == 0) return answer::yes;
    if (sum % divisor_[count] != 0) return answer::no;
    if (count == 1) return answer::yes;
    const sum_term& largest = terms_[count - 1];
    const std::int64_t beyond = std::max<std::int64_t>(0, sum - reach_[count - 1]);
    const std::int64_t fewest = (beyond + largest.step - 1) / largest.step;
    for (std::int64_t n = std::min(largest.most, sum / largest.step); n >= fewest; --n) {
      if (--steps < 0) return answer::unknown;
      const answer found = search(count - 1, sum - n * largest.step, steps);
      if (found != answer::no) return found;
    }
    return answer::no;
  }

  sum_term terms_[2 * max_rank + 1];  // by step, the smallest first
  int count_ = 0;
  std::int64_t reach_[2 * max_rank + 2]{};    // the largest sum of the first terms
  std::int64_t divisor_[2 * max_rank + 2]{};  // of all sums of the first terms
};

/// The addresses of a box's elements, in order.
inline std::vector<std::int64_t> addresses_of(const memory_box& box) {
  std::vector<std::int64_t> all = {box.first};
  for (int d = 0; d < box.rank; ++d) {
    if (box.strides[d] == 0) continue;
    const std::size_t before = all.size();
    for (std::int64_t i = 1; i < box.extents[d]; ++i) {
      for (std::size_t at = 0; at < before; ++at) all.push_back(all[at] + box.strides[d] * i);
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// As `share_a_byte`, by a walk through all elements of both.
inline bool share_a_listed_byte(const memory_box& a, const memory_box& b) {
  const std::vector<std::int64_t> in_a = addresses_of(a);
  const std::vector<std::int64_t> in_b = addresses_of(b);
  for (std::size_t i = 0, j = 0; i < in_a.size() && j < in_b.size();) {
    if (in_a[i] + a.element_bytes <= in_b[j]) {
      ++i;
    } else if (in_b[j] + b.element_bytes <= in_a[i]) {
      ++j;
    } else {
      return true;
    }
  }
  return false;
}

/// Steps of a search after which listing the elements is quicker.
inline constexpr std::int64_t most_search_steps = 1 << 14;

/// Whether two boxes have a byte in common. What no memory can hold (addresses past 2^60) counts
/// as shared.
///
/// A byte of both is a choice of indices i of `a`, j of `b`, and of bytes inside of their elements.
/// With each index counted from the end that makes its address grow in `a` and fall in `b`, that is
/// a sum of multiples of the strides which bridges the distance from the lowest byte of `a` to the
/// highest of `b`. Rows and tiles are decided in a few steps. Boxes of several strides that
/// interleave take a search, and after `search_steps` of it a sorted list of all elements.
inline bool share_a_byte(const memory_box& a, const memory_box& b,
                         std::int64_t search_steps = most_search_steps) {
  if (a.empty() || b.empty()) return false;
  if (!a.is_addressable() || !b.is_addressable()) return true;
  sums_of_terms sums;
  for (const memory_box* box : {&a, &b}) {
    for (int d = 0; d < box->rank; ++d) {
      sums.add(std::abs(box->strides[d]), box->extents[d] - 1);
    }
  }
  sums.add(1, a.element_bytes + b.element_bytes - 2);
  sums.prepare();
  const auto found = sums.contains(b.highest_byte() - a.lowest_byte(), search_steps);
  if (found == sums_of_terms::answer::unknown) return share_a_listed_byte(a, b);
  return found == sums_of_terms::answer::yes;
}

}  // namespace tilewright::inline TILEWRIGHT_ABI::model_detail
