#include "heed/runs/dumped_weights.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;

struct RankCase {
  std::string name;
  Shape given, expected;
};

class DumpedArrayOf : public ::testing::TestWithParam<RankCase> {};

TEST_P(DumpedArrayOf, HasFiveAxes) {
  const DumpedArray array = dumped_array("a", Tensor::zeros(GetParam().given));
  EXPECT_EQ(array.weights.shape(), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Ranks, DumpedArrayOf,
                         ::testing::Values(RankCase{"Two", {2, 3}, {1, 1, 1, 2, 3}},
                                           RankCase{"Three", {4, 2, 3}, {1, 1, 4, 2, 3}},
                                           RankCase{"Four", {5, 4, 2, 3}, {1, 5, 4, 2, 3}},
                                           RankCase{"Five", {6, 5, 4, 2, 3}, {6, 5, 4, 2, 3}}),
                         [](const auto& each) { return each.param.name; });

TEST(DumpedWeights, OfOtherRanksAreRefused) {
  EXPECT_EQ(error_of([] { dumped_array("a", Tensor::zeros({3})); }),
            "array \"a\" has shape (3) but 2 to 5 axes were expected: (batch, layers, heads, "
            "queries, keys), or the last of these");
  EXPECT_EQ(error_of([] {
              dumped_array("a", Tensor::zeros({0, 3}));
            }),
            "array \"a\" has shape (0, 3), so there is nothing to show");
}

std::vector<DumpedArray> two_of_a_batch() {
  return {dumped_array("a", Tensor::full({2, 1, 2, 1, 2}, 0.5))};
}

TEST(DumpedWeights, LabelsAreForAllOrForEachOfTheBatch) {
  std::vector<DumpedArray> arrays = two_of_a_batch();
  label_dumped_weights(arrays, R"({"queries": ["q"], "keys": [["a", "b"], ["c", "d"]]})", "f");
  EXPECT_EQ(arrays[0].labels[1].queries, std::vector<std::string>{"q"});
  EXPECT_EQ(arrays[0].labels[1].keys, (std::vector<std::string>{"c", "d"}));
  arrays = two_of_a_batch();
  label_dumped_weights(arrays, R"({"a": {"queries": ["r"], "keys": ["a", "b"]}})", "f");
  EXPECT_EQ(arrays[0].labels[0].queries, std::vector<std::string>{"r"});
}

TEST(DumpedWeights, LabelsThatDoNotFitAreRefused) {
  const auto error = [](const char* json) {
    return error_of([&] {
      std::vector<DumpedArray> arrays = two_of_a_batch();
      label_dumped_weights(arrays, json, "f");
    });
  };
  EXPECT_EQ(error("["), "f: is not an object of JSON with labels");
  EXPECT_EQ(error("{}"), "f: a list of labels named \"queries\" is missing");
  EXPECT_EQ(error(R"({"queries": ["a", "b"]})"), "f: 2 labels of \"queries\" but there are 1");
  EXPECT_EQ(error(R"({"queries": [7]})"), "f: \"queries\" has a label that is no text");
  EXPECT_EQ(error(R"({"queries": [["a"]], "keys": ["a", "b"]})"),
            "f: \"queries\" has labels for 1 of a larger batch");
}

TEST(DumpedWeights, ThePageHasASentenceForEachOfTheBatch) {
  const AttentionPage page = dumped_page(two_of_a_batch(), "t");
  ASSERT_EQ(page.sentences.size(), 2);
  EXPECT_EQ(page.sentences[1].parts[0].heads, 2);
  EXPECT_EQ(page.sentences[1].tokens[1].pieces, (std::vector<std::string>{"0", "1"}));
}

TEST(DumpedWeights, AFigureHasTheHeadsThatAreAskedFor) {
  EXPECT_EQ(dumped_figure(two_of_a_batch(), "t", {}, {}).maps.size(), 2);
  const HeatMapFigure one = dumped_figure(two_of_a_batch(), "t", 1, 2);
  ASSERT_EQ(one.maps.size(), 1);
  EXPECT_EQ(one.maps[0].title, "a, layer 1, head 2");
  EXPECT_EQ(error_of([] { dumped_figure(two_of_a_batch(), "t", 2, {}); }),
            "attention: no array has layer 2, head 1");
}

}  // namespace
}  // namespace heed
