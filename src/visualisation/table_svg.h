// A table of numbers as an SVG document; a bar behind each number makes a column easy to compare.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heed {

struct TableColumn {
  std::string name;
  std::string help = {};  // shown by a browser over the name
};

struct TableRow {
  std::string group;               // rows of one group stand together, with a line above them
  std::vector<std::string> texts;  // before the numbers
  std::vector<std::optional<double>> numbers;  // of each column; nothing is drawn as –
};

struct SvgTable {
  std::string title;
  std::vector<std::string> text_columns;
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
};

// A whole document. Bars reach from 0 to the largest absolute value of their column.
std::string draw_table(const SvgTable& table);

}  // namespace heed
