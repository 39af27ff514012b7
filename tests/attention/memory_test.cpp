#include "heed/attention/memory.h"

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

TEST(KeyValueMemory, AnswersAKeyWithItsValue) {
  // Far apart in the direction of a query, so that the closest key has nearly all the weight.
  KeyValueMemory memory(Tensor::of({3, 2}, {10, 0, 0, 10, -10, 0}), Tensor::of({3, 1}, {1, 2, 3}));
  Tape tape;
  const Variable queries = tape.constant(Tensor::of({3, 2}, {10, 0, 0, 10, -10, 0}));
  const Attended found = memory.look_up(queries, Dot{});
  EXPECT_TRUE(close_tensors(found.output.value(), Tensor::of({3, 1}, {1, 2, 3})));
  EXPECT_TRUE(close_tensors(found.weights, Tensor::of({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1})));
  EXPECT_EQ(memory.entries(), 3);
}

TEST(KeyValueMemory, AnswersBetweenKeysWithAMixture) {
  KeyValueMemory memory(Tensor::of({2, 1}, {-1, 1}), Tensor::of({2, 1}, {0, 8}));
  Tape tape;
  const Attended found = memory.look_up(tape.constant(Tensor::of({1, 1}, {0})));
  EXPECT_TRUE(close_tensors(found.output.value(), Tensor::of({1, 1}, {4})));
}

TEST(KeyValueMemory, LearnsItsKeysAndValues) {
  for (const ScoreKind kind : all_scores) {
    std::vector<Tensor> given = {random_tensor({2, 3}, 1), random_tensor({4, 3}, 2),
                                 random_tensor({4, 2}, 3)};
    for (const Tensor& parameter : score_parameters(kind, 3, 3)) given.push_back(parameter);
    const GradientCheckResult result =
        check_gradients(given, [&](Tape&, const std::vector<Variable>& inputs) {
          // Watching the same numbers again gives the variables of the check.
          const KeyValueMemory memory(inputs[1].value(), inputs[2].value());
          return memory.look_up(inputs[0], make_score(kind, std::span(inputs).subspan(3))).output;
        });
    EXPECT_TRUE(result.passed) << name_of(kind) << ": " << result.complaint;
  }
}

TEST(KeyValueMemory, ShowsItsGradientsByItsTensors) {
  KeyValueMemory memory(random_tensor({4, 3}, 1), random_tensor({4, 2}, 2));
  Tape tape;
  const Attended found = memory.look_up(tape.constant(random_tensor({5, 3}, 3)));
  tape.backward(found.output, Tensor::full({5, 2}, 1.0));
  EXPECT_EQ(tape.gradient_of(memory.keys()).shape(), (Shape{4, 3}));
  EXPECT_EQ(tape.gradient_of(memory.values()).shape(), (Shape{4, 2}));
}

TEST(KeyValueMemory, RefusesWhatDoesNotPairUp) {
  EXPECT_EQ(error_of([] {
              KeyValueMemory(Tensor::zeros({3, 2}), Tensor::zeros({4, 2}));
            }),
            "memory: keys (3, 2) and values (4, 2) do not pair up");
  EXPECT_EQ(error_of([] {
              KeyValueMemory(Tensor::zeros({3}), Tensor::zeros({3, 2}));
            }),
            "memory: keys (3) and values (3, 2) do not pair up");
  const KeyValueMemory memory(Tensor::zeros({3, 2}), Tensor::zeros({3, 1}));
  Tape tape;
  EXPECT_EQ(error_of([&] {
              memory.look_up(tape.constant(Tensor::zeros({1, 4})));
            }),
            "attend: the scaled-dot score has query width 4 but key width 2");
}

}  // namespace
}  // namespace heed
