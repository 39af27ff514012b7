#include "heed/kernels/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "close.h"
#include "every_target.h"
#include "heed/base/random.h"
#include "heed/kernels/reference/attention.h"

namespace heed {
namespace {

using kernels::AttentionGradients;
using kernels::AttentionHead;
using kernels::KeyRange;
using kernels::MatrixView;
using kernels::ScoreForm;
using kernels::SoftmaxRows;
using testing::close;
using testing::for_every_target;

struct Sizes {
  int64_t queries = 1;
  int64_t keys = 1;
  int64_t width = 1;
  int64_t value_width = 1;
};

// What masks or shifts the scores of a case.
struct Features {
  bool causal = false;
  bool random_ranges = false;
  bool allowed = false;
  bool bias = false;
  bool shared_rows = false;     // masks and biases with a row stride of 0
  bool shared_columns = false;  // and with a column stride of 0
  bool distance_bias = false;
  double dropout = 0.0;
  int64_t row_gap = 0;   // numbers between the rows of every matrix
  int64_t offset = 0;    // of every matrix from an aligned address
  double magnitude = 1;  // of queries and keys
};

// A matrix of random numbers in both precisions.
struct Numbers {
  Numbers(int64_t row_count, int64_t column_count, const Features& features, Rng& rng,
          double magnitude = 1.0)
      : rows(row_count),
        columns(column_count),
        stride(columns + features.row_gap),
        offset(features.offset) {
    floats.resize(static_cast<size_t>(offset + rows * stride));
    for (float& x : floats) x = static_cast<float>(magnitude * rng.uniform(-1.0, 1.0));
    doubles.assign(floats.begin(), floats.end());
  }

  template <typename T>
  MatrixView<T> view() {
    if constexpr (std::is_same_v<T, float>)
      return {floats.data() + offset, rows, columns, stride, 1};
    if constexpr (std::is_same_v<T, double>)
      return {doubles.data() + offset, rows, columns, stride, 1};
  }

  int64_t rows, columns, stride, offset;
  std::vector<float> floats;
  std::vector<double> doubles;
};

template <typename T>
std::vector<double> all_of(MatrixView<T> matrix) {
  std::vector<double> values;
  for (int64_t r = 0; r < matrix.rows; ++r)
    for (int64_t c = 0; c < matrix.columns; ++c)
      values.push_back(static_cast<double>(matrix(r, c)));
  return values;
}

// One attention with all that may be attached to it, in both precisions.
class Case {
 public:
  Case(ScoreForm score_form, const Sizes& all_sizes, const Features& all_features,
       uint64_t seed = 1)
      : form(score_form),
        sizes(all_sizes),
        features(all_features),
        rng_(seed),
        queries(sizes.queries, sizes.width, features, rng_, magnitude()),
        keys(sizes.keys, sizes.width, features, rng_, magnitude()),
        values(sizes.keys, sizes.value_width, features, rng_),
        vector(1, sizes.width, {}, rng_),
        bias(sizes.queries, sizes.keys, features, rng_, 2.0),
        distance_bias(1, std::max<int64_t>(1, sizes.keys), {}, rng_, 2.0),
        output_gradient(sizes.queries, sizes.value_width, features, rng_) {
    for (int64_t i = 0; i < sizes.queries; ++i) {
      if (features.causal) ranges.push_back({0, std::min(i + 1, sizes.keys)});
      if (features.random_ranges) {
        const auto begin = static_cast<int64_t>(rng_.below(static_cast<uint64_t>(sizes.keys + 1)));
        const auto end = static_cast<int64_t>(rng_.below(static_cast<uint64_t>(sizes.keys + 1)));
        // One in three is empty or the wrong way round, which is empty too.
        ranges.push_back(rng_.below(3) == 0 ? KeyRange{begin, std::min(begin, end)}
                                            : KeyRange{std::min(begin, end), std::max(begin, end)});
      }
    }
    allowed.resize(static_cast<size_t>(sizes.queries * sizes.keys));
    for (uint8_t& flag : allowed) flag = static_cast<uint8_t>(rng_.below(3));
    if (!features.shared_rows && !features.shared_columns && sizes.queries > 1)
      std::fill_n(allowed.begin() + static_cast<ptrdiff_t>(sizes.keys), sizes.keys, uint8_t{0});
  }

