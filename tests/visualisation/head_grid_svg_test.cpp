#include "heed/visualisation/head_grid_svg.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed {
namespace {

size_t count(const std::string& text, const std::string& what) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++found;
  return found;
}

HeadGrid grid_of(int64_t queries, int64_t keys) {
  const Tensor weights = [&] {
    Tensor all = Tensor::full({queries, keys}, 0.1);
    all.span<float>()[0] = 0.9f;
    return all;
  }();
  HeatMap map{"", weights, {}, {}};
  for (int64_t i = 0; i < queries; ++i) map.query_labels.push_back("query" + std::to_string(i));
  for (int64_t i = 0; i < keys; ++i) map.key_labels.push_back("key" + std::to_string(i));
  return {.large = {"Cross <2>", {map}},
          .layers = 2,
          .heads = 3,
          .weights = [weights](int64_t, int64_t) { return weights; },
          .name = [](int64_t layer,
                     int64_t head) { return "</svg>" + std::to_string(10 * layer + head); },
          .layer = 2,
          .head = 3};
}

TEST(HeadGridSvg, HasASmallMapOfEachHeadAndFramesTheLargeOne) {
  const std::string svg = draw_head_grid(grid_of(3, 4));
  EXPECT_EQ(count(svg, "<g class='small'"), 6);
  EXPECT_EQ(count(svg, "stroke-width='3'"), 1);
  EXPECT_GT(svg.find("stroke-width='3'"), svg.find("&lt;/svg&gt;23"));
  for (const char* const label : {">Layer 2<", ">Head 3<", ">query2<", ">key3<", ">Weight<"})
    EXPECT_NE(svg.find(label), std::string::npos) << label;
  EXPECT_EQ(count(svg, "<svg"), 1);
  EXPECT_EQ(count(svg, "</svg>"), 1);
}

TEST(HeadGridSvg, RefersToNothingElse) {
  const std::string svg = draw_head_grid(grid_of(3, 4));
  EXPECT_EQ(count(svg, "http"), 1);  // the name space
  EXPECT_EQ(count(svg, "href"), 0);
}

TEST(HeadGridSvg, LabelsEveryWordOfSixty) {
  const std::string svg = draw_head_grid(grid_of(60, 60));
  for (int i = 0; i < 60; ++i) {
    EXPECT_NE(svg.find(">query" + std::to_string(i) + "<"), std::string::npos) << i;
    EXPECT_NE(svg.find(">key" + std::to_string(i) + "<"), std::string::npos) << i;
  }
  EXPECT_LT(svg.size(), 2'000'000);
}

}  // namespace
}  // namespace heed
