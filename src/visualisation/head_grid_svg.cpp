#include "heed/visualisation/head_grid_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "heed/visualisation/colour_map.h"
#include "heed/visualisation/svg_text.h"

namespace heed {

namespace {

// In pixels.
constexpr double margin = 20;
constexpr double side = 72;  // of a small map
constexpr double gap = 8;
constexpr double row_label = 60;
constexpr double column_label = 18;
constexpr double note_height = 36;
constexpr int64_t most_cells = 24;  // on a side of a small map

template <typename... Args>
void append(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

// Cells of the lowest colour are the ground.
void draw_small_map(const Tensor& weights, const std::string& name, bool chosen, std::string& out) {
  const PooledMap pooled = pool(weights, most_cells, most_cells);
  const ValueRange range = range_of(std::span(&pooled, 1));
  const auto rows = static_cast<double>(pooled.rows), columns = static_cast<double>(pooled.columns);
  const double cell = side / std::max(rows, columns);
  const std::string ground = hex_text(colour_at(0));
  append(out, "<title>{}</title>\n", svg_escape(name));
  append(out,
         "<g transform='scale({:.5g})' shape-rendering='crispEdges'>"
         "<rect width='{}' height='{}' fill='{}'/>\n",
         cell, columns, rows, ground);
  for (int64_t row = 0; row < pooled.rows; ++row)
    for (int64_t column = 0; column < pooled.columns; ++column) {
      const std::string colour = hex_text(colour_at(range.unit(pooled.mean(row, column))));
      if (colour != ground)
        append(out, "<rect x='{}' y='{}' width='1' height='1' fill='{}'/>\n", column, row, colour);
    }
  append(out, "</g>\n<rect width='{:.5g}' height='{:.5g}' fill='none' stroke='{}'/>\n",
         cell * columns, cell * rows, chosen ? "#cf222e' stroke-width='3" : "#8c959f");
}

void draw_label(double x, double y, std::string_view anchor, std::string_view text,
                std::string& out) {
  append(out, "<text class='label' x='{}' y='{}' font-size='11' text-anchor='{}'>{}</text>\n", x, y,
         anchor, text);
}

}  // namespace

std::string draw_head_grid(const HeadGrid& grid, const SvgStyle& style) {
  SvgDrawing drawing = draw_maps(grid.large, style);
  const double left = margin + row_label, top = drawing.height + column_label;
  const auto x_of = [&](int64_t head) {
    return left + (side + gap) * static_cast<double>(head - 1);
  };
  const auto y_of = [&](int64_t layer) {
    return top + (side + gap) * static_cast<double>(layer - 1);
  };
  std::string& out = drawing.body;
  for (int64_t head = 1; head <= grid.heads; ++head)
    draw_label(x_of(head) + side / 2, top - 6, "middle", fmt::format("Head {}", head), out);
  for (int64_t layer = 1; layer <= grid.layers; ++layer) {
    draw_label(left - 8, y_of(layer) + side / 2, "end", fmt::format("Layer {}", layer), out);
    for (int64_t head = 1; head <= grid.heads; ++head) {
      append(out, "<g class='small' transform='translate({} {})'>\n", x_of(head), y_of(layer));
      draw_small_map(grid.weights(layer, head), grid.name(layer, head),
                     layer == grid.layer && head == grid.head, out);
      out += "</g>\n";
    }
  }
  const double below = y_of(grid.layers + 1);
  append(out, "<text class='note' x='{}' y='{}' font-size='11'>{}</text>\n", margin, below + 12,
         "Small maps: the same rows and columns, each from 0 to its own largest weight. The framed "
         "one is drawn large.");
  drawing.width = std::max({drawing.width, x_of(grid.heads + 1) + margin, 640.0});
  drawing.height = below + note_height;
  return svg_document(drawing, grid.large.title);
}

}  // namespace heed