  template <typename T>
  AttentionHead<T> head() {
    AttentionHead<T> head;
    head.queries = queries.view<T>();
    head.keys = keys.view<T>();
    head.values = values.view<T>();
    head.form = form;
    head.scale = static_cast<T>(0.75f);
    if (form == ScoreForm::additive)
      head.vector = {vector.view<T>().data, static_cast<size_t>(sizes.width)};
    head.ranges = ranges;
    if (features.allowed)
      head.allowed = strided(
          MatrixView<const uint8_t>{allowed.data(), sizes.queries, sizes.keys, sizes.keys, 1});
    if (features.bias) head.bias = strided(MatrixView<const T>(bias.view<T>()));
    if (features.distance_bias) {
      head.distance_bias = {distance_bias.view<T>().data,
                            static_cast<size_t>(distance_bias.columns)};
      head.distance_origin = sizes.keys / 2;
    }
    head.dropout = features.dropout;
    head.dropout_key = make_key(7);
    return head;
  }

  template <typename View>
  View strided(View view) const {
    if (features.shared_rows) view.row_stride = 0;
    if (features.shared_columns) view.column_stride = 0;
    return view;
  }

  ScoreForm form;
  Sizes sizes;
  Features features;

 private:
  // Scores that are sums of many terms would be so large that their own rounding shows in the
  // weights.
  double magnitude() const {
    return features.magnitude * std::min(1.0, 8.0 / std::sqrt(sizes.width));
  }

  Rng rng_;

 public:
  Numbers queries, keys, values, vector, bias, distance_bias, output_gradient;
  std::vector<KeyRange> ranges;
  std::vector<uint8_t> allowed;
};

// Everything that the two passes write. What lies between the rows must stay as it was.
template <typename T>
struct Results {
  explicit Results(const Case& c)
      : rng(99),
        output(c.sizes.queries, c.sizes.value_width, c.features, rng),
        weights(c.sizes.queries, c.sizes.keys, c.features, rng),
        query_gradient(c.sizes.queries, c.sizes.width, c.features, rng),
        key_gradient(c.sizes.keys, c.sizes.width, c.features, rng),
        value_gradient(c.sizes.keys, c.sizes.value_width, c.features, rng),
        bias_gradient(c.sizes.queries, c.sizes.keys, c.features, rng),
        distance_gradient(static_cast<size_t>(c.distance_bias.columns), T{2}),
        vector_gradient(static_cast<size_t>(c.sizes.width), T{3}),
        scale_gradient(1, T{4}),
        largest(static_cast<size_t>(c.sizes.queries)),
        sums(largest.size()) {}

  AttentionGradients<T> gradients(const Case& c) {
    AttentionGradients<T> all;
    all.queries = query_gradient.template view<T>();
    all.keys = key_gradient.template view<T>();
    all.values = value_gradient.template view<T>();
    if (c.features.bias) all.bias = c.strided(bias_gradient.template view<T>());
    if (c.features.distance_bias) all.distance_bias = distance_gradient;
    if (c.form == ScoreForm::additive) {
      all.vector = vector_gradient;
    } else {
      all.scale = scale_gradient;
    }
    return all;
  }

  kernels::SoftmaxRows<T> softmax() { return {largest, sums}; }

