#include "heed/visualisation/heat_map_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "heed/base/round_up.h"
#include "heed/base/text.h"
#include "heed/visualisation/colour_map.h"
#include "heed/visualisation/svg_text.h"

namespace heed {

namespace {

// Lengths are in pixels, the unit of an SVG document.
constexpr double page_margin = 20;
constexpr double gap_between_maps = 22;
constexpr double title_size = 17;
constexpr double map_title_size = 13;
constexpr double axis_size = 12;
constexpr double label_size = 11;
constexpr double label_gap = 5;     // between a map and its labels
constexpr double label_pitch = 13;  // smallest distance of two lines of labels
constexpr double tick_length = 3;
constexpr double bar_width = 13;
constexpr double bar_gap = 26;
constexpr int longest_label = 24;  // columns
constexpr double slant = 0.7071;   // of labels at 45 degrees

// Sans-serif letters are about this wide, as a share of their size.
double text_width(std::string_view text, double size) { return 0.58 * size * display_width(text); }

// Coordinates to a hundredth of a pixel, without needless digits.
std::string px(double length) { return fmt::format("{:.7g}", std::round(length * 100) / 100); }

template <typename... Args>
void append(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

void append_text(std::string& out, double x, double y, double size, std::string_view attributes,
                 std::string_view text) {
  append(out, "<text x='{}' y='{}' font-size='{}' {}>{}</text>\n", px(x), px(y), size, attributes,
         svg_escape(text));
}

struct Tick {
  double position;  // in cells from the start of the axis
  std::string label;
};

// One side of a map: its cells and their labels.
struct Axis {
  std::vector<Tick> ticks;
  double longest = 0;  // label, in pixels
};

Axis make_axis(const std::vector<std::string>& labels, int64_t count, int64_t per_cell, double cell,
               double pitch) {
  Axis axis;
  const double item = cell / static_cast<double>(per_cell);  // pixels per query or key
  const bool numbered = labels.empty();
  const double least = std::max(1.0, pitch / item);
  const auto step = static_cast<int64_t>(numbered ? round_step(least) : std::ceil(least));
  for (int64_t i = 0; i < count; i += step) {
    const std::string label =
        numbered ? std::to_string(i) : shorten(printable(labels[i]), longest_label);
    axis.ticks.push_back({(static_cast<double>(i) + 0.5) / static_cast<double>(per_cell), label});
    axis.longest = std::max(axis.longest, text_width(label, label_size));
  }
  return axis;
}

// One map, laid out; its origin is the corner of its first cell.
struct SvgMap {
  const HeatMap* map = nullptr;
  PooledMap pooled;
  double cell = 1;
  Axis queries;
  Axis keys;
  bool slanted_keys = false;

  double width() const { return cell * static_cast<double>(pooled.columns); }
  double height() const { return cell * static_cast<double>(pooled.rows); }
  double label_depth() const {
    return slanted_keys ? slant * (keys.longest + label_size) : label_size;
  }
  double above() const { return map->title.empty() ? 0 : map_title_size + 8; }
  double left() const {
    const double before_first_key = slanted_keys ? slant * keys.longest - cell / 2 : 0;
    return std::max(queries.longest + label_gap + axis_size + 10, before_first_key);
  }
  double below() const { return label_gap + label_depth() + axis_size + 8; }
};

bool has_labels(const HeatMap& map) { return !map.query_labels.empty() || !map.key_labels.empty(); }

// Small maps get large cells, many maps small ones; labels must stay readable unless there are very
// many.
double choose_cell(const HeatMapFigure& figure, std::span<const PooledMap> maps) {
  constexpr double largest_labelled_side = 1000;
  const double target = maps.size() == 1 ? 360 : maps.size() <= 4 ? 230 : 170;
  int64_t side = 1;
  bool labelled = false;
  for (size_t i = 0; i < maps.size(); ++i) {
    side = std::max({side, maps[i].rows, maps[i].columns});
    labelled = labelled || has_labels(figure.maps[i]);
  }
  const double cell = std::clamp(std::floor(target / static_cast<double>(side)), 2.0, 32.0);
  const bool labels_fit = label_pitch * static_cast<double>(side) <= largest_labelled_side;
  return labelled && labels_fit ? std::max(cell, label_pitch + 1) : cell;
}

SvgMap lay_out(const HeatMap& map, const PooledMap& pooled, double cell) {
  SvgMap laid;
  laid.map = &map;
  laid.pooled = pooled;
  laid.cell = cell;
  const int64_t queries = map.weights.shape()[0];
  const int64_t keys = map.weights.shape()[1];
  // On a long axis, some numbers may be skipped; words may not.
  const bool sparse_queries = map.query_labels.empty() && queries > 40;
  laid.queries = make_axis(map.query_labels, queries, pooled.queries_per_row, cell,
                           sparse_queries ? 2 * label_pitch : label_pitch);
  // Upright numbers need space for their digits; words that do not fit side by side are slanted.
  const bool numbered_keys = map.key_labels.empty();
  const double number_pitch = text_width(std::to_string(keys - 1), label_size) + 7;
  laid.keys = make_axis(map.key_labels, keys, pooled.keys_per_column, cell,
                        numbered_keys ? number_pitch : label_pitch);
  laid.slanted_keys = !numbered_keys && laid.keys.longest + 6 > cell;
  return laid;
}

std::string item_text(const char* kind, int64_t cell, int64_t per_cell, int64_t count,
                      const std::vector<std::string>& labels) {
  const int64_t first = cell * per_cell;
  const int64_t last = std::min(first + per_cell, count) - 1;
  if (last > first) return fmt::format("{} {} to {}", kind, first, last);
  if (labels.empty()) return fmt::format("{} {}", kind, first);
  return fmt::format("{} {} “{}”", kind, first, labels[first]);
}

void draw_cells(const SvgMap& laid, const ValueRange& range, std::string& out) {
  const HeatMap& map = *laid.map;
  const Shape& shape = map.weights.shape();
  const bool single = laid.pooled.queries_per_row == 1 && laid.pooled.keys_per_column == 1;
  append(out, "<g class='cells' transform='scale({})' shape-rendering='crispEdges'>\n",
         px(laid.cell));
  for (int64_t row = 0; row < laid.pooled.rows; ++row) {
    const std::string query = svg_escape(
        item_text("Query", row, laid.pooled.queries_per_row, shape[0], map.query_labels));
    for (int64_t column = 0; column < laid.pooled.columns; ++column) {
      const double mean = laid.pooled.mean(row, column);
      const std::string key = svg_escape(
          item_text("key", column, laid.pooled.keys_per_column, shape[1], map.key_labels));
      // As a float, the weight has no spurious digits.
      const std::string value = single && map.weights.type() == Type::float32
                                    ? fmt::format("{}", static_cast<float>(mean))
                                    : fmt::format("{}", mean);
      append(
          out,
          "<rect x='{}' y='{}' width='1' height='1' fill='{}'><title>{}, {}: {}{}</title></rect>\n",
          column, row, hex_text(colour_at(range.unit(mean))), query, key, single ? "" : "mean ",
          value);
    }
  }
  out += "</g>\n";
}

void draw_query_axis(const SvgMap& laid, const std::string& name, std::string& out) {
  for (const Tick& tick : laid.queries.ticks) {
    const double y = tick.position * laid.cell;
    append(out, "<path class='tick' d='M0 {}h{}'/>\n", px(y), -tick_length);
    append_text(out, -label_gap, y + 0.36 * label_size, label_size,
                "class='label' text-anchor='end'", tick.label);
  }
  const double x = -(laid.queries.longest + label_gap + 9);
  append(out, "<g transform='translate({} {}) rotate(-90)'>", px(x), px(laid.height() / 2));
  append_text(out, 0, 0, axis_size, "class='axis' text-anchor='middle'", name);
  out += "</g>\n";
}

void draw_key_axis(const SvgMap& laid, const std::string& name, std::string& out) {
  for (const Tick& tick : laid.keys.ticks) {
    const double x = tick.position * laid.cell;
    const double y = laid.height();
    append(out, "<path class='tick' d='M{} {}v{}'/>\n", px(x), px(y), tick_length);
    if (laid.slanted_keys) {
      append(out, "<g transform='translate({} {}) rotate(-45)'>", px(x + 3), px(y + label_gap + 6));
      append_text(out, 0, 0, label_size, "class='label' text-anchor='end'", tick.label);
      out += "</g>\n";
    } else {
      append_text(out, x, y + label_gap + label_size - 1, label_size,
                  "class='label' text-anchor='middle'", tick.label);
    }
  }
  append_text(out, laid.width() / 2, laid.height() + laid.below() - 4, axis_size,
              "class='axis' text-anchor='middle'", name);
}

void draw_map(const SvgMap& laid, const ValueRange& range, const SvgStyle& style, double x,
              double y, std::string& out) {
  append(out, "<g transform='translate({} {})'>\n", px(x), px(y));
  if (!laid.map->title.empty())
    append_text(out, laid.width() / 2, -8, map_title_size, "class='title' text-anchor='middle'",
                shorten(printable(laid.map->title), 60));
  draw_cells(laid, range, out);
  append(out, "<rect class='frame' width='{}' height='{}'/>\n", px(laid.width()),
         px(laid.height()));
  draw_query_axis(laid, style.query_axis, out);
  draw_key_axis(laid, style.key_axis, out);
  out += "</g>\n";
}

void draw_colour_bar(const ValueRange& range, double x, double y, double height, std::string& out) {
  constexpr int stops = 24;
  constexpr double label_distance = 34;  // pixels between two numbers, at least
  out += "<defs><linearGradient id='scale' x1='0' y1='1' x2='0' y2='0'>";
  for (int stop = 0; stop <= stops; ++stop) {
    const double unit = static_cast<double>(stop) / stops;
    append(out, "<stop offset='{:.4g}' stop-color='{}'/>", unit, hex_text(colour_at(unit)));
  }
  out += "</linearGradient></defs>\n";
  append(out, "<g class='bar' transform='translate({} {})'>\n", px(x), px(y));
  append_text(out, 0, -8, label_size, "class='axis'", "Weight");
  append(out, "<rect width='{}' height='{}' fill='url(#scale)'/>\n", px(bar_width), px(height));
  append(out, "<rect class='frame' width='{}' height='{}'/>\n", px(bar_width), px(height));
  const double step = round_step((range.high - range.low) * std::min(1.0, label_distance / height));
  const double last = std::floor(range.high / step + 1e-6);
  // Adding 0 turns -0, from rounding a tiny negative quotient, into 0.
  for (double number = std::ceil(range.low / step - 1e-6) + 0.0; number <= last; ++number) {
    const double at = height * (1 - range.unit(number * step));
    append(out, "<path class='tick' d='M{} {}h{}'/>\n", px(bar_width), px(at), tick_length);
    append_text(out, bar_width + 6, at + 0.36 * label_size, label_size, "class='label'",
                fmt::format("{:.4g}", number * step));
  }
  out += "</g>\n";
}

// Full rows if possible, in a shape a little wider than high.
size_t choose_columns(size_t maps) {
  if (maps <= 4) return std::max<size_t>(maps, 1);
  size_t best = 3;
  double least = 1e9;
  for (size_t columns = 3; columns <= 6; ++columns) {
    const size_t empty = (columns - maps % columns) % columns;
    const double off =
        std::abs(static_cast<double>(columns) - std::sqrt(1.5 * static_cast<double>(maps)));
    const double penalty = 2 * static_cast<double>(empty) + off;
    if (penalty < least) best = columns;
    least = std::min(least, penalty);
  }
  return best;
}

// The largest extent of all maps gives every map the same space.
template <typename Extent>
double largest(std::span<const SvgMap> maps, Extent extent) {
  double result = 0;
  for (const SvgMap& map : maps) result = std::max(result, (map.*extent)());
  return result;
}

// Where everything goes on the page.
struct Page {
  Page(std::span<const SvgMap> maps, bool titled, size_t notes)
      : columns(choose_columns(maps.size())),
        rows(divide_up(maps.size(), columns)),
        left(largest(maps, &SvgMap::left)),
        above(std::max(largest(maps, &SvgMap::above), label_size + 8)),
        plot_width(largest(maps, &SvgMap::width)),
        plot_height(largest(maps, &SvgMap::height)),
        slot_width(left + plot_width + gap_between_maps),
        slot_height(above + plot_height + largest(maps, &SvgMap::below) + gap_between_maps),
        top(page_margin + (titled ? title_size + 14 : 0)),
        bar_x(page_margin + slot_width * static_cast<double>(columns) - gap_between_maps + bar_gap),
        bar_height(std::clamp(plot_height, 90.0, 300.0)),
        width(bar_x + bar_width + 50 + page_margin),
        notes_y(top +
                std::max(slot_height * static_cast<double>(rows) - gap_between_maps,
                         above + bar_height) +
                24),
        height(notes_y - 24 + page_margin + (notes > 0 ? 8 + 16 * static_cast<double>(notes) : 0)) {
  }

  double map_x(size_t index) const {
    return page_margin + left + slot_width * static_cast<double>(index % columns);
  }
  double map_y(size_t index) const {
    const size_t row = index / columns;
    return top + above + slot_height * static_cast<double>(row);
  }

  size_t columns, rows;
  double left, above, plot_width, plot_height, slot_width, slot_height, top, bar_x, bar_height,
      width, notes_y, height;
};

int64_t cells_per_side(const SvgStyle& style, size_t maps) {
  const double share =
      static_cast<double>(style.max_cells) / static_cast<double>(std::max<size_t>(maps, 1));
  return std::clamp<int64_t>(static_cast<int64_t>(std::sqrt(share)), 1, style.max_cells_per_side);
}

}  // namespace

std::string svg_document(const SvgDrawing& drawing, const std::string& title) {
  std::string out;
  append(out,
         "<?xml version='1.0' encoding='UTF-8'?>\n"
         "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}' "
         "role='img'>\n"
         "<title>{2}</title>\n",
         px(drawing.width), px(drawing.height),
         svg_escape(title.empty() ? "Attention weights" : title));
  out += R"(<style>
text {
  font-family: "Helvetica Neue", Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif;
  fill: #1f2328;
}
.title { font-weight: 600; }
.axis { fill: #424a53; }
.label, .note { fill: #57606a; }
.tick, .frame { stroke: #8c959f; stroke-width: 0.75; fill: none; }
.cells rect:hover { stroke: #ffffff; stroke-width: 0.12; }
</style>
)";
  out += "<rect width='100%' height='100%' fill='#ffffff'/>\n";
  return out + drawing.body + "</svg>\n";
}

SvgDrawing draw_maps(const HeatMapFigure& figure, const SvgStyle& style) {
  check_figure(figure);
  const size_t shown =
      std::min(figure.maps.size(), static_cast<size_t>(std::max(style.max_maps, 1)));
  const int64_t side = cells_per_side(style, shown);
  std::vector<PooledMap> pooled;
  for (size_t i = 0; i < shown; ++i) pooled.push_back(pool(figure.maps[i].weights, side, side));
  const ValueRange range = range_of(pooled);
  const double cell = choose_cell(figure, pooled);
  std::vector<SvgMap> maps;
  for (size_t i = 0; i < shown; ++i) maps.push_back(lay_out(figure.maps[i], pooled[i], cell));

  const std::vector<std::string> notes = figure_notes(figure, pooled);
  const Page page(maps, !figure.title.empty(), notes.size());
  std::string out;
  if (!figure.title.empty())
    append_text(out, page_margin, page_margin + title_size - 3, title_size, "class='title'",
                shorten(printable(figure.title), 100));
  for (size_t i = 0; i < shown; ++i)
    draw_map(maps[i], range, style, page.map_x(i), page.map_y(i), out);
  draw_colour_bar(range, page.bar_x, page.top + page.above, page.bar_height, out);
  for (size_t i = 0; i < notes.size(); ++i)
    append_text(out, page_margin, page.notes_y + 16 * static_cast<double>(i), label_size,
                "class='note'", notes[i]);
  return {.body = std::move(out), .width = page.width, .height = page.height};
}

std::string draw_as_svg(const HeatMapFigure& figure, const SvgStyle& style) {
  return svg_document(draw_maps(figure, style), figure.title);
}

}  // namespace heed
