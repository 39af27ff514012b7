#include "heed/attention/pooling.h"

#include <gtest/gtest.h>

#include "attention_checks.h"
#include "error_of.h"

namespace heed {
namespace {

using testing::all_scores;
using testing::close_tensors;
using testing::error_of;
using testing::random_tensor;
using testing::score_parameters;

// Three sequences; the second is empty.
const Ragged layout({2, 0, 3});
const Tensor tokens = Tensor::of({5, 2}, {1, 8, 3, 4, 6, 0, 0, 0, 3, -9});

TEST(Pooling, ByMeanAveragesEachSequence) {
  Tape tape;
  EXPECT_TRUE(close_tensors(mean_pooling(tape.constant(tokens), layout).value(),
                            Tensor::of({3, 2}, {2, 6, 0, 0, 3, -3})));
}

TEST(Pooling, ByMaximumTakesTheLargestOfEachColumn) {
  Tape tape;
  EXPECT_TRUE(close_tensors(max_pooling(tape.constant(tokens), layout).value(),
                            Tensor::of({3, 2}, {3, 8, 0, 0, 6, 0})));
}

TEST(Pooling, ByTheFirstTakesTheFirstTokenOfEachSequence) {
  Tape tape;
  const Variable x = tape.watch(tokens);
  const Variable first = first_pooling(x, Ragged({2, 3}));
  EXPECT_TRUE(close_tensors(first.value(), Tensor::of({2, 2}, {1, 8, 6, 0}), 0, 0));
  tape.backward(first, Tensor::of({2, 2}, {1, 2, 3, 4}));
  EXPECT_TRUE(
      close_tensors(x.gradient(), Tensor::of({5, 2}, {1, 2, 0, 0, 3, 4, 0, 0, 0, 0}), 0, 0));
  EXPECT_EQ(error_of([&] { first_pooling(x, layout); }), "first_pooling: sequence 1 is empty");
}

TEST(Pooling, ByMaximumGivesTheGradientToTheFirstOfEquals) {
  Tape tape;
  const Variable x = tape.watch(tokens);
  tape.backward(max_pooling(x, layout), Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(
      close_tensors(x.gradient(), Tensor::of({5, 2}, {0, 2, 1, 0, 5, 6, 0, 0, 0, 0}), 0, 0));
}

TEST(Pooling, GradientsOfMeanAndMaximum) {
  using Pool = Variable (*)(const Variable&, const Ragged&);
  for (const Pool pool : {Pool(mean_pooling), Pool(max_pooling)}) {
    const GradientCheckResult result = check_gradients(
        {random_tensor({5, 3}, 1)},
        [&](Tape&, const std::vector<Variable>& inputs) { return pool(inputs[0], layout); });
    EXPECT_TRUE(result.passed) << result.complaint;
  }
}

TEST(Pooling, ByAQueryOfZerosIsTheMean) {
  Tape tape;
  const Variable x = tape.constant(tokens);
  EXPECT_TRUE(close_tensors(learned_pooling(x, layout, tape.constant(Tensor::zeros({2}))).value(),
                            mean_pooling(x, layout).value()));
}

TEST(Pooling, ByALargeQueryPicksTheTokenThatAnswersIt) {
  Tape tape;
  const Variable query = tape.constant(Tensor::of({2}, {0, 100}));
  EXPECT_TRUE(close_tensors(
      learned_pooling(tape.constant(tokens), layout, query, Dot{}).value().slice(0, 1),
      Tensor::of({1, 2}, {1, 8})));
}

TEST(Pooling, GradientsOfALearnedQueryWithEveryScore) {
  for (const ScoreKind kind : all_scores) {
    std::vector<Tensor> given = {random_tensor({5, 3}, 1), random_tensor({3}, 2)};
    for (const Tensor& parameter : score_parameters(kind, 3, 3)) given.push_back(parameter);
    const GradientCheckResult result =
        check_gradients(given, [&](Tape&, const std::vector<Variable>& inputs) {
          return learned_pooling(inputs[0], layout, inputs[1],
                                 make_score(kind, std::span(inputs).subspan(2)));
        });
    EXPECT_TRUE(result.passed) << name_of(kind) << ": " << result.complaint;
  }
}

TEST(Pooling, TheWeightsOfASequenceAddUpToOneAndToItsVector) {
  Tape tape;
  const Variable x = tape.constant(tokens), query = tape.constant(Tensor::of({2}, {0.5f, -1}));
  const Tensor weights = learned_pooling_weights(x, layout, query);
  const Tensor pooled = learned_pooling(x, layout, query).value();
  ASSERT_EQ(weights.shape(), (Shape{5}));
  for (int64_t s = 0; s < layout.sequences(); ++s) {
    double sum = 0, first = 0;
    for (int64_t t = layout.begin(s); t < layout.end(s); ++t) {
      sum += weights[t];
      first += weights[t] * tokens[2 * t];
    }
    EXPECT_NEAR(sum, layout.length(s) > 0 ? 1 : 0, 1e-6);
    EXPECT_NEAR(first, pooled[2 * s], 1e-5);
  }
}

TEST(Pooling, OfNoSequencesGivesNoRows) {
  Tape tape;
  const Variable none = tape.constant(Tensor::zeros({0, 2}));
  EXPECT_EQ(mean_pooling(none, Ragged()).shape(), (Shape{0, 2}));
  EXPECT_EQ(max_pooling(none, Ragged()).shape(), (Shape{0, 2}));
  EXPECT_EQ(learned_pooling(none, Ragged(), tape.constant(Tensor::zeros({2}))).shape(),
            (Shape{0, 2}));
}

TEST(Pooling, RefusesWhatDoesNotFit) {
  Tape tape;
  const Variable x = tape.constant(Tensor::zeros({4, 2})),
                 query = tape.constant(Tensor::zeros({2}));
  EXPECT_EQ(error_of([&] { mean_pooling(x, layout); }),
            "mean_pooling: shape (4, 2) but (5, width) was expected");
  EXPECT_EQ(error_of([&] { max_pooling(x, layout); }),
            "max_pooling: shape (4, 2) but (5, width) was expected");
  EXPECT_EQ(error_of([&] { learned_pooling(x, layout, query); }),
            "learned_pooling: shape (4, 2) but (5, width) was expected");
  EXPECT_EQ(error_of([&] {
              learned_pooling(tape.constant(tokens), layout, tape.constant(Tensor::zeros({1, 2})));
            }),
            "learned_pooling: a query of shape (1, 2) but (width) was expected");
}

}  // namespace
}  // namespace heed
