// The committed page of operations is what the op tables say.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <tools/ops_reference.hpp>

namespace tilewright {
namespace {

TEST(OpsReference, CommittedPageIsCurrent) {
  const auto root = std::filesystem::absolute(__FILE__).parent_path().parent_path().parent_path();
  std::ifstream file(root / "docs/reference/ops.md");
  ASSERT_TRUE(file) << "docs/reference/ops.md is missing";
  std::stringstream committed;
  committed << file.rdbuf();
  EXPECT_EQ(committed.str(), tools::ops_page())
      << "To generate the page again, see the first lines of tools/ops_reference.cpp.";
}

}  // namespace
}  // namespace tilewright
