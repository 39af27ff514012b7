#include "heed/visualisation/learning_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "heed/visualisation/svg_text.h"

namespace heed {

namespace {

// Lengths are in pixels.
constexpr double chart_width = 380, chart_height = 236, left = 62, right = 18, top = 44,
                 bottom = 50, page_top = 44;
constexpr std::array colours = {"#2a6fbb", "#d1603d", "#3f9c6b", "#8e5ea2"};

template <typename... Args>
void append(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

// A range of numbers and where it lies on the page.
struct Scale {
  double low = 0, high = 1;
  double from = 0, to = 1;
  bool logarithmic = false;

  double transformed(double value) const { return logarithmic ? std::log(value) : value; }
  double place(double value) const {
    const double a = transformed(low), b = transformed(high);
    return from + (to - from) * (transformed(value) - a) / (b - a);
  }
};

// Numbers beyond that come from nothing that went well, and there is no room for their differences.
constexpr double largest_drawn = 1e100;

bool is_drawn(const CurveChart& chart, const CurvePoint& point) {
  return std::abs(point.x) < largest_drawn && std::abs(point.y) < largest_drawn &&
         (!chart.logarithmic || point.y > 1 / largest_drawn);
}

bool is_empty(const CurveChart& chart) {
  return std::ranges::none_of(chart.curves, [&](const Curve& curve) {
    return std::ranges::any_of(curve.points,
                               [&](const CurvePoint& point) { return is_drawn(chart, point); });
  });
}

template <typename Coordinate>
std::pair<double, double> extent(const CurveChart& chart, Coordinate coordinate) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Curve& curve : chart.curves)
    for (const CurvePoint& point : curve.points) {
      if (!is_drawn(chart, point)) continue;
      low = std::min(low, coordinate(point));
      high = std::max(high, coordinate(point));
    }
  // A stretch of no length would put everything into one place. One of a few roundings would look
  // like a great change, and marks between them could not be told apart.
  constexpr double shortest = 1e-9;
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low <= shortest * size) high = low + (size == 0 ? 1 : size * 0.1);
  return {low, high};
}

