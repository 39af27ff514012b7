#include "heed/visualisation/heat_map_terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "heed/base/text.h"
#include "heed/visualisation/colour_map.h"

namespace heed {

namespace {

constexpr int narrowest = 48;

std::string spaces(int count) { return std::string(static_cast<size_t>(std::max(count, 0)), ' '); }

std::string left_aligned(const std::string& text, int width) {
  return text + spaces(width - display_width(text));
}
std::string right_aligned(const std::string& text, int width) {
  return spaces(width - display_width(text)) + text;
}

void append_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

bool is_coloured(Ink ink) { return ink == Ink::palette || ink == Ink::truecolour; }

// The character and, for coloured inks, the colour for a position on the scale.
std::string_view glyph(Ink ink, double unit) {
  constexpr std::array<std::string_view, 10> digits = {".", "1", "2", "3", "4",
                                                       "5", "6", "7", "8", "9"};
  constexpr std::array<std::string_view, 5> shades = {" ", "░", "▒", "▓", "█"};
  const auto at = [unit](const auto& steps) {
    return steps[static_cast<size_t>(std::lround(unit * static_cast<double>(steps.size() - 1)))];
  };
  switch (ink) {
    case Ink::digits:
      return at(digits);
    case Ink::shades:
      return at(shades);
    case Ink::palette:
    case Ink::truecolour:
      return " ";
  }
  __builtin_unreachable();
}

std::string background(Ink ink, double unit) {
  const Colour colour = colour_at(unit);
  if (ink == Ink::palette) return fmt::format("\x1b[48;5;{}m", palette_index(colour));
  return fmt::format("\x1b[48;2;{};{};{}m", colour.red, colour.green, colour.blue);
}

// A row of cells, each `cell_width` columns wide.
std::string draw_cells(Ink ink, std::span<const double> units, int cell_width) {
  std::string out;
  std::string current;  // the background that is set
  for (const double unit : units) {
    if (is_coloured(ink)) {
      const std::string wanted = background(ink, unit);
      if (wanted != current) out += wanted;
      current = wanted;
    }
    const std::string_view cell = glyph(ink, unit);
    // Digits are read, shades are seen: one digit per cell, but shades fill the cell.
    for (int column = 0; column < cell_width; ++column)
      out += ink == Ink::digits && column > 0 ? " " : cell;
  }
  if (!current.empty()) out += "\x1b[0m";
  return out;
}

// Labels made safe and short; numbers if there are none or if a cell stands for several.
std::vector<std::string> axis_labels(const std::vector<std::string>& labels, const Blocks& cells,
                                     int width) {
  std::vector<std::string> shown;
  for (int64_t cell = 0; cell < cells.number; ++cell)
    shown.push_back(labels.empty() || cells.size > 1 ? std::to_string(cell * cells.size)
                                                     : shorten(printable(labels[cell]), width));
  return shown;
}

int widest(const std::vector<std::string>& labels) {
  int width = 0;
  for (const std::string& label : labels) width = std::max(width, display_width(label));
  return width;
}

// One map, laid out for a width.
class TerminalMap {
 public:
  TerminalMap(const HeatMap& map, const TerminalStyle& style)
      : ink_(style.ink), query_axis_(style.query_axis), key_axis_(style.key_axis) {
    const int width = std::max(style.width, narrowest);
    const int label_limit = width / 3;
    query_labels_ =
        axis_labels(map.query_labels, Blocks(map.weights.shape()[0], style.max_rows), label_limit);
    margin_ = std::max(widest(query_labels_), display_width(query_axis_)) + 1;
    const int available = width - margin_;
    const Blocks columns(map.weights.shape()[1], available);
    key_labels_ = axis_labels(map.key_labels, columns, label_limit);
    numbered_keys_ = map.key_labels.empty() || columns.size > 1;
    pooled_ = pool(map.weights, style.max_rows, available);
    choose_cell_width(available);
  }

  const PooledMap& pooled() const { return pooled_; }

  void draw(const ValueRange& range, std::string& out) const {
    append_line(out, spaces(margin_) + key_axis_);
    draw_key_labels(out);
    std::vector<double> units(static_cast<size_t>(pooled_.columns));
    for (int64_t row = 0; row < pooled_.rows; ++row) {
      for (int64_t column = 0; column < pooled_.columns; ++column)
        units[column] = range.unit(pooled_.mean(row, column));
      const std::string& label = query_labels_[row];
      append_line(out,
                  right_aligned(label, margin_ - 1) + " " + draw_cells(ink_, units, cell_width_));
    }
  }

