// The interpreter reports accesses outside of their arguments, as traced and after the passes.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include <reference/interpreter.hpp>
#include <tilewright/passes/middle.hpp>

#include "bounds_cases.hpp"

namespace tilewright::tests {
namespace {

struct as_traced {
  static constexpr const char* name = "interpreter";
  static const reference::interpreter_target& target() { return reference::interpreter; }
};

/// Structured accesses with extents instead of pointers and masks.
struct structured {
  static constexpr const char* name = "interpreter";
  struct interpreter {
    template <class K>
    void run(const grid& programs, std::span<const argument> arguments) const {
      reference::interpret(middle<K>::extended, programs, arguments);
    }
  };
  static interpreter target() { return {}; }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Traced, Bounds, as_traced);
INSTANTIATE_TYPED_TEST_SUITE_P(Structured, Bounds, structured);

}  // namespace
}  // namespace tilewright::tests
