// The roofline of a device, with runs as points, as an SVG picture.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <tilewright/config.hpp>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/model/report.hpp>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI {

/// A run in the picture: `intensity` in floating-point operations per byte moved through memory
/// `where`, `rate` in GFLOP/s, `part` of its roofline that it reached (0 to 1).
struct roofline_point {
  std::string label;
  double intensity = 0;
  double rate = 0;
  double part = 0;
  memory where = memory::sram;
};

/// The point of a run: of the two memories, the one that its bytes keep busy for longer counts. The
/// part reached is `report::roofline_part`, which assumes that no byte moves twice.
inline roofline_point point_of(std::string label, const report& result, const device_spec& spec) {
  const double sram = static_cast<double>(result.of(memory::sram).moved());
  const double dram = static_cast<double>(result.of(memory::dram).moved());
  const bool in_dram = dram > 0 && dram / spec.dram_bytes_per_cycle() >=
                                       sram / std::max(1.0, double(spec.sram_bytes_per_cycle));
  roofline_point made;
  made.label = std::move(label);
  made.where = in_dram ? memory::dram : memory::sram;
  made.intensity = static_cast<double>(result.flops) / std::max(1.0, in_dram ? dram : sram);
  made.rate = result.cycles == 0 ? 0 : static_cast<double>(result.flops) / result.seconds() * 1e-9;
  made.part = result.roofline_part();
  return made;
}

namespace model_detail {

struct roof {
  const char* name;
  double value;  // GB/s of a slope, GFLOP/s of a level
  const char* color;
};

inline std::vector<roof> slopes_of(const device_spec& spec) {
  return {{"SRAM", spec.sram_bytes_per_cycle * spec.clock_ghz, "#0072b2"},
          {"DRAM", spec.dram_gb_per_s * spec.dram_efficiency, "#d55e00"}};
}
/// Two operations per multiply-accumulate of the DPE, one per lane of the others, as
/// `report::flops` counts.
inline std::vector<roof> levels_of(const device_spec& spec) {
  const double all = spec.pe_count() * spec.clock_ghz;
  return {{"DPE f16", 2.0 * spec.dpe_mac_16 * all, "#333333"},
          {"SE", spec.se_lanes * all, "#009e73"},
          {"vector core f32", spec.vector_ops_32 * all, "#8f5aa0"}};
}

/// Text that may stand in XML.
inline std::string escaped(const std::string& text) {
  std::string safe;
  for (const char each : text) {
    switch (each) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += each;
    }
  }
  return safe;
}

/// Collects SVG elements in the coordinates of a log-log plot.
class roofline_picture {
 public:
  roofline_picture(const device_spec& spec, std::span<const roofline_point> points)
      : slopes_(slopes_of(spec)), levels_(levels_of(spec)), points_(points) {
    std::erase_if(slopes_, [](const roof& each) { return !can_be_drawn(each.value); });
    std::erase_if(levels_, [](const roof& each) { return !can_be_drawn(each.value); });
    for (const roof& level : levels_) top_ = std::max(top_, level.value);
    double lowest = top_;
    double left = 1;
    double right = 1;
    for (const roof& slope : slopes_) right = std::max(right, top_ / slope.value);
    for (const roof& level : levels_) lowest = std::min(lowest, level.value);
    for (const roofline_point& point : points_) {
      if (!can_be_drawn(point.intensity) || !can_be_drawn(point.rate)) continue;
      left = std::min(left, point.intensity);
      right = std::max(right, point.intensity);
      lowest = std::min(lowest, point.rate);
    }
    x_low_ = std::floor(std::log10(left) - 0.3);
    x_high_ = std::ceil(std::log10(right) + 0.3);
    y_low_ = std::floor(std::log10(lowest) - 0.3);
    y_high_ = std::ceil(std::log10(top_) + 0.1);
  }