  Rng rng;
  Numbers output, weights, query_gradient, key_gradient, value_gradient, bias_gradient;
  std::vector<T> distance_gradient, vector_gradient, scale_gradient, largest, sums;
};

template <typename T>
const std::vector<T>& storage(const Numbers& numbers) {
  if constexpr (std::is_same_v<T, float>) {
    return numbers.floats;
  } else {
    return numbers.doubles;
  }
}

// Compares whole storages, gaps included.
void expect_same(const char* what, const Numbers& fast, const Numbers& plain, double rtol,
                 double atol) {
  EXPECT_TRUE(close(fast.floats, plain.doubles, rtol, atol)) << what;
}

void check(Case& c, double rtol = 2e-5, double atol = 2e-5) {
  Results<double> plain(c);
  reference::attention_forward(c.head<double>(), plain.output.view<double>(), plain.softmax(),
                               plain.weights.view<double>());
  reference::attention_backward(
      c.head<double>(), MatrixView<const double>(plain.output.view<double>()),
      SoftmaxRows<const double>{plain.largest, plain.sums},
      MatrixView<const double>(c.output_gradient.view<double>()), plain.gradients(c));
  for_every_target([&] {
    Results<float> fast(c);
    Results<float> without_weights(c);
    kernels::attention_forward(c.head<float>(), fast.output.view<float>(), fast.softmax(),
                               fast.weights.view<float>());
    kernels::attention_forward(c.head<float>(), without_weights.output.view<float>(),
                               without_weights.softmax());
    EXPECT_EQ(fast.output.floats, without_weights.output.floats);
    kernels::attention_backward(c.head<float>(), fast.output.view<float>(),
                                {fast.largest, fast.sums}, c.output_gradient.view<float>(),
                                fast.gradients(c));
    // Sums over many keys or queries gather more rounding.
    const double more = std::sqrt(static_cast<double>(std::max(c.sizes.queries, c.sizes.keys)));
    expect_same("output", fast.output, plain.output, rtol, atol);
    expect_same("weights", fast.weights, plain.weights, rtol, atol);
    EXPECT_TRUE(close(fast.sums, plain.sums, rtol, atol)) << "sums";
    expect_same("gradient of queries", fast.query_gradient, plain.query_gradient, rtol,
                more * atol);
    expect_same("gradient of keys", fast.key_gradient, plain.key_gradient, rtol, more * atol);
    expect_same("gradient of values", fast.value_gradient, plain.value_gradient, rtol, more * atol);
    expect_same("gradient of bias", fast.bias_gradient, plain.bias_gradient, rtol, more * atol);
    EXPECT_TRUE(close(fast.distance_gradient, plain.distance_gradient, rtol, more * atol))
        << "gradient of distances";
    EXPECT_TRUE(close(fast.vector_gradient, plain.vector_gradient, rtol, more * atol))
        << "gradient of vector";
    EXPECT_TRUE(close(fast.scale_gradient, plain.scale_gradient, rtol, 10 * more * atol))
        << "gradient of scale";
  });
}

struct NamedFeatures {
  const char* name;
  Features features;
};

const NamedFeatures kFeatures[] = {
    {"plain", {}},
    {"causal", {.causal = true}},
    {"ranges", {.random_ranges = true}},
    {"allowed", {.allowed = true}},
    {"allowed_shared_by_queries", {.allowed = true, .shared_rows = true}},
    {"allowed_shared_by_keys", {.allowed = true, .shared_columns = true}},
    {"bias", {.bias = true}},
    {"bias_shared_by_queries", {.bias = true, .shared_rows = true}},
    {"bias_shared_by_keys", {.bias = true, .shared_columns = true}},
    {"distance_bias", {.distance_bias = true}},
    {"dropout", {.dropout = 0.3}},
    {"gaps", {.row_gap = 3}},
    {"misaligned", {.offset = 1}},
    {"causal_bias_dropout", {.causal = true, .bias = true, .dropout = 0.1}},
    {"everything",
     {.random_ranges = true,
      .allowed = true,
      .bias = true,
      .distance_bias = true,
      .dropout = 0.2,
      .row_gap = 5,
      .offset = 3}},
};

// Sizes around the vectors and blocks of every instruction set, long in one dimension at a time.
const Sizes kSizes[] = {
    {1, 1, 1, 1},     {2, 3, 1, 2},       {3, 2, 4, 5},     {7, 9, 3, 1},     {8, 8, 8, 8},
    {16, 16, 32, 32}, {15, 17, 31, 33},   {17, 15, 33, 31}, {31, 33, 16, 17}, {32, 32, 64, 64},
    {33, 31, 15, 63}, {63, 65, 7, 9},     {64, 64, 64, 64}, {65, 63, 65, 5},  {5, 100, 12, 20},
    {100, 5, 20, 12}, {129, 127, 4, 100}, {1, 1000, 8, 3},  {1000, 1, 3, 8},  {2, 3, 1000, 2},
    {3, 2, 2, 1000},  {128, 200, 24, 48},
};

using FormAndFeatures = std::tuple<ScoreForm, NamedFeatures>;

class AttentionTest : public ::testing::TestWithParam<FormAndFeatures> {};

std::string name_of(ScoreForm form) {
  switch (form) {
    case ScoreForm::dot:
      return "dot";
    case ScoreForm::gaussian:
      return "gaussian";
    case ScoreForm::additive:
      return "additive";
  }
  return {};
}

TEST_P(AttentionTest, EqualsPlainLoops) {
  const auto& [form, named] = GetParam();
  for (const Sizes& sizes : kSizes) {
    SCOPED_TRACE(::testing::Message()
                 << sizes.queries << " queries, " << sizes.keys << " keys, width " << sizes.width
                 << ", value width " << sizes.value_width);
    Case c(form, sizes, named.features);
    check(c);
  }
}

INSTANTIATE_TEST_SUITE_P(All, AttentionTest,
                         ::testing::Combine(::testing::Values(ScoreForm::dot, ScoreForm::gaussian,
                                                              ScoreForm::additive),
                                            ::testing::ValuesIn(kFeatures)),
                         [](const ::testing::TestParamInfo<FormAndFeatures>& test) {
                           return name_of(std::get<0>(test.param)) + "_" +
                                  std::get<1>(test.param).name;
                         });

TEST(Attention, KeysFarOutsideOfAWindowAreSkipped) {
  Case c(ScoreForm::dot, {200, 300, 16, 16}, {});
  for (int64_t i = 0; i < 200; ++i)
    c.ranges.push_back({std::max<int64_t>(0, i - 3), std::min<int64_t>(300, i + 4)});
  check(c);
}

TEST(Attention, BlocksOfKeysThatNobodySeesAreSkipped) {
  for (const ScoreForm form : {ScoreForm::dot, ScoreForm::additive}) {
    Case c(form, {70, 1000, 16, 20}, {.bias = true, .distance_bias = true});
    for (int64_t i = 0; i < 70; ++i)
      c.ranges.push_back(i % 3 == 0 ? KeyRange{5, 20} : KeyRange{900 + i, 990});
    check(c);
  }
}

TEST(Attention, LargeScoresDoNotOverflow) {
  // Scores of about ±1e4 leave only the largest: the errors of the scores themselves, about 1e-3,
  // decide between near ones.
  for (const double magnitude : {30.0, 100.0}) {
    Case c(ScoreForm::dot, {40, 70, 64, 16}, {.magnitude = magnitude});
    Results<float> fast(c);
    for_every_target([&] {
      kernels::attention_forward(c.head<float>(), fast.output.view<float>(), fast.softmax());
      kernels::attention_backward(c.head<float>(), fast.output.view<float>(),
                                  {fast.largest, fast.sums}, c.output_gradient.view<float>(),
                                  fast.gradients(c));
      for (const float x : fast.output.floats) EXPECT_LE(std::abs(x), 1.001f);
      for (const float x : fast.query_gradient.floats) EXPECT_TRUE(std::isfinite(x));
      for (const float x : fast.key_gradient.floats) EXPECT_TRUE(std::isfinite(x));
    });
  }
  Case c(ScoreForm::dot, {40, 70, 64, 16}, {.magnitude = 30.0});
  check(c, 2e-2, 2e-2);
}

TEST(Attention, GaussianOfNearPointsFarFromTheOriginDoesNotCancel) {
  Case c(ScoreForm::gaussian, {20, 30, 8, 4}, {});
  for (Numbers* numbers : {&c.queries, &c.keys})
    for (size_t i = 0; i < numbers->floats.size(); ++i) {
      numbers->floats[i] += 1000.0f;
      numbers->doubles[i] = static_cast<double>(numbers->floats[i]);
    }
  check(c);
}

TEST(Attention, BiasOfMinusInfinityMasks) {
  Case c(ScoreForm::dot, {20, 70, 8, 4}, {.bias = true});
  for (int64_t i = 0; i < 20; ++i)
    for (int64_t j = 0; j < 70; ++j)
      if (i == 3 || (i + j) % 3 == 0) {
        c.bias.view<float>()(i, j) = -std::numeric_limits<float>::infinity();
        c.bias.view<double>()(i, j) = -std::numeric_limits<double>::infinity();
      }
  check(c);
}

TEST(Attention, QueriesWithoutKeysGetZeros) {
  Case c(ScoreForm::dot, {3, 5, 4, 4}, {});
  c.ranges = {{0, 5}, {2, 2}, {4, 1}};
  for_every_target([&] {
    Results<float> fast(c);
    kernels::attention_forward(c.head<float>(), fast.output.view<float>(), fast.softmax(),
                               fast.weights.view<float>());
    for (int64_t i = 1; i < 3; ++i) {
      for (int64_t h = 0; h < 4; ++h) EXPECT_EQ(fast.output.view<float>()(i, h), 0.0f);
      for (int64_t j = 0; j < 5; ++j) EXPECT_EQ(fast.weights.view<float>()(i, j), 0.0f);
      EXPECT_EQ(fast.sums[static_cast<size_t>(i)], 0.0f);
    }
    const std::vector<double> before = all_of(fast.query_gradient.view<float>());
    kernels::attention_backward(c.head<float>(), fast.output.view<float>(),
                                {fast.largest, fast.sums}, c.output_gradient.view<float>(),
                                fast.gradients(c));
    const std::vector<double> after = all_of(fast.query_gradient.view<float>());
    for (size_t i = 4; i < 12; ++i) EXPECT_EQ(after[i], before[i]);
  });
}

TEST(Attention, NotANumberIsSeen) {
  for (const bool masked : {false, true}) {
    Case c(ScoreForm::dot, {20, 30, 8, 8}, {.causal = masked});
    c.keys.view<float>()(0, 3) = std::numeric_limits<float>::quiet_NaN();
    for_every_target([&] {
      Results<float> fast(c);
      kernels::attention_forward(c.head<float>(), fast.output.view<float>(), fast.softmax());
      for (const double x : all_of(fast.output.view<float>())) EXPECT_TRUE(std::isnan(x));
    });
  }
}

// Sums of products of 1e20 overflow float, upwards or downwards.
TEST(Attention, ScoresThatOverflowAreSeen) {
  for (const double sign : {1.0, -1.0})
    for (const bool masked : {false, true}) {
      Case c(ScoreForm::dot, {20, 70, 8, 8}, {.causal = masked});
      std::fill(c.queries.floats.begin(), c.queries.floats.end(), 1e20f);
      std::fill(c.keys.floats.begin(), c.keys.floats.end(), static_cast<float>(sign * 1e20));
      for_every_target([&] {
        Results<float> fast(c);
        kernels::attention_forward(c.head<float>(), fast.output.view<float>(), fast.softmax(),
                                   fast.weights.view<float>());
        for (const double x : all_of(fast.output.view<float>())) EXPECT_TRUE(std::isnan(x));
        kernels::attention_backward(c.head<float>(), fast.output.view<float>(),
                                    {fast.largest, fast.sums}, c.output_gradient.view<float>(),
                                    fast.gradients(c));
        for (const double x : all_of(fast.query_gradient.view<float>())) EXPECT_TRUE(std::isnan(x));
      });
    }
}

// However large the scores, the weights that are returned and those of the backward pass add up
// to 1.
TEST(Attention, WeightsOfLargeScoresSumToOne) {
  for (const float score : {1e4f, -1e4f, 1e6f, -1e9f, 1e15f}) {
    Case c(ScoreForm::dot, {3, 100, 1, 1}, {});
    std::fill(c.queries.floats.begin(), c.queries.floats.end(), 1.0f);
    std::fill(c.keys.floats.begin(), c.keys.floats.end(), score);
    std::fill(c.output_gradient.floats.begin(), c.output_gradient.floats.end(), 1.0f);
    for_every_target([&] {
      Results<float> fast(c);
      kernels::attention_forward(c.head<float>(), fast.output.view<float>(), fast.softmax(),
                                 fast.weights.view<float>());
      for (const float weight : fast.weights.floats) EXPECT_NEAR(weight, 0.01f, 1e-8f);
      std::fill(fast.value_gradient.floats.begin(), fast.value_gradient.floats.end(), 0.0f);
      kernels::attention_backward(c.head<float>(), fast.output.view<float>(),
                                  {fast.largest, fast.sums}, c.output_gradient.view<float>(),
                                  fast.gradients(c));
      for (const float gradient : fast.value_gradient.floats) EXPECT_NEAR(gradient, 0.03f, 3e-8f);
    });
  }
}

TEST(Attention, AbsentGradientsChangeNothingElse) {
  Case c(ScoreForm::gaussian, {40, 50, 24, 16},
         {.bias = true, .distance_bias = true, .dropout = 0.2});
  for_every_target([&] {
    Results<float> all(c);
    kernels::attention_forward(c.head<float>(), all.output.view<float>(), all.softmax());
    const auto run = [&](Results<float>& into, const AttentionGradients<float>& gradients) {
      kernels::attention_backward(c.head<float>(), all.output.view<float>(),
                                  {all.largest, all.sums}, c.output_gradient.view<float>(),
                                  gradients);
      (void)into;
    };
    run(all, all.gradients(c));
    Results<float> values(c), queries(c), keys(c), bias(c);
    run(values, {.values = values.value_gradient.view<float>()});
    EXPECT_EQ(values.value_gradient.floats, all.value_gradient.floats);
    run(queries, {.queries = queries.query_gradient.view<float>()});
    EXPECT_EQ(queries.query_gradient.floats, all.query_gradient.floats);
    run(keys, {.keys = keys.key_gradient.view<float>()});
    EXPECT_EQ(keys.key_gradient.floats, all.key_gradient.floats);
    run(bias, {.bias = bias.bias_gradient.view<float>()});
    EXPECT_EQ(bias.bias_gradient.floats, all.bias_gradient.floats);
  });
}

// The loss Σ output ∘ output_gradient of the reference, for finite differences.
double loss_of(Case& c) {
  Results<double> results(c);
  reference::attention_forward(c.head<double>(), results.output.view<double>(), results.softmax());
  double loss = 0;
  const auto output = results.output.view<double>();
  const auto gradient = c.output_gradient.view<double>();
  for (int64_t i = 0; i < output.rows; ++i)
    for (int64_t h = 0; h < output.columns; ++h) loss += output(i, h) * gradient(i, h);
  return loss;
}

void expect_slopes(const char* what, std::span<double> inputs, std::span<const double> gradient,
                   double start, const std::function<double()>& loss) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const double eps = 1e-6;
    const double kept = inputs[i];
    inputs[i] = kept + eps;
    const double above = loss();
    inputs[i] = kept - eps;
    const double below = loss();
    inputs[i] = kept;
    const double slope = (above - below) / (2 * eps);
    EXPECT_NEAR(gradient[i] - start, slope, 1e-6 + 1e-5 * std::abs(slope)) << what << " " << i;
  }
}

