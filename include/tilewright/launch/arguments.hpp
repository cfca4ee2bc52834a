// Launch arguments after binding: what every way to run receives.
#pragma once

#include <cstdint>

#include <tilewright/config.hpp>
#include <tilewright/types/dtype.hpp>

namespace tilewright::inline TILEWRIGHT_ABI {

/// One bound argument. Of a scalar, `bits` is its pattern (`to_bits`). Of a pointer, `address` is
/// where it points (null only for memory that is not backed, in timing mode) and `elements` how
/// many elements lie there, -1 when that is not known (a raw pointer was given).
struct argument {
  dtype type = dtype::none;
  bool pointer = false;
  void* address = nullptr;
  std::int64_t elements = -1;
  std::uint64_t bits = 0;
};

/// Memory that has a size but no contents, for runs that only count time.
template <class T>
struct unbacked {
  std::int64_t elements = 0;
};

}  // namespace tilewright::inline TILEWRIGHT_ABI
