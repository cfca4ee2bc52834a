#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/model/roofline.hpp>
#include <vector>

#include "model/tiny_device.hpp"

namespace tilewright {
namespace {

// Whether `text` is one XML element: tags nest, attributes are quoted, no stray < or &.
::testing::AssertionResult is_well_formed(const std::string& text) {
  std::vector<std::string> open;
  std::size_t at = 0;
  bool seen = false;
  const auto wrong = [&](const char* what) {
    return ::testing::AssertionFailure() << what << " at " << at << ": " << text.substr(at, 60);
  };
  while (at < text.size()) {
    if (text[at] == '&') {
      const std::string entity = text.substr(at, text.find(';', at) - at + 1);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;") {
        return wrong("bad entity");
      }
    }
    if (text[at] != '<') {
      if (open.empty() && std::isspace(static_cast<unsigned char>(text[at])) == 0) {
        return wrong("text outside of the root");
      }
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    for (bool quoted = false; end < text.size() && (quoted || text[end] != '>'); ++end) {
      if (text[end] == '"') quoted = !quoted;
      if (text[end] == '<') return wrong("< inside a tag");
    }
    if (end == text.size()) return wrong("open tag");
    const std::string tag = text.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /", tag[0] == '/' ? 1 : 0));
    if (tag[0] == '/') {
      if (open.empty() || "/" + open.back() != name) return wrong("tags do not match");
      open.pop_back();
    } else {
      if (open.empty() && seen) return wrong("a second root");
      seen = true;
      if (tag.back() != '/') open.push_back(name);
    }
    at = end + 1;
  }
  return open.empty() && seen ? ::testing::AssertionSuccess() : wrong("tags left open");
}

int count_of(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Roofline, TheCheckItselfFindsFaults) {
  EXPECT_TRUE(is_well_formed("<a b=\"1>2\"><c/>x &amp; y</a>\n"));
  EXPECT_FALSE(is_well_formed("<a><b></a></b>"));
  EXPECT_FALSE(is_well_formed("<a>x & y</a>"));
  EXPECT_FALSE(is_well_formed("<a>"));
  EXPECT_FALSE(is_well_formed("<a/><b/>"));
}

TEST(Roofline, IsWellFormedAndHasEveryRoofAndPoint) {
  const std::vector<roofline_point> points = {
      {"add <float> & \"more\"", 0.083, 230, 0.997, memory::sram},
      {"matmul", 31, 85000, 0.484, memory::sram},
      {"big matmul", 100, 15000, 0.7, memory::dram}};
  const std::string svg = roofline_svg(mtia_2i, points);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_NE(svg.find("Roofline of mtia_2i"), std::string::npos);
  EXPECT_NE(svg.find("SRAM 2765 GB/s"), std::string::npos);
  EXPECT_NE(svg.find("DRAM 178 GB/s"), std::string::npos);
  EXPECT_NE(svg.find("DPE f16 176.9 TFLOP/s"), std::string::npos);
  EXPECT_NE(svg.find("SE 2.765 TFLOP/s"), std::string::npos);
  EXPECT_NE(svg.find("add &lt;float&gt; &amp; &quot;more&quot;"), std::string::npos);
  EXPECT_NE(svg.find(">99.7 %<"), std::string::npos);
  // A number in the plot and one in the table for each.
  EXPECT_EQ(count_of(svg, "r=\"8\""), 6);
  EXPECT_EQ(count_of(svg, "nan"), 0);
  EXPECT_EQ(count_of(svg, "inf"), 0);
}

TEST(Roofline, PointsWithoutWorkStayOutOfThePlot) {
  const std::vector<roofline_point> points = {{"copy", 0, 0, 1, memory::sram}};
  const std::string svg = roofline_svg(test::tiny_device(), points);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(count_of(svg, "r=\"8\""), 1);
  EXPECT_EQ(count_of(svg, "nan"), 0);
  EXPECT_EQ(count_of(svg, "inf"), 0);
}

TEST(Roofline, PointOfARun) {
  report result;
  result.clock_ghz = 2.0;
  result.cycles = 1000;
  result.flops = 4000;
  result.memories[0].read = 500;
  result.memories[0].written = 300;
  result.roofline.cycles = 250;
  const device_spec spec = test::tiny_device();  // 16 and 4 bytes a cycle
  roofline_point point = point_of("run", result, spec);
  EXPECT_EQ(point.where, memory::sram);
  EXPECT_DOUBLE_EQ(point.intensity, 5.0);
  EXPECT_DOUBLE_EQ(point.rate, 8.0);  // 4000 operations in 0.5 us
  EXPECT_DOUBLE_EQ(point.part, 0.25);
  // 800 bytes keep SRAM busy for 50 cycles, as 200 do DRAM.
  result.memories[1].read = 200;
  point = point_of("run", result, spec);
  EXPECT_EQ(point.where, memory::dram);
  EXPECT_DOUBLE_EQ(point.intensity, 20.0);
}

}  // namespace
}  // namespace tilewright