TEST_P(AttentionTest, PlainGradientsAreSlopes) {
  const auto& [form, named] = GetParam();
  Features features = named.features;
  features.row_gap = 0;
  features.offset = 0;
  Case c(form, {5, 6, 3, 4}, features);
  Results<double> plain(c);
  for (Numbers* gradient :
       {&plain.query_gradient, &plain.key_gradient, &plain.value_gradient, &plain.bias_gradient})
    std::fill(gradient->doubles.begin(), gradient->doubles.end(), 0.0);
  kernels::attention_forward(c.head<double>(), plain.output.view<double>(), plain.softmax());
  kernels::attention_backward(c.head<double>(), plain.output.view<double>(),
                              {plain.largest, plain.sums}, c.output_gradient.view<double>(),
                              plain.gradients(c));
  const auto loss = [&] { return loss_of(c); };
  expect_slopes("query", c.queries.doubles, plain.query_gradient.doubles, 0, loss);
  expect_slopes("key", c.keys.doubles, plain.key_gradient.doubles, 0, loss);
  expect_slopes("value", c.values.doubles, plain.value_gradient.doubles, 0, loss);
  if (features.bias && !features.shared_rows && !features.shared_columns)
    expect_slopes("bias", c.bias.doubles, plain.bias_gradient.doubles, 0, loss);
  if (features.distance_bias)
    expect_slopes("distance", c.distance_bias.doubles, plain.distance_gradient, 2, loss);
  if (form == ScoreForm::additive)
    expect_slopes("vector", c.vector.doubles, plain.vector_gradient, 3, loss);
}

TEST(Attention, PlainGradientOfTheScaleIsASlope) {
  for (const ScoreForm form : {ScoreForm::dot, ScoreForm::gaussian}) {
    Case c(form, {5, 6, 3, 4}, {.causal = true, .bias = true});
    Results<double> plain(c);
    AttentionHead<double> head = c.head<double>();
    kernels::attention_forward(head, plain.output.view<double>(), plain.softmax());
    std::vector<double> gradient(1, 0.0);
    kernels::attention_backward(head, plain.output.view<double>(), {plain.largest, plain.sums},
                                c.output_gradient.view<double>(), {.scale = gradient});
    const auto loss = [&] {
      Results<double> results(c);
      reference::attention_forward(head, results.output.view<double>(), results.softmax());
      double sum = 0;
      for (size_t i = 0; i < results.output.doubles.size(); ++i)
        sum += results.output.doubles[i] * c.output_gradient.doubles[i];
      return sum;
    };
    expect_slopes("scale", std::span(&head.scale, 1), gradient, 0, loss);
  }
}

}  // namespace
}  // namespace heed
