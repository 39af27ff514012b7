#include "heed/visualisation/table_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "heed/base/text.h"
#include "heed/visualisation/heat_map_svg.h"
#include "heed/visualisation/svg_text.h"

namespace heed {

namespace {

// In pixels.
constexpr double margin = 20, top = 44, row_height = 20, font_size = 12;
constexpr double letter = 7.2;  // wider than most
constexpr double padding = 16, narrowest_number = 62;

template <typename... Args>
void append(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

double width_of(const std::string& text) { return letter * display_width(text) + padding; }

class TableDrawing {
 public:
  explicit TableDrawing(const SvgTable& table) : table_(table) {
    double x = margin;
    for (size_t i = 0; i < table.text_columns.size(); ++i) {
      text_x_.push_back(x);
      double width = width_of(table.text_columns[i]);
      for (const TableRow& row : table.rows) width = std::max(width, width_of(row.texts[i]));
      x += width;
    }
    for (const TableColumn& column : table.columns) {
      number_x_.push_back(x);
      number_width_.push_back(std::max(narrowest_number, width_of(column.name)));
      x += number_width_.back();
    }
    right_ = x;
  }

  SvgDrawing draw() {
    append(out_, "<text class='title' x='{}' y='24' font-size='15'>{}</text>\n", margin,
           svg_escape(table_.title));
    draw_heading();
    double y = top + row_height;
    for (size_t i = 0; i < table_.rows.size(); ++i) {
      if (i == 0 || table_.rows[i].group != table_.rows[i - 1].group)
        append(out_, "<path d='M{} {}H{}' stroke='#8c959f'/>\n", margin, y, right_);
      draw_row(table_.rows[i], y);
      y += row_height;
    }
    SvgDrawing drawing;
    drawing.body = std::move(out_);
    drawing.width = right_ + margin;
    drawing.height = y + margin;
    return drawing;
  }

 private:
  void draw_heading() {
    const double y = top + row_height - 6;
    for (size_t i = 0; i < text_x_.size(); ++i)
      append(out_, "<text class='axis' x='{}' y='{}' font-size='{}'>{}</text>\n", text_x_[i], y,
             font_size, svg_escape(table_.text_columns[i]));
    for (size_t i = 0; i < number_x_.size(); ++i)
      append(out_,
             "<text class='axis' x='{}' y='{}' font-size='{}' text-anchor='end'>"
             "<title>{}</title>{}</text>\n",
             number_x_[i] + number_width_[i] - padding / 2, y, font_size,
             svg_escape(table_.columns[i].help), svg_escape(table_.columns[i].name));
  }

  double largest(size_t column) const {
    double found = 0;
    for (const TableRow& row : table_.rows)
      if (const std::optional<double>& number = row.numbers[column])
        found = std::max(found, std::abs(*number));
    return found;
  }

  void draw_row(const TableRow& row, double y) {
    const double line = y + row_height - 6;
    for (size_t i = 0; i < text_x_.size(); ++i)
      append(out_, "<text class='label' x='{}' y='{}' font-size='{}'>{}</text>\n", text_x_[i], line,
             font_size, svg_escape(row.texts[i]));
    for (size_t i = 0; i < number_x_.size(); ++i) draw_number(row.numbers[i], i, y);
  }

  void draw_number(const std::optional<double>& number, size_t column, double y) {
    const double x = number_x_[column], width = number_width_[column] - padding / 2;
    const double most = largest(column);
    if (number && most > 0)
      append(out_, "<rect fill='#cfe3f7' x='{}' y='{}' width='{:.4g}' height='{}'/>\n",
             x + padding / 4, y + 2, std::abs(*number) / most * (width - padding / 4),
             row_height - 4);
    append(out_, "<text class='label' x='{}' y='{}' font-size='{}' text-anchor='end'>{}</text>\n",
           x + width - 2, y + row_height - 6, font_size,
           number ? fmt::format("{:.3f}", *number) : "–");
  }

  const SvgTable& table_;
  std::vector<double> text_x_, number_x_, number_width_;
  double right_ = 0;
  std::string out_;
};

}  // namespace

std::string draw_table(const SvgTable& table) {
  return svg_document(TableDrawing(table).draw(), table.title);
}

}  // namespace heed
