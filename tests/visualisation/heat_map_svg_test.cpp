#include "heed/visualisation/heat_map_svg.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "heed/visualisation/colour_map.h"

namespace heed {
namespace {

int64_t count(std::string_view text, std::string_view part) {
  int64_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

int64_t cells(std::string_view svg) { return count(svg, "<rect x="); }

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Every element that is opened is closed in its turn, and what is between the marks is escaped.
bool is_well_formed(std::string_view svg) {
  std::vector<std::string_view> open;
  size_t at = svg.find("?>") + 2;
  while ((at = svg.find('<', at)) != svg.npos) {
    const size_t end = svg.find('>', at);
    if (end == svg.npos) return false;
    const std::string_view tag = svg.substr(at + 1, end - at - 1);
    at = end;
    if (contains(tag, "<")) return false;
    if (tag.ends_with('/')) continue;
    const std::string_view name = tag.substr(0, tag.find_first_of(" \n"));
    if (!name.starts_with('/')) {
      open.push_back(name);
      continue;
    }
    if (open.empty() || open.back() != name.substr(1)) return false;
    open.pop_back();
  }
  return open.empty();
}

const HeatMapFigure small = {"Small",
                             {{"", Tensor::of({2, 3}, {1, 0.5f, 0, 0, 0.1f, 0.75f}), {}, {}}}};

TEST(HeatMapSvg, HasWhatAFigureNeeds) {
  const std::string svg = draw_as_svg(small);
  EXPECT_TRUE(svg.starts_with(
      "<?xml version='1.0' encoding='UTF-8'?>\n<svg xmlns='http://www.w3.org/2000/svg' "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(cells(svg), 6);
  for (const char* text : {">Small</text>", ">Queries</text>", ">Keys</text>", ">Weight</text>"})
    EXPECT_TRUE(contains(svg, text)) << text;
}

TEST(HeatMapSvg, ACellTellsItsWeight) {
  HeatMapFigure figure = small;
  const std::string svg = draw_as_svg(figure);
  EXPECT_TRUE(contains(svg, "<title>Query 1, key 1: 0.1</title>"));
  EXPECT_TRUE(contains(svg, "<title>Query 0, key 2: 0</title>"));
  figure.maps[0].query_labels = {"das", "Haus"};
  figure.maps[0].key_labels = {"the", "old", "house"};
  EXPECT_TRUE(contains(draw_as_svg(figure), "<title>Query 1 “Haus”, key 2 “house”: 0.75</title>"));
}

TEST(HeatMapSvg, ColoursFollowTheWeights) {
  const std::string svg = draw_as_svg(small);
  EXPECT_TRUE(contains(
      svg, "<rect x='0' y='0' width='1' height='1' fill='" + hex_text(colour_at(1)) + "'>"));
  EXPECT_TRUE(contains(
      svg, "<rect x='1' y='0' width='1' height='1' fill='" + hex_text(colour_at(0.5)) + "'>"));
  EXPECT_TRUE(contains(
      svg, "<rect x='2' y='0' width='1' height='1' fill='" + hex_text(colour_at(0)) + "'>"));
}

TEST(HeatMapSvg, TheColourBarHasRoundNumbers) {
  const std::string svg = draw_as_svg(small);
  const std::string bar = svg.substr(svg.find("class='bar'"));
  for (const char* number : {">0<", ">0.5<", ">1<"}) EXPECT_TRUE(contains(bar, number)) << number;
  EXPECT_FALSE(contains(bar, ">-0<"));
}

TEST(HeatMapSvg, EscapesForeignText) {
  HeatMapFigure figure = small;
  figure.title = "<script>alert('x')</script>";
  figure.maps[0].title = "a & b";
  figure.maps[0].query_labels = {"</text>", "\"quoted\""};
  figure.maps[0].key_labels = {"]]>", "\x1b[31m", "\xFF\uFFFF"};
  const std::string svg = draw_as_svg(figure, {.query_axis = "<q>", .key_axis = "<k>"});
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_FALSE(contains(svg, "<script"));
  EXPECT_TRUE(contains(svg, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
  EXPECT_TRUE(contains(svg, ">a &amp; b</text>"));
  EXPECT_TRUE(contains(svg, ">&lt;/text&gt;</text>"));
  EXPECT_TRUE(contains(svg, "&quot;quoted&quot;"));
  EXPECT_TRUE(contains(svg, ">\\x1b[31m</text>"));
  EXPECT_TRUE(contains(svg, "\uFFFD\uFFFD"));
  EXPECT_FALSE(contains(svg, "\x1b"));
  EXPECT_FALSE(contains(svg, "\uFFFF"));
}

TEST(HeatMapSvg, DrawsEveryMap) {
  const std::string svg = draw_as_svg(heat_map_figure("", Tensor::full({2, 3, 4, 5}, 0.2)));
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(cells(svg), 2 * 3 * 4 * 5);
  EXPECT_EQ(count(svg, ">Keys</text>"), 6);
  EXPECT_TRUE(contains(svg, ">Batch 1, head 2</text>"));
  EXPECT_EQ(count(svg, ">Weight</text>"), 1);
}

TEST(HeatMapSvg, LargeMapsAreAveragedAndSaySo) {
  const std::string svg = draw_as_svg({"", {{"", Tensor::full({300, 1000}, 0.25), {}, {}}}});
  EXPECT_EQ(cells(svg), 150 * 250);
  EXPECT_TRUE(contains(svg, ">Each cell is the mean of 2 × 4 weights.</text>"));
  EXPECT_TRUE(contains(svg, "<title>Query 298 to 299, key 996 to 999: mean 0.25</title>"));
}

TEST(HeatMapSvg, ManyMapsShareTheCells) {
  const std::string svg = draw_as_svg(heat_map_figure("", Tensor::zeros({70, 100, 100})));
  EXPECT_LE(cells(svg), 65536);
  EXPECT_TRUE(contains(svg, ">These are the first 64 of 70 maps.</text>"));
  EXPECT_TRUE(contains(svg, ">Each cell is the mean of 4 × 4 weights.</text>"));
}

TEST(HeatMapSvg, LongAxesHaveFewNumbers) {
  const std::string svg = draw_as_svg({"", {{"", Tensor::zeros({200, 200}), {}, {}}}});
  EXPECT_LT(count(svg, "class='label'"), 50);
  EXPECT_TRUE(contains(svg, ">100</text>"));
}

TEST(HeatMapSvg, EmptyMapsAreHarmless) {
  for (const Shape& shape : {Shape{0, 0}, Shape{0, 3}, Shape{3, 0}})
    EXPECT_TRUE(is_well_formed(draw_as_svg({"", {{"", Tensor::zeros(shape), {}, {}}}})));
  EXPECT_TRUE(is_well_formed(draw_as_svg({"", {}})));
}

}  // namespace
}  // namespace heed