  std::string draw(const std::string& title) {
    const double height = std::max(bottom + 60, 110 + 22.0 * static_cast<double>(points_.size()));
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
        "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\" "
        "font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
        width, height, width, height);
    text(left_edge, 28, "start", "#111111", title, "font-size=\"17\" font-weight=\"bold\"");
    axes();
    for (const roof& slope : slopes_) draw_slope(slope);
    for (const roof& level : levels_) draw_level(level);
    draw_points();
    out_ += "</svg>\n";
    return out_;
  }

 private:
  static constexpr double width = 1180;
  static constexpr double left_edge = 90;
  static constexpr double right_edge = 750;
  static constexpr double top_edge = 50;
  static constexpr double bottom = 560;

  /// Whether a logarithmic axis has a place for the value.
  static bool can_be_drawn(double value) { return value > 0 && std::isfinite(value); }

  template <class... Values>
  void add(const char* format, Values... values) {
    char piece[640];
    std::snprintf(piece, sizeof(piece), format, values...);
    out_ += piece;
  }
  void text(double x, double y, const char* anchor, const char* color, const std::string& what,
            const char* more = "") {
    add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\" %s>", x, y, anchor, color,
        more);
    out_ += escaped(what) + "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2, const char* color, double thick) {
    add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
        "stroke-width=\"%.1f\"/>\n",
        x1, y1, x2, y2, color, thick);
  }

  double x_of(double intensity) const {
    return left_edge +
           (std::log10(intensity) - x_low_) / (x_high_ - x_low_) * (right_edge - left_edge);
  }
  double y_of(double rate) const {
    return bottom - (std::log10(rate) - y_low_) / (y_high_ - y_low_) * (bottom - top_edge);
  }

  void axes() {
    for (double decade = x_low_; decade <= x_high_; decade += 1) {
      for (int step = 1; step < 10 && (step == 1 || decade < x_high_); ++step) {
        const double x = x_of(std::pow(10.0, decade) * step);
        line(x, top_edge, x, bottom, step == 1 ? "#d5d5d5" : "#f0f0f0", 1);
      }
      text(x_of(std::pow(10.0, decade)), bottom + 20, "middle", "#444444", power(decade));
    }
    for (double decade = y_low_; decade <= y_high_; decade += 1) {
      for (int step = 1; step < 10 && (step == 1 || decade < y_high_); ++step) {
        const double y = y_of(std::pow(10.0, decade) * step);
        line(left_edge, y, right_edge, y, step == 1 ? "#d5d5d5" : "#f0f0f0", 1);
      }
      text(left_edge - 10, y_of(std::pow(10.0, decade)) + 4, "end", "#444444", power(decade));
    }
    add("<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" fill=\"none\" "
        "stroke=\"#888888\"/>\n",
        left_edge, top_edge, right_edge - left_edge, bottom - top_edge);
    text((left_edge + right_edge) / 2, bottom + 45, "middle", "#222222",
         "operational intensity, FLOP per byte moved");
    const double middle = (top_edge + bottom) / 2;
    add("<text x=\"28\" y=\"%.1f\" text-anchor=\"middle\" fill=\"#222222\" "
        "transform=\"rotate(-90 28 %.1f)\">GFLOP/s</text>\n",
        middle, middle);
  }
  static std::string power(double decade) {
    char label[32];
    if (decade >= -2 && decade <= 3) {
      std::snprintf(label, sizeof(label), "%g", std::pow(10.0, decade));
    } else {
      std::snprintf(label, sizeof(label), "1e%d", static_cast<int>(decade));
    }
    return label;
  }

  /// A bandwidth, from the edge of the picture up to the highest level.
  void draw_slope(const roof& slope) {
    const double end = top_ / slope.value;
    const double begin = std::max(std::pow(10.0, x_low_), std::pow(10.0, y_low_) / slope.value);
    const double x1 = x_of(begin);
    const double y1 = y_of(begin * slope.value);
    const double x2 = x_of(end);
    const double y2 = y_of(top_);
    line(x1, y1, x2, y2, slope.color, 2.4);
    // The name stands on the line, a third of the way up.
    const double x = x1 + (x2 - x1) * 0.33;
    const double y = y1 + (y2 - y1) * 0.33;
    const double angle = std::atan2(y2 - y1, x2 - x1) * 57.29577951308232;
    add("<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\" text-anchor=\"middle\" "
        "transform=\"rotate(%.1f %.1f %.1f) translate(0 -7)\">%s %.0f GB/s</text>\n",
        x, y, slope.color, angle, x, y, slope.name, slope.value);
  }

  /// A compute rate, from where the fastest memory reaches it.
  void draw_level(const roof& level) {
    double fastest = 0;
    for (const roof& slope : slopes_) fastest = std::max(fastest, slope.value);
    const double begin = fastest > 0 ? level.value / fastest : std::pow(10.0, x_low_);
    const double y = y_of(level.value);
    line(std::max(left_edge, x_of(begin)), y, right_edge, y, level.color, 2.4);
    char label[96];
    std::snprintf(label, sizeof(label), "%s %.4g TFLOP/s", level.name, level.value * 1e-3);
    text(right_edge - 8, y - 6, "end", level.color, label);
  }

  /// Numbered markers, and beside the plot what the numbers mean.
  void draw_points() {
    const double column = right_edge + 28;
    double y = top_edge + 14;
    text(column, y, "start", "#222222", "run", "font-weight=\"bold\"");
    text(width - 110, y, "end", "#222222", "GFLOP/s", "font-weight=\"bold\"");
    text(width - 16, y, "end", "#222222", "of roofline", "font-weight=\"bold\"");
    int number = 0;
    for (const roofline_point& point : points_) {
      y += 22;
      ++number;
      const char* const color = point.where == memory::sram ? "#0072b2" : "#d55e00";
      const std::string name = std::to_string(number);
      marker(column + 6, y - 4, color, name);
      text(column + 22, y, "start", "#222222", point.label);
      char figures[48];
      std::snprintf(figures, sizeof(figures), point.rate < 10 ? "%.2f" : "%.0f", point.rate);
      text(width - 110, y, "end", "#222222", figures);
      std::snprintf(figures, sizeof(figures), "%.1f %%", 100 * point.part);
      text(width - 16, y, "end", "#222222", figures);
      if (can_be_drawn(point.intensity) && can_be_drawn(point.rate)) {
        place(x_of(point.intensity), y_of(point.rate), color, name);
      }
    }
    y += 30;
    text(column, y, "start", "#555555", "blue: in SRAM, orange: in DRAM", "font-size=\"12\"");
    text(column, y + 17, "start", "#555555", "of roofline: as if each byte moved only once",
         "font-size=\"12\"");
  }
  /// A dot where the point is, and its number beside it, clear of other points' numbers.
  void place(double x, double y, const char* color, const std::string& name) {
    position at{x + 20, y + 8};
    for (int attempt = 0; attempt < 40; ++attempt) {
      // Below and to the right there are no roofs: a fan of places, ever further away.
      const double distance = 21.0 + 10.0 * (attempt / 5);
      const double angle = 0.35 + 0.4 * (attempt % 5);
      at = {x + distance * std::cos(angle), y + distance * std::sin(angle)};
      const bool clear = std::none_of(taken_.begin(), taken_.end(), [&](const position& other) {
        return std::hypot(other.x - at.x, other.y - at.y) < 18;
      });
      if (clear) break;
    }
    taken_.push_back(at);
    line(x, y, at.x, at.y, color, 1);
    add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" stroke=\"white\"/>\n", x, y, color);
    marker(at.x, at.y, color, name);
  }
  void marker(double x, double y, const char* color, const std::string& name) {
    add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"8\" fill=\"%s\" stroke=\"white\" "
        "stroke-width=\"1.5\"/>\n",
        x, y, color);
    text(x, y + 3.5, "middle", "white", name, "font-size=\"10\" font-weight=\"bold\"");
  }

  struct position {
    double x;
    double y;
  };

  std::vector<roof> slopes_;
  std::vector<roof> levels_;
  std::span<const roofline_point> points_;
  std::vector<position> taken_;  // by numbers
  double top_ = 1;
  double x_low_ = 0;
  double x_high_ = 1;
  double y_low_ = 0;
  double y_high_ = 1;
  std::string out_;
};

}  // namespace model_detail

/// An SVG picture of `spec`'s roofs (DRAM and SRAM bandwidth, DPE, SE and vector core) on
/// logarithmic axes with a numbered marker per point and a table of them.
inline std::string roofline_svg(const device_spec& spec, std::span<const roofline_point> points) {
  return model_detail::roofline_picture(spec, points).draw(std::string("Roofline of ") + spec.name);
}

}  // namespace tilewright::inline TILEWRIGHT_ABI
