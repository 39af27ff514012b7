#include "heed/visualisation/heat_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/error.h"

namespace heed {
namespace {

std::string sentence(const HeatMapFigure& figure) {
  try {
    check_figure(figure);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(HeatMap, CutsWeightsIntoMaps) {
  Tensor weights = Tensor::zeros({2, 3, 4, 5});
  weights.data<float>()[(1 * 3 + 2) * 20 + 7] = 0.5f;  // batch 1, head 2, query 1, key 2
  const HeatMapFigure figure = heat_map_figure("All", weights);
  ASSERT_EQ(figure.maps.size(), 6u);
  EXPECT_EQ(figure.title, "All");
  EXPECT_EQ(figure.maps[0].title, "Batch 0, head 0");
  EXPECT_EQ(figure.maps[5].title, "Batch 1, head 2");
  EXPECT_EQ(figure.maps[5].weights.shape(), (Shape{4, 5}));
  EXPECT_EQ(figure.maps[5].weights[7], 0.5);
  EXPECT_EQ(figure.maps[4].weights[7], 0.0);
}

TEST(HeatMap, TitlesSayNoMoreThanNeeded) {
  EXPECT_EQ(heat_map_figure("", Tensor::zeros({4, 5})).maps.at(0).title, "");
  EXPECT_EQ(heat_map_figure("", Tensor::zeros({1, 4, 5})).maps.at(0).title, "");
  EXPECT_EQ(heat_map_figure("", Tensor::zeros({2, 4, 5})).maps.at(1).title, "Batch 1");
  EXPECT_EQ(heat_map_figure("", Tensor::zeros({1, 2, 4, 5})).maps.at(1).title, "Head 1");
  EXPECT_THROW(heat_map_figure("", Tensor::zeros({5})), Error);
  EXPECT_THROW(heat_map_figure("", Tensor::zeros({1, 1, 1, 4, 5})), Error);
}

TEST(HeatMap, ChecksWhatItIsGiven) {
  const Tensor weights = Tensor::zeros({2, 3});
  EXPECT_EQ(sentence({"", {{"", weights, {}, {}}}}), "no error");
  EXPECT_EQ(sentence({"", {{"", weights, {"a"}, {}}}}), "heat map: 1 query labels but 2 queries");
  EXPECT_EQ(sentence({"", {{"", weights, {}, {"a", "b"}}}}), "heat map: 2 key labels but 3 keys");
  EXPECT_EQ(sentence({"", {{"", Tensor::zeros({2}), {}, {}}}}),
            "heat map: shape (2) but (queries, keys) was expected");
  EXPECT_EQ(sentence({"", {{"", Tensor::of({1, 2}, {1, NAN}), {}, {}}}}),
            "heat map: weight nan at (0, 1) is not finite");
}

TEST(HeatMap, PoolsByAveraging) {
  const Tensor weights = Tensor::of({3, 5}, {1, 2, 3, 4, 5,  //
                                             3, 4, 5, 6, 7,  //
                                             8, 8, 9, 9, 1});
  const PooledMap pooled = pool(weights, 2, 3);
  EXPECT_EQ(pooled.rows, 2);
  EXPECT_EQ(pooled.columns, 3);
  EXPECT_EQ(pooled.queries_per_row, 2);
  EXPECT_EQ(pooled.keys_per_column, 2);
  EXPECT_EQ(pooled.means, (std::vector<double>{2.5, 4.5, 6, 8, 9, 1}));
}

TEST(HeatMap, SmallMapsAreNotPooled) {
  const PooledMap pooled = pool(Tensor::of({2, 2}, {1, 2, 3, 4}), 2, 2);
  EXPECT_EQ(pooled.means, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(pool(Tensor::zeros({0, 4}), 2, 2).rows, 0);
  EXPECT_EQ(pool(Tensor::zeros({4, 0}), 2, 2).columns, 0);
}

TEST(HeatMap, NoMoreBlocksThanAsked) {
  for (int64_t count = 0; count < 300; ++count)
    for (int64_t most : {1, 2, 7, 64, 256}) {
      const Blocks blocks(count, most);
      EXPECT_LE(blocks.number, most);
      EXPECT_GE(blocks.number * blocks.size, count);
      EXPECT_LT((blocks.number - 1) * blocks.size, std::max<int64_t>(count, 1));
    }
}

TEST(HeatMap, TheRangeBeginsAtZeroUnlessAValueIsNegative) {
  const auto range = [](std::initializer_list<float> values) {
    const PooledMap map =
        pool(Tensor::of({1, static_cast<int64_t>(values.size())}, values), 99, 99);
    return range_of(std::span(&map, 1));
  };
  EXPECT_EQ(range({0.25f, 0.5f}).low, 0);
  EXPECT_EQ(range({0.25f, 0.5f}).high, 0.5);
  EXPECT_EQ(range({-1, 0.5f}).low, -1);
  EXPECT_EQ(range({0, 0}).high, 1);
}

TEST(HeatMap, UnitsStayWithinBounds) {
  const double largest = std::numeric_limits<double>::max();
  const ValueRange huge{-largest, largest};
  EXPECT_EQ(huge.unit(-largest), 0);
  EXPECT_EQ(huge.unit(0), 0.5);
  EXPECT_EQ(huge.unit(largest), 1);
  const ValueRange tiny{0, std::numeric_limits<double>::denorm_min()};
  EXPECT_GE(tiny.unit(tiny.high), 0);
  EXPECT_LE(tiny.unit(tiny.high), 1);
  EXPECT_EQ((ValueRange{0, 1}.unit(7)), 1);
  EXPECT_EQ((ValueRange{0, 1}.unit(-7)), 0);
}

TEST(HeatMap, StepsAreRound) {
  EXPECT_DOUBLE_EQ(round_step(1), 1);
  EXPECT_DOUBLE_EQ(round_step(1.2), 2);
  EXPECT_DOUBLE_EQ(round_step(4), 5);
  EXPECT_DOUBLE_EQ(round_step(60), 100);
  EXPECT_DOUBLE_EQ(round_step(0.03), 0.05);
}

TEST(HeatMap, NotesTellWhatIsNotShown) {
  const HeatMapFigure figure = heat_map_figure("", Tensor::zeros({3, 8, 8}));
  const auto notes = [&](std::vector<PooledMap> drawn) { return figure_notes(figure, drawn); };
  const PooledMap whole = pool(figure.maps[0].weights, 8, 8);
  const PooledMap half = pool(figure.maps[0].weights, 4, 8);
  EXPECT_EQ(notes({whole, whole, whole}), std::vector<std::string>{});
  EXPECT_EQ(notes({half, half, half}),
            std::vector<std::string>{"Each cell is the mean of 2 × 1 weights."});
  EXPECT_EQ(notes({whole, half, whole}),
            std::vector<std::string>{"Each cell of \"Batch 1\" is the mean of 2 × 1 weights."});
  EXPECT_EQ(notes({whole}), std::vector<std::string>{"These are the first 1 of 3 maps."});
}

}  // namespace
}  // namespace heed