 private:
  // As wide as the labels if they fit, otherwise two columns (about a square), otherwise one.
  void choose_cell_width(int available) {
    const auto columns = static_cast<int>(pooled_.columns);
    for (const int width : {std::max(2, widest(key_labels_) + 1), 2, 1}) {
      cell_width_ = width;
      if (columns * width <= available) return;
    }
  }

  void draw_key_labels(std::string& out) const {
    if (widest(key_labels_) < cell_width_ || numbered_keys_)
      append_line(out, corner() + labels_in_a_line());
    else
      draw_upright_labels(out);
  }

  std::string corner() const { return left_aligned(query_axis_, margin_); }

  // Each label at the left of its cell, or only every second, third... if they would touch.
  std::string labels_in_a_line() const {
    const int stride = widest(key_labels_) / cell_width_ + 1;
    const int width = cell_width_ * static_cast<int>(pooled_.columns);
    std::string line;
    for (size_t cell = 0; cell < key_labels_.size(); cell += static_cast<size_t>(stride)) {
      const int begin = static_cast<int>(cell) * cell_width_;
      if (begin + display_width(key_labels_[cell]) > width) break;
      line = left_aligned(line, begin) + key_labels_[cell];
    }
    return line;
  }

  // Labels wider than their cells are written from top to bottom.
  void draw_upright_labels(std::string& out) const {
    constexpr size_t tallest = 12;
    std::vector<std::vector<std::string>> letters;
    size_t height = 0;
    for (const std::string& label : key_labels_) {
      letters.push_back(split_letters(label, tallest));
      height = std::max(height, letters.back().size());
    }
    for (size_t line = 0; line < height; ++line) {
      std::string text = line + 1 == height ? corner() : spaces(margin_);
      for (const std::vector<std::string>& label : letters) {
        const size_t above = height - label.size();  // the labels stand on the map
        text += left_aligned(line < above ? std::string() : label[line - above], cell_width_);
      }
      append_line(out, text);
    }
  }

  // Characters with the marks that combine with them. A character that does not fit its cell
  // becomes "*".
  std::vector<std::string> split_letters(std::string_view label, size_t limit) const {
    std::vector<std::string> letters;
    while (!label.empty()) {
      const std::string_view before = label;
      const std::optional<char32_t> character = take_character(label);
      const std::string bytes(before.substr(0, before.size() - label.size()));
      const int width = character ? display_width(*character) : 1;
      if (width == 0 && !letters.empty())
        letters.back() += bytes;
      else if (width > 0)
        letters.push_back(width > cell_width_ ? "*" : bytes);
    }
    if (letters.size() > limit) {
      letters.resize(limit - 1);
      letters.emplace_back("…");
    }
    return letters;
  }

  Ink ink_;
  std::string query_axis_, key_axis_;
  PooledMap pooled_;
  std::vector<std::string> query_labels_;
  std::vector<std::string> key_labels_;
  bool numbered_keys_ = false;
  int margin_ = 0;  // columns to the left of the cells
  int cell_width_ = 1;
};

std::string legend(Ink ink, const ValueRange& range) {
  constexpr int steps = 16;
  const std::string low = fmt::format("{:.3g}", range.low);
  const std::string high = fmt::format("{:.3g}", range.high);
  if (ink == Ink::digits) return fmt::format("Weight: . is {}, 9 is {}", low, high);
  if (ink == Ink::shades) return fmt::format("Weight: {} \"{}\" {}", low, " ░▒▓█", high);
  std::vector<double> ramp;
  for (int step = 0; step < steps; ++step) ramp.push_back(step / (steps - 1.0));
  return fmt::format("Weight: {} {} {}", low, draw_cells(ink, ramp, 1), high);
}

}  // namespace

std::string draw_for_terminal(const HeatMapFigure& figure, const TerminalStyle& style) {
  check_figure(figure);
  const size_t shown =
      std::min(figure.maps.size(), static_cast<size_t>(std::max(style.max_maps, 1)));
  std::vector<TerminalMap> maps;
  std::vector<PooledMap> pooled;
  for (size_t i = 0; i < shown; ++i) {
    maps.emplace_back(figure.maps[i], style);
    pooled.push_back(maps.back().pooled());
  }
  const ValueRange range = range_of(pooled);

  const int width = std::max(style.width, narrowest);
  std::string out;
  if (!figure.title.empty()) append_line(out, shorten(printable(figure.title), width));
  for (size_t i = 0; i < shown; ++i) {
    if (!out.empty()) out += '\n';
    if (!figure.maps[i].title.empty())
      append_line(out, shorten(printable(figure.maps[i].title), width));
    maps[i].draw(range, out);
  }
  if (!out.empty()) out += '\n';
  append_line(out, legend(style.ink, range));
  for (const std::string& note : figure_notes(figure, pooled)) append_line(out, note);
  return out;
}

}  // namespace heed