// 1, 2 or 5 times a power of ten, so that there are four to nine steps.
double round_step_of(double span) {
  const double power = std::pow(10.0, std::floor(std::log10(span / 4)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (span / (factor * power) <= 9) return factor * power;
  return 10 * power;
}

std::vector<double> powers_within(const Scale& scale) {
  std::vector<double> ticks;
  for (double power = std::pow(10.0, std::floor(std::log10(scale.low))); power <= scale.high;
       power *= 10)
    for (const double factor : {1.0, 2.0, 5.0})
      if (factor * power >= scale.low && factor * power <= scale.high)
        ticks.push_back(factor * power);
  return ticks;
}

std::vector<double> ticks_of(const Scale& scale) {
  std::vector<double> ticks;
  if (scale.logarithmic) ticks = powers_within(scale);
  // There is none between 130 and 190.
  if (ticks.size() >= 3) return ticks;
  ticks.clear();
  const double step = round_step_of(scale.high - scale.low);
  for (double tick = std::ceil(scale.low / step) * step; tick <= scale.high + step * 1e-9;
       tick += step)
    ticks.push_back(std::abs(tick) < step * 1e-9 ? 0 : tick);
  return ticks;
}

void draw_axes(std::string& out, const Scale& x, const Scale& y) {
  for (const double tick : ticks_of(y)) {
    append(out, "<line x1='{}' y1='{:.1f}' x2='{}' y2='{:.1f}' class='grid'/>\n", x.from,
           y.place(tick), x.to, y.place(tick));
    append(out, "<text x='{}' y='{:.1f}' text-anchor='end' class='tick'>{:.5g}</text>\n",
           x.from - 6, y.place(tick) + 4, tick);
  }
  for (const double tick : ticks_of(x))
    append(out, "<text x='{:.1f}' y='{}' text-anchor='middle' class='tick'>{:.6g}</text>\n",
           x.place(tick), y.from + 16, tick);
  append(out, "<line x1='{}' y1='{}' x2='{}' y2='{}' stroke='#888'/>\n", x.from, y.from, x.to,
         y.from);
  append(out, "<text x='{}' y='{}' text-anchor='middle' class='tick'>step</text>\n",
         (x.from + x.to) / 2, y.from + 32);
}

void draw_curve(std::string& out, const CurveChart& chart, const Curve& curve, const Scale& x,
                const Scale& y, const char* colour) {
  std::string path;
  for (const CurvePoint& point : curve.points)
    if (is_drawn(chart, point))
      append(path, "{}{:.1f},{:.1f}", path.empty() ? "" : " ", x.place(point.x), y.place(point.y));
  append(out, "<polyline points='{}' fill='none' stroke='{}' stroke-width='1.6'/>\n", path, colour);
  if (curve.points.size() > 60) return;
  for (const CurvePoint& point : curve.points)
    if (is_drawn(chart, point))
      append(out,
             "<circle cx='{:.1f}' cy='{:.1f}' r='2.2' fill='{}'><title>{}: {:.5g} at step "
             "{:.0f}</title></circle>\n",
             x.place(point.x), y.place(point.y), colour, svg_escape(curve.name), point.y, point.x);
}

void draw_chart(std::string& out, const CurveChart& chart, double at_x, double at_y) {
  const auto [first, last] = extent(chart, [](const CurvePoint& point) { return point.x; });
  const auto [low, high] = extent(chart, [](const CurvePoint& point) { return point.y; });
  const Scale x = {first, last, left, chart_width - right};
  const Scale y = {low, high, chart_height - bottom, top, chart.logarithmic};
  append(out, "<g transform='translate({} {})'>\n<text x='{}' y='18' class='title'>{}</text>\n",
         at_x, at_y, left, svg_escape(chart.title));
  draw_axes(out, x, y);
  double legend = left;
  for (size_t i = 0; i < chart.curves.size(); ++i) {
    const Curve& curve = chart.curves[i];
    if (curve.points.empty()) continue;
    const char* colour = colours[i % colours.size()];
    draw_curve(out, chart, curve, x, y, colour);
    append(out, "<text x='{}' y='34' class='tick' style='fill:{}'>{}</text>\n", legend, colour,
           svg_escape(curve.name));
    legend += 7.0 * static_cast<double>(curve.name.size()) + 14;
  }
  out += "</g>\n";
}

}  // namespace

std::string draw_curves(const std::string& title, const std::vector<CurveChart>& charts) {
  std::vector<CurveChart> drawn;
  std::ranges::copy_if(charts, std::back_inserter(drawn),
                       [](const CurveChart& chart) { return !is_empty(chart); });
  const double columns = drawn.size() > 1 ? 2 : 1,
               rows = std::ceil(static_cast<double>(drawn.size()) / columns);
  const double width = columns * chart_width, height = page_top + rows * chart_height;
  std::string out;
  append(out,
         "<svg xmlns='http://www.w3.org/2000/svg' width='{}' height='{}' viewBox='0 0 {} {}' "
         "font-family='sans-serif'>\n",
         width, height, width, height);
  out +=
      "<style>.grid{stroke:#ddd}.tick{font-size:11px;fill:#444}.title{font-size:13px;font-weight:"
      "bold;fill:#"
      "222}</style>\n";
  append(out,
         "<rect width='{}' height='{}' fill='white'/>\n<text x='{}' y='26' font-size='16' "
         "fill='#222'>{}</text>\n",
         width, height, left, svg_escape(title));
  for (size_t i = 0; i < drawn.size(); ++i) {
    const size_t row = i / 2, column = i % 2;
    draw_chart(out, drawn[i], chart_width * static_cast<double>(column),
               page_top + chart_height * static_cast<double>(row));
  }
  return out + "</svg>\n";
}

}  // namespace heed
