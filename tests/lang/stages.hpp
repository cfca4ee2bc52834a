// Runs a kernel through the interpreter as traced and after each pass.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <reference/interpreter.hpp>
#include <tilewright/ir/verify.hpp>
#include <tilewright/passes/find_structured_access.hpp>
#include <tilewright/passes/propagate_extent.hpp>
#include <tilewright/passes/simplify.hpp>

#include "run_time.hpp"

namespace tilewright::tests {

/// The graph of `K` under the name of the pass that it comes from. The graphs lie on the heap: one
/// is some hundred kilobytes.
template <class K>
std::vector<std::pair<std::string, std::unique_ptr<graph>>> stages() {
  std::vector<std::pair<std::string, std::unique_ptr<graph>>> all;
  const auto add = [&](const char* name, const graph& g) {
    all.emplace_back(name, std::make_unique<graph>(g));
  };
  add("trace", trace_at_run_time<K>());
  add("simplify", simplify(*all.back().second));
  add("find_structured_access", find_structured_access(*all.back().second));
  add("propagate_extent", propagate_extent(*all.back().second));
  return all;
}

template <class T>
argument bind(std::vector<T>& memory) {
  argument bound;
  bound.type = dtype_v<T>;
  bound.pointer = true;
  bound.address = memory.data();
  bound.elements = static_cast<std::int64_t>(memory.size());
  return bound;
}
template <Element T>
argument bind(T value) {
  argument bound;
  bound.type = dtype_v<T>;
  bound.bits = to_bits(value);
  return bound;
}

/// `arguments()` binds fresh memory for each stage, `check(stage)` looks at what was written.
template <class K, class Arguments, class Check>
void run_stages(const grid& programs, Arguments&& arguments, Check&& check) {
  for (const auto& [name, g] : stages<K>()) {
    SCOPED_TRACE("after " + name);
    ASSERT_FALSE(g->error) << sentence_of(g->error.what);
    const diagnostic wrong = verify(*g);
    ASSERT_FALSE(wrong) << "rule " << wrong.need << ", node " << wrong.have;
    const std::vector<argument> bound = arguments();
    reference::interpret(*g, programs, bound);
    check();
  }
}

}  // namespace tilewright::tests
