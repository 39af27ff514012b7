#include "heed/visualisation/learning_curves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heed {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(LearningCurves, DrawsACurveForEachNameAndAChartForEachTitle) {
  const std::string svg =
      draw_curves("run", {{"Loss", {{"training", {{1, 3}, {2, 2}}}, {"validation", {{2, 2.5}}}}},
                          {"BLEU", {{"BLEU", {{1, 10}, {2, 20}}}}}});
  EXPECT_EQ(count(svg, "<polyline"), 3u);
  EXPECT_EQ(count(svg, "<g "), 2u);
  EXPECT_NE(svg.find("BLEU: 20 at step 2"), std::string::npos);
}

TEST(LearningCurves, NamesTheHorizontalAxisOfEachChart) {
  const std::string svg = draw_curves("run", {{"L", {{"l", {{1, 3}}}}}, {"B", {{"b", {{1, 10}}}}}});
  EXPECT_EQ(count(svg, ">step</text>"), 2u) << svg;
}

TEST(LearningCurves, LeavesOutChartsWithoutPoints) {
  const std::string svg =
      draw_curves("run", {{"Loss", {{"training", {{1, 3}}}}}, {"BLEU", {{"BLEU", {}}}}});
  EXPECT_EQ(count(svg, "<g "), 1u);
  EXPECT_EQ(svg.find("BLEU"), std::string::npos);
}

TEST(LearningCurves, LeavesOutWhatIsNoNumberOrHasNoLogarithm) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const std::string svg =
      draw_curves("run", {{"P", {{"p", {{1, nothing}, {2, -1}, {3, 10}, {4, 100}}}}, true}});
  EXPECT_EQ(count(svg, "<circle"), 2u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

// Marks that differ by less than a rounding would never reach the end of their scale.
TEST(LearningCurves, EndAlsoWhereNumbersAreAlmostEqualOrEnormous) {
  const double more = std::nextafter(4.0, 5.0), huge = 9.2e18;
  for (const auto& [low, high] : {std::pair{4.0, more},
                                  {-more, -4.0},
                                  {huge, huge + 2048},
                                  {1e-320, 1.0},
                                  {-1.7e308, 1.7e308},
                                  {1e-99, 9e99}})
    for (const bool logarithmic : {false, true}) {
      const Curve curve = {"c", {{1, low}, {2, high}}}, turned = {"c", {{low, 1}, {high, 2}}};
      for (const Curve& either : {curve, turned}) {
        const std::string svg = draw_curves("run", {{"C", {either}, logarithmic}});
        EXPECT_LT(svg.size(), 100'000u) << low << " to " << high;
        EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
        EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
      }
    }
}

// The first point stands at the left end, the lowest at the bottom; one point alone is drawn as
// well.
TEST(LearningCurves, PlacesPointsBetweenTheEndsOfTheirScales) {
  const std::string svg = draw_curves("run", {{"L", {{"l", {{0, 5}, {10, 1}}}}}});
  EXPECT_NE(svg.find("points='62.0,44.0 362.0,186.0'"), std::string::npos) << svg;
  EXPECT_EQ(count(draw_curves("run", {{"L", {{"l", {{7, 7}}}}}}), "<circle"), 1u);
}

TEST(LearningCurves, MarksALogarithmicScaleHoweverShort) {
  const auto grid_lines = [](double low, double high) {
    return count(draw_curves("run", {{"P", {{"p", {{1, low}, {2, high}}}}, true}}), "class='grid'");
  };
  EXPECT_EQ(grid_lines(1, 100), 7u);
  EXPECT_GE(grid_lines(133, 188), 4u);
  EXPECT_GE(grid_lines(90, 110), 4u);
}

TEST(LearningCurves, EscapesNames) {
  EXPECT_NE(draw_curves("a<b", {{"x&y", {{"l", {{0, 5}, {10, 1}}}}}}).find("x&amp;y"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
