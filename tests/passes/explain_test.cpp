// What `explain` prints: each pass, and each command with its source line.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/passes/explain.hpp>

namespace tw = tilewright;

namespace {

constexpr int first_line = __LINE__;
struct scaled {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> y, tw::i32 n) {
    auto at = tl.program_id(0) * 64 + tl.arange<64>();
    auto values = tl.load(x + at, at < n);            // first_line + 4
    tl.store(y + at, tl.exp(values) * 2.0f, at < n);  // first_line + 5
  }
};

/// The lines of `text` between the heading of `pass` and the next one.
std::vector<std::string> section(const std::string& text, const std::string& pass) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("== ", 0) == 0) {
      inside = line == "== " + pass;
    } else if (inside) {
      lines.push_back(line);
    }
  }
  return lines;
}

int lines_with(const std::vector<std::string>& lines, const std::string& part) {
  int count = 0;
  for (const std::string& line : lines) count += line.find(part) != std::string::npos ? 1 : 0;
  return count;
}

TEST(Explain, ShowsTheResultOfEachPassInOrder) {
  const std::string text = tw::explain<scaled, tw::mtia_2i>();
  std::size_t from = 0;
  for (const char* pass :
       {"trace", "simplify", "find_structured_access", "propagate_extent", "assign_units",
        "assign_buffers", "size_buffers", "place_pointer_updates", "split_cores", "lower"}) {
    const std::size_t found = text.find("== " + std::string(pass) + "\n", from);
    ASSERT_NE(found, std::string::npos) << pass;
    EXPECT_EQ(lines_with(section(text, pass), "load"), 1) << pass;
    EXPECT_EQ(lines_with(section(text, pass), "store"), 1) << pass;
    from = found;
  }
}

TEST(Explain, ShowsWhatThePassesChange) {
  const std::string text = tw::explain<scaled, tw::mtia_2i>();
  EXPECT_GT(lines_with(section(text, "simplify"), "add_pointer"), 0);
  EXPECT_EQ(lines_with(section(text, "find_structured_access"), "add_pointer"), 0);
  EXPECT_GT(lines_with(section(text, "find_structured_access"), " = lt "), 0);
  EXPECT_EQ(lines_with(section(text, "propagate_extent"), " = lt "), 0);
  EXPECT_EQ(lines_with(section(text, "propagate_extent"), " on SE"), 0);
  EXPECT_EQ(lines_with(section(text, "assign_units"), " on SE"), 2);  // exp and the product
  // Three buffers: what is loaded, its exponentials, what is stored. Each is read once.
  EXPECT_EQ(lines_with(section(text, "assign_buffers"), ": 1 x f32[64]"), 3);
  EXPECT_EQ(lines_with(section(text, "size_buffers"), ": 1 x f32[64]"), 0);
  EXPECT_EQ(lines_with(section(text, "size_buffers"), ", pop)"), 0);
  EXPECT_EQ(lines_with(section(text, "place_pointer_updates"), ", pop)"), 3);
  EXPECT_EQ(lines_with(section(text, "place_pointer_updates"), "core 1"), 0);
  EXPECT_GT(lines_with(section(text, "split_cores"), "core 1"), 0);
  EXPECT_EQ(lines_with(section(text, "split_cores"), "program_id"), 0);  // registers come last
  EXPECT_GT(lines_with(section(text, "lower"), "program_id"), 0);
}

TEST(Explain, NamesTheSourceLineOfEachCommand) {
  const std::string text = tw::explain<scaled, tw::mtia_2i>();
  const auto program = section(text, "lower");
  const auto line = [](int offset) { return "  ; line " + std::to_string(first_line + offset); };
  for (const char* command : {"DMA in: load", "SE: exp", "SE: mul", "DMA out: store"}) {
    const int offset = std::string(command) == "DMA in: load" ? 4 : 5;
    int found = 0;
    for (const std::string& text_line : program) {
      if (text_line.find(command) == std::string::npos) continue;
      ++found;
      EXPECT_NE(text_line.find(line(offset)), std::string::npos) << text_line;
    }
    EXPECT_EQ(found, 1) << command;
  }
}

struct reversed {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> y) {
    auto at = tl.arange<8>();
    tl.store(y + at, tl.load(x + at / 2));
  }
};

TEST(Explain, ShowsHowFarAKernelComesThatTheDeviceCannotRun) {
  const std::string text = tw::explain<reversed, tw::mtia_2i>();
  EXPECT_EQ(lines_with(section(text, "propagate_extent"), "error"), 0);
  EXPECT_EQ(lines_with(section(text, "assign_units"), "error: TW-E010"), 1);
}

}  // namespace
