#include "heed/visualisation/table_svg.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

SvgTable small_table() {
  return {.title = "Heads <of> a model",
          .text_columns = {"Head", "Role"},
          .columns = {{.name = "Entropy", .help = "In \"bits\""}, {.name = "Change"}},
          .rows = {{.group = "a", .texts = {"a:1", "mixed"}, .numbers = {2.0, -0.5}},
                   {.group = "a", .texts = {"a:2", "aligns"}, .numbers = {0.5, std::nullopt}},
                   {.group = "b", .texts = {"b:1", "mixed"}, .numbers = {1.0, 0.25}}}};
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

// The widths of all bars.
std::vector<double> bars(const std::string& svg) {
  std::vector<double> widths;
  const std::string mark = "<rect fill='#cfe3f7'";
  for (size_t at = 0; (at = svg.find(mark, at)) != std::string::npos; at += mark.size())
    widths.push_back(std::stod(svg.substr(svg.find("width='", at) + 7)));
  return widths;
}

TEST(TableSvg, HasEveryCellAndALineAboveEachGroup) {
  const std::string svg = draw_table(small_table());
  for (const char* const text :
       {">a:1<", ">aligns<", ">2.000<", ">-0.500<", ">0.250<", ">–<", ">Role<", "</title>Entropy<"})
    EXPECT_EQ(count(svg, text), 1) << text;
  EXPECT_EQ(count(svg, "<path "), 2);
}

TEST(TableSvg, BarsReachToTheLargestOfTheirColumn) {
  const std::vector<double> widths = bars(draw_table(small_table()));
  ASSERT_EQ(widths.size(), 5);  // row by row
  EXPECT_NEAR(widths[2], widths[0] / 4, 0.1);
  EXPECT_NEAR(widths[3], widths[0] / 2, 0.1);
  EXPECT_NEAR(widths[4], widths[1] / 2, 0.1);
}

TEST(TableSvg, TextIsEscaped) {
  const std::string svg = draw_table(small_table());
  EXPECT_EQ(svg.find("<of>"), std::string::npos);
  EXPECT_NE(svg.find("Heads &lt;of&gt; a model"), std::string::npos);
}

TEST(TableSvg, AColumnOfZerosHasNoBars) {
  SvgTable table = small_table();
  for (TableRow& row : table.rows) row.numbers = {0.0, 0.0};
  EXPECT_TRUE(bars(draw_table(table)).empty());
}

}  // namespace
}  // namespace heed
