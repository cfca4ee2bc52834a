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

TEST(OpsReference, HasARowForEachOperation) {
  const std::string page = tools::ops_page();
  for (int i = 0; i < op_count; ++i) {
    const op_info& row = info_of(static_cast<op>(i));
    const std::string name =
        std::string("| `") + (row.kind == op_kind::structural ? "" : "tl.") + row.name;
    EXPECT_NE(page.find(name), std::string::npos) << row.name;
  }
  EXPECT_NE(page.find("| `tl.exp(x)` | T -> T, floats | e to the power x | "), std::string::npos);
  EXPECT_NE(page.find("| `tl.where(x, y, z)` | (i1, T, T) -> T | "), std::string::npos);
  EXPECT_NE(page.find("| `tl.sum<Axis>(x)` | `add` | "), std::string::npos);
}

}  // namespace
}  // namespace tilewright
