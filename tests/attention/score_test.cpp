#include "heed/attention/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "attention_checks.h"
#include "error_of.h"

namespace heed {
namespace {

using testing::all_scores;
using testing::close_tensors;
using testing::error_of;
using testing::random_tensor;

class ScoreTest : public ::testing::Test {
 protected:
  Variable array(std::initializer_list<int64_t> sizes, uint64_t seed = 1) {
    return tape_.watch(random_tensor(Shape(sizes), seed));
  }

  std::string refusal(const Score& score, const Variable& queries, const Variable& keys) {
    return error_of([&] { prepare(score, queries, keys); });
  }

  Tape tape_;
  Variable queries_ = array({3, 4}, 1);
  Variable keys_ = array({5, 4}, 2);
};

TEST_F(ScoreTest, HasANameAndAKindForEveryAlternative) {
  const std::vector<std::string_view> names = {"dot",      "scaled-dot", "bilinear",
                                               "additive", "cosine",     "gaussian"};
  ASSERT_EQ(all_scores.size(), names.size());
  ASSERT_EQ(std::variant_size_v<Score>, names.size());
  const std::vector<Variable> parameters(3);
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(name_of(all_scores[i]), names[i]);
    EXPECT_EQ(kind_of(make_score(all_scores[i], parameters)), all_scores[i]);
  }
}

TEST_F(ScoreTest, DotComparesQueriesAndKeysAsTheyAre) {
  const PreparedScore score = prepare(Dot{}, queries_, keys_);
  EXPECT_EQ(score.form, kernels::ScoreForm::dot);
  EXPECT_EQ(score.scale, 1.0);
  EXPECT_TRUE(close_tensors(score.queries.value(), queries_.value(), 0, 0));
  EXPECT_TRUE(close_tensors(score.keys.value(), keys_.value(), 0, 0));
}

TEST_F(ScoreTest, ScaledDotDividesByTheRootOfTheWidth) {
  EXPECT_DOUBLE_EQ(prepare(ScaledDot{}, queries_, keys_).scale, 0.5);
  EXPECT_DOUBLE_EQ(prepare(ScaledDot{}, array({3, 9}), array({2, 9})).scale, 1.0 / 3.0);
}

TEST_F(ScoreTest, BilinearBringsQueriesToTheWidthOfTheKeys) {
  const Variable weight = tape_.watch(Tensor::of({4, 2}, {1, 0, 0, 1, 2, 0, 0, 0}));
  const Variable queries = tape_.watch(Tensor::of({1, 4}, {1, 2, 3, 4}));
  const PreparedScore score = prepare(Bilinear{weight}, queries, array({5, 2}));
  EXPECT_TRUE(close_tensors(score.queries.value(), Tensor::of({1, 2}, {7, 2})));
  EXPECT_EQ(score.form, kernels::ScoreForm::dot);
  EXPECT_EQ(score.scale, 1.0);
}

TEST_F(ScoreTest, AdditiveProjectsBothSides) {
  const Variable query_weight = tape_.watch(Tensor::of({2, 1}, {1, 2}));
  const Variable key_weight = tape_.watch(Tensor::of({2, 3}, {1, 0, 0, 0, 0, -1}));
  const Variable value_weight = array({2});
  const PreparedScore score =
      prepare(Additive{query_weight, key_weight, value_weight},
              tape_.watch(Tensor::of({1, 1}, {3})), tape_.watch(Tensor::of({1, 3}, {4, 5, 6})));
  EXPECT_EQ(score.form, kernels::ScoreForm::additive);
  EXPECT_TRUE(close_tensors(score.queries.value(), Tensor::of({1, 2}, {3, 6})));
  EXPECT_TRUE(close_tensors(score.keys.value(), Tensor::of({1, 2}, {4, -6})));
  EXPECT_TRUE(close_tensors(score.vector.value(), value_weight.value(), 0, 0));
}

TEST_F(ScoreTest, CosineBringsRowsToLengthOneAndLeavesZero) {
  const Variable queries = tape_.watch(Tensor::of({2, 2}, {3, 4, 0, 0}));
  const PreparedScore score = prepare(Cosine{}, queries, array({5, 2}));
  EXPECT_TRUE(close_tensors(score.queries.value(), Tensor::of({2, 2}, {0.6f, 0.8f, 0, 0})));
  for (int64_t row = 0; row < 5; ++row)
    EXPECT_NEAR(std::hypot(score.keys.value()[2 * row], score.keys.value()[2 * row + 1]), 1.0,
                1e-6);
}

TEST_F(ScoreTest, GaussianTurnsTheBandwidthIntoAScale) {
  const Variable bandwidth = tape_.watch(Tensor::full({1}, 2.0));
  const PreparedScore score = prepare(Gaussian{bandwidth}, queries_, keys_);
  EXPECT_EQ(score.form, kernels::ScoreForm::gaussian);
  EXPECT_DOUBLE_EQ(score.scale, 1.0 / 8.0);
  EXPECT_TRUE(score.bandwidth.present());
  EXPECT_DOUBLE_EQ(prepare(Gaussian{tape_.watch(Tensor::full({}, -2.0))}, queries_, keys_).scale,
                   1.0 / 8.0);
}

TEST_F(ScoreTest, RefusesWidthsThatDiffer) {
  const Variable narrow = array({5, 3});
  EXPECT_EQ(refusal(Dot{}, queries_, narrow),
            "attend: the dot score has query width 4 but key width 3");
  EXPECT_EQ(refusal(ScaledDot{}, queries_, narrow),
            "attend: the scaled-dot score has query width 4 but key width 3");
  EXPECT_EQ(refusal(Cosine{}, queries_, narrow),
            "attend: the cosine score has query width 4 but key width 3");
  EXPECT_EQ(refusal(Gaussian{array({1})}, queries_, narrow),
            "attend: the gaussian score has query width 4 but key width 3");
}

TEST_F(ScoreTest, RefusesBilinearWeightsThatDoNotFit) {
  EXPECT_EQ(refusal(Bilinear{}, queries_, keys_), "attend: the bilinear weight is missing");
  EXPECT_EQ(refusal(Bilinear{array({4, 3})}, queries_, keys_),
            "attend: the bilinear weight has shape (4, 3) but (4, 4) was expected");
  const Variable exact = tape_.watch(random_tensor({4, 4}, 3).to(Type::float64));
  EXPECT_EQ(refusal(Bilinear{exact}, queries_, keys_),
            "attend: the bilinear weight has type float64 but the queries float32");
}

TEST_F(ScoreTest, RefusesAdditiveWeightsThatDoNotFit) {
  const Variable query_weight = array({6, 4}), key_weight = array({6, 4}),
                 value_weight = array({6});
  EXPECT_EQ(refusal(Additive{query_weight, key_weight, {}}, queries_, keys_),
            "attend: the additive value weight is missing");
  EXPECT_EQ(refusal(Additive{{}, key_weight, value_weight}, queries_, keys_),
            "attend: the additive query weight is missing");
  EXPECT_EQ(refusal(Additive{query_weight, {}, value_weight}, queries_, keys_),
            "attend: the additive key weight is missing");
  EXPECT_EQ(refusal(Additive{query_weight, key_weight, array({6, 1})}, queries_, keys_),
            "attend: the additive value weight has shape (6, 1) but (hidden) was expected");
  EXPECT_EQ(refusal(Additive{array({0, 4}), array({0, 4}), array({0})}, queries_, keys_),
            "attend: the additive value weight has shape (0) but (hidden) was expected");
  EXPECT_EQ(refusal(Additive{array({5, 4}), key_weight, value_weight}, queries_, keys_),
            "attend: the additive query weight has shape (5, 4) but (6, 4) was expected");
  EXPECT_EQ(refusal(Additive{query_weight, array({6, 3}), value_weight}, queries_, keys_),
            "attend: the additive key weight has shape (6, 3) but (6, 4) was expected");
  const Variable exact = tape_.watch(random_tensor({6}, 3).to(Type::float64));
  EXPECT_EQ(refusal(Additive{query_weight, key_weight, exact}, queries_, keys_),
            "attend: the additive value weight has type float64 but the queries float32");
}

TEST_F(ScoreTest, RefusesBandwidthsThatAreNone) {
  EXPECT_EQ(refusal(Gaussian{}, queries_, keys_), "attend: the gaussian bandwidth is missing");
  EXPECT_EQ(refusal(Gaussian{array({2})}, queries_, keys_),
            "attend: the gaussian bandwidth has shape (2) but one number was expected");
  EXPECT_EQ(refusal(Gaussian{tape_.watch(Tensor::full({1}, 1.0, Type::float64))}, queries_, keys_),
            "attend: the gaussian bandwidth has type float64 but the queries float32");
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  for (const double bandwidth : {0.0, 1e-30, not_a_number}) {
    EXPECT_TRUE(refusal(Gaussian{tape_.watch(Tensor::full({1}, bandwidth))}, queries_, keys_)
                    .starts_with("attend: a gaussian bandwidth of"))
        << bandwidth;
  }
}

}  // namespace
}  // namespace heed
