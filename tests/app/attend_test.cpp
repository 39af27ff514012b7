#include "heed/app/cli/attend.h"

#include <gtest/gtest.h>

#include <cmath>

#include "close.h"
#include "error_of.h"
#include "heed/base/random.h"

namespace heed {
namespace {

Tensor random_tensor(Shape shape, uint64_t seed, Type type = Type::float64) {
  Rng rng(seed);
  Tensor tensor = Tensor::zeros(shape, Type::float64);
  for (double& value : tensor.span<double>()) value = rng.normal();
  return tensor.to(type);
}

AttendInput random_input(const Shape& queries, const Shape& keys, const Shape& values, Type type) {
  AttendInput input;
  input.queries = random_tensor(queries, 1, type);
  input.keys = random_tensor(keys, 2, type);
  input.values = random_tensor(values, 3, type);
  return input;
}

double sum_of(const Tensor& tensor) {
  double sum = 0;
  for (int64_t i = 0; i < tensor.elements(); ++i) sum += tensor[i];
  return sum;
}

TEST(Attend, ComputesTheDefinition) {
  AttendInput input = random_input({3, 4}, {5, 4}, {5, 2}, Type::float64);
  input.valid_lengths = {4};
  const AttendResult result = run_attend(input, {}, "in");
  ASSERT_EQ(result.output.shape(), (Shape{3, 2}));
  ASSERT_EQ(result.weights.shape(), (Shape{3, 5}));
  for (int64_t i = 0; i < 3; ++i) {
    std::vector<double> weights(5, 0.0);
    double sum = 0;
    for (int64_t j = 0; j < 4; ++j) {
      double score = 0;
      for (int64_t d = 0; d < 4; ++d) score += input.queries[i * 4 + d] * input.keys[j * 4 + d];
      weights[static_cast<size_t>(j)] = std::exp(score / 2);
      sum += weights[static_cast<size_t>(j)];
    }
    for (int64_t d = 0; d < 2; ++d) {
      double expected = 0;
      for (int64_t j = 0; j < 5; ++j)
        expected += weights[static_cast<size_t>(j)] / sum * input.values[j * 2 + d];
      EXPECT_NEAR(result.output[i * 2 + d], expected, 1e-12);
    }
    for (int64_t j = 0; j < 5; ++j)
      EXPECT_NEAR(result.weights[i * 5 + j], weights[static_cast<size_t>(j)] / sum, 1e-12);
  }
}

// The gradients of Σ output · g against differences, for every score: the names and the order of
// the parameters are right only if each gradient belongs to its array.
TEST(Attend, GradientsBelongToTheirArrays) {
  struct Case {
    ScoreKind kind;
    std::vector<std::pair<std::string, Shape>> parameters;
    int64_t key_width = 4;
  };
  const Case cases[] = {
      {ScoreKind::dot, {}},
      {ScoreKind::scaled_dot, {}},
      {ScoreKind::cosine, {}},
      {ScoreKind::gaussian, {{"score.bandwidth", {}}}},
      {ScoreKind::bilinear, {{"score.weight", {4, 3}}}, 3},
      {ScoreKind::additive,
       {{"score.query.weight", {6, 4}}, {"score.key.weight", {6, 3}}, {"score.value.weight", {6}}},
       3},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(name_of(test.kind));
    AttendInput input = random_input({2, 3, 4}, {2, 5, test.key_width}, {2, 5, 2}, Type::float64);
    input.output_gradient = random_tensor({2, 3, 2}, 4);
    input.valid_lengths = {5, 2};
    for (const auto& [name, shape] : test.parameters)
      input.parameters.emplace_back(name, random_tensor(shape, 5 + input.parameters.size()));
    const AttendOptions options{.score = test.kind, .causal = true};
    const AttendResult result = run_attend(input, options, "in");
    const auto loss = [&] {
      const AttendResult again = run_attend(input, options, "in");
      double sum = 0;
      for (int64_t i = 0; i < again.output.elements(); ++i)
        sum += again.output[i] * input.output_gradient[i];
      return sum;
    };
    std::vector<std::pair<std::string, Tensor>> arrays = {
        {"queries", input.queries}, {"keys", input.keys}, {"values", input.values}};
    arrays.insert(arrays.end(), input.parameters.begin(), input.parameters.end());
    ASSERT_EQ(result.gradients.size(), arrays.size());
    for (size_t a = 0; a < arrays.size(); ++a) {
      auto& [name, array] = arrays[a];
      EXPECT_EQ(result.gradients[a].first, name + ".gradient");
      ASSERT_EQ(result.gradients[a].second.shape(), array.shape());
      for (int64_t i = 0; i < array.elements(); ++i) {
        double& element = array.data<double>()[i];
        const double before = element;
        element = before + 1e-6;
        const double above = loss();
        element = before - 1e-6;
        const double below = loss();
        element = before;
        EXPECT_NEAR(result.gradients[a].second[i], (above - below) / 2e-6, 1e-6)
            << name << " element " << i;
      }
    }
  }
}

TEST(Attend, ShapesOfTheWeights) {
  const auto weights_shape = [](const Shape& q, const Shape& k, int64_t heads) {
    return run_attend(random_input(q, k, k, Type::float32), {.heads = heads}, "in").weights.shape();
  };
  EXPECT_EQ(weights_shape({3, 4}, {5, 4}, 1), (Shape{3, 5}));
  EXPECT_EQ(weights_shape({3, 4}, {5, 4}, 2), (Shape{2, 3, 5}));
  EXPECT_EQ(weights_shape({2, 3, 4}, {2, 5, 4}, 1), (Shape{2, 3, 5}));
  EXPECT_EQ(weights_shape({2, 3, 4}, {2, 5, 4}, 4), (Shape{2, 4, 3, 5}));
  EXPECT_EQ(weights_shape({2, 6, 3, 4}, {2, 6, 5, 4}, 1), (Shape{2, 6, 3, 5}));
  EXPECT_EQ(weights_shape({2, 6, 3, 4}, {2, 6, 5, 4}, 6), (Shape{2, 6, 3, 5}));
  EXPECT_EQ(weights_shape({2, 6, 3, 4}, {2, 3, 5, 4}, 1),
            (Shape{2, 6, 3, 5}));  // groups of two share keys
}

TEST(Attend, MasksWork) {
  AttendInput input = random_input({6, 4}, {6, 4}, {6, 4}, Type::float32);
  const Tensor window = run_attend(input, {.window = 1}, "in").weights;
  const Tensor causal = run_attend(input, {.causal = true}, "in").weights;
  const Tensor both = run_attend(input, {.causal = true, .window = 1}, "in").weights;
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 6; ++j) {
      EXPECT_EQ(window[i * 6 + j] > 0, std::abs(i - j) <= 1);
      EXPECT_EQ(causal[i * 6 + j] > 0, j <= i);
      EXPECT_EQ(both[i * 6 + j] > 0, j <= i && i - j <= 1);
    }
  auto mask = std::make_shared<BooleanMask>();
  mask->shape = Shape{6, 6};
  mask->allowed.assign(36, 0);
  mask->allowed[7] = 1;
  input.allowed = mask;
  const AttendResult masked = run_attend(input, {}, "in");
  EXPECT_EQ(sum_of(masked.weights), 1);  // one row sees one key, the others see none
  EXPECT_EQ(masked.weights[7], 1);
  EXPECT_EQ(masked.output[0], 0);
}

TEST(Attend, WithoutAnyKeyThereAreZerosEverywhere) {
  AttendInput input = random_input({2, 3, 4}, {2, 5, 4}, {2, 5, 2}, Type::float32);
  input.output_gradient = random_tensor({2, 3, 2}, 4, Type::float32);
  input.valid_lengths = {0, 0};
  const AttendResult result = run_attend(input, {}, "in");
  for (const Tensor& tensor : {result.output, result.weights, result.gradients[0].second,
                               result.gradients[1].second, result.gradients[2].second})
    for (int64_t i = 0; i < tensor.elements(); ++i) EXPECT_EQ(tensor[i], 0);
}

TEST(Attend, WeightsAreLeftOutIfNotWanted) {
  const AttendInput input = random_input({3, 4}, {5, 4}, {5, 2}, Type::float32);
  EXPECT_FALSE(run_attend(input, {.want_weights = false}, "in").weights.present());
}

TEST(Attend, OverflowIsSaid) {
  AttendInput input = random_input({3, 4}, {5, 4}, {5, 2}, Type::float32);
  input.output_gradient = Tensor::full({3, 2}, 1e30);
  input.values.fill(1e37);
  input.values.data<float>()[0] = -1e37f;
  EXPECT_EQ(testing::error_of([&] { run_attend(input, {}, "in"); }),
            "in: numbers so large that \"queries.gradient\" overflows float32");
  input.queries.fill(1e30);
  input.keys.fill(1e30);
  EXPECT_EQ(testing::error_of([&] { run_attend(input, {}, "in"); }),
            "in: numbers so large that the scores overflow float32");
}

TEST(Attend, NoScoreExceedsItsBound) {
  AttendInput input = random_input({6, 4}, {6, 4}, {6, 4}, Type::float64);
  double largest_dot = 0, largest_distance = 0, largest_bilinear = 0;
  const Tensor weight = random_tensor({4, 4}, 7);
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 6; ++j) {
      double dot = 0, distance = 0, bilinear = 0;
      for (int64_t d = 0; d < 4; ++d) {
        dot += input.queries[i * 4 + d] * input.keys[j * 4 + d];
        distance += std::pow(input.queries[i * 4 + d] - input.keys[j * 4 + d], 2);
        for (int64_t e = 0; e < 4; ++e)
          bilinear += input.queries[i * 4 + d] * weight[d * 4 + e] * input.keys[j * 4 + e];
      }
      largest_dot = std::max(largest_dot, std::abs(dot));
      largest_distance = std::max(largest_distance, distance);
      largest_bilinear = std::max(largest_bilinear, std::abs(bilinear));
    }
  EXPECT_GE(score_bound(input, ScoreKind::dot), largest_dot);
  EXPECT_GE(score_bound(input, ScoreKind::cosine), 1);
  input.parameters = {{"score.bandwidth", Tensor::full({}, 0.1, Type::float64)}};
  EXPECT_GE(score_bound(input, ScoreKind::gaussian), largest_distance / (2 * 0.01));
  input.parameters = {{"score.weight", weight}};
  EXPECT_GE(score_bound(input, ScoreKind::bilinear), largest_bilinear);
  input.parameters = {{"score.query.weight", weight},
                      {"score.key.weight", weight},
                      {"score.value.weight", Tensor::full({4}, -3, Type::float64)}};
  EXPECT_GE(score_bound(input, ScoreKind::additive), 12);
}

TEST(Attend, TheFigureNamesHeadsAndSequences) {
  const auto titles = [](const Shape& shape, int64_t heads) {
    const AttendInput input = random_input(shape, shape, shape, Type::float32);
    const AttendOptions options{.score = ScoreKind::dot, .heads = heads};
    const HeatMapFigure figure = attend_figure(input, options, run_attend(input, options, "in"));
    EXPECT_EQ(figure.title, "Attention weights, dot score");
    std::vector<std::string> names;
    for (const HeatMap& map : figure.maps) names.push_back(map.title);
    return names;
  };
  EXPECT_EQ(titles({3, 4}, 2), (std::vector<std::string>{"Head 0", "Head 1"}));
  EXPECT_EQ(titles({2, 3, 4}, 1), (std::vector<std::string>{"Batch 0", "Batch 1"}));
  EXPECT_EQ(titles({1, 2, 3, 4}, 1), (std::vector<std::string>{"Head 0", "Head 1"}));
}

}  // namespace
}  // namespace heed
