// One step of the cell against its formulas, written out in plain loops.
#include "heed/attention/attentive_cell.h"

#include <gtest/gtest.h>

#include <cmath>

#include "close.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::random_tensor;
using heed::testing::values_of;
using Row = std::vector<double>;

constexpr int64_t hidden = 3, context = 2, rows = 2;
const Ragged source({2, 3});

// A GRU of one layer with a scaled dot score, and the memory of one step.
struct Step {
  Tensor keys = random_tensor({5, hidden}, 1), values = random_tensor({5, context}, 2);
  AttentiveWeights weights = {
      .layers = {{.input_weight = random_tensor({3 * hidden, context + 1}, 3),
                  .hidden_weight = random_tensor({3 * hidden, hidden}, 4),
                  .input_bias = random_tensor({3 * hidden}, 5),
                  .hidden_bias = random_tensor({3 * hidden}, 6)}},
      .score_scale = 0.5};
  Tensor previous = random_tensor({rows, hidden}, 7),
         input_gates = random_tensor({rows, 3 * hidden}, 8);
  Tensor gates = Tensor::zeros({rows, 3 * hidden}),
         hidden_gates = Tensor::zeros({rows, 3 * hidden});
  Tensor states = Tensor::zeros({rows, hidden}), found_weights = Tensor::zeros({rows, 3}),
         contexts = Tensor::zeros({rows, context});

  void run(bool attends, std::vector<int64_t> sentences) {
    gates.copy_from(input_gates);
    AttentiveSource<float> attended{{}, {}, source};
    if (attends) {
      attended.keys = std::as_const(keys).matrix<float>();
      attended.values = std::as_const(values).matrix<float>();
    }
    StepRows<float> step{.layers = {{.previous = std::as_const(previous).matrix<float>(),
                                     .previous_cells = {},
                                     .input = {},
                                     .gates = gates.matrix<float>(),
                                     .hidden_gates = hidden_gates.matrix<float>(),
                                     .states = states.matrix<float>(),
                                     .cells = {}}},
                         .sentences = std::move(sentences),
                         .queries = {},
                         .weights = found_weights.matrix<float>(),
                         .contexts = contexts.matrix<float>()};
    AttentiveCell<float>(weights, context).step(attended, step);
  }
};

Row row_values(const Tensor& tensor, int64_t row) { return values_of(tensor.slice(row, row + 1)); }

// The attention weights of a state over a sentence.
Row expected_weights(const Step& step, int64_t row, int64_t sentence) {
  Row weights;
  double sum = 0;
  const Row query = row_values(step.previous, row);
  for (int64_t t = source.begin(sentence); t < source.end(sentence); ++t) {
    const Row key = row_values(step.keys, t);
    double score = 0;
    for (size_t i = 0; i < query.size(); ++i) score += query[i] * key[i];
    weights.push_back(std::exp(0.5 * score));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

Row expected_context(const Step& step, const Row& weights, int64_t sentence) {
  Row result(context, 0.0);
  for (size_t t = 0; t < weights.size(); ++t) {
    const Row value = row_values(step.values, source.begin(sentence) + static_cast<int64_t>(t));
    for (size_t c = 0; c < result.size(); ++c) result[c] += weights[t] * value[c];
  }
  return result;
}

// The GRU's new state; its gates are reset, update and candidate.
Row expected_state(const Step& step, int64_t row, const Row& given_context) {
  const RecurrentWeights& layer = step.weights.layers.front();
  const Row previous = row_values(step.previous, row), input = row_values(step.input_gates, row);
  const auto from_input = [&](int64_t gate) {
    double sum = input[static_cast<size_t>(gate)];
    for (int64_t c = 0; c < context; ++c)
      sum += layer.input_weight[gate * (context + 1) + c] * given_context[static_cast<size_t>(c)];
    return sum;
  };
  const auto from_state = [&](int64_t gate) {
    double sum = layer.hidden_bias[gate];
    for (int64_t h = 0; h < hidden; ++h)
      sum += layer.hidden_weight[gate * hidden + h] * previous[static_cast<size_t>(h)];
    return sum;
  };
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  Row state;
  for (int64_t h = 0; h < hidden; ++h) {
    const double reset = sigmoid(from_input(h) + from_state(h));
    const double update = sigmoid(from_input(hidden + h) + from_state(hidden + h));
    const double candidate =
        std::tanh(from_input(2 * hidden + h) + reset * from_state(2 * hidden + h));
    state.push_back((1 - update) * candidate + update * previous[static_cast<size_t>(h)]);
  }
  return state;
}

TEST(AttentiveCell, AsksWithTheStateBeforeTheStepAndReadsWhatItFinds) {
  Step step;
  step.run(true, {1, 0});
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t sentence = 1 - row;
    const Row weights = expected_weights(step, row, sentence);
    const Row found = expected_context(step, weights, sentence);
    Row seen = row_values(step.found_weights, row);
    seen.resize(weights.size());
    EXPECT_TRUE(close(seen, weights, 1e-5, 1e-6));
    EXPECT_TRUE(close(row_values(step.contexts, row), found, 1e-5, 1e-6));
    EXPECT_TRUE(close(row_values(step.states, row), expected_state(step, row, found), 1e-5, 1e-6));
  }
}

TEST(AttentiveCell, ReadsTheContextThatIsGivenWhereNothingIsAttendedTo) {
  Step step;
  step.contexts = random_tensor({rows, context}, 9);
  const Tensor given = step.contexts.clone();
  step.run(false, {0, 1});
  EXPECT_EQ(values_of(step.contexts), values_of(given));
  for (int64_t row = 0; row < rows; ++row)
    EXPECT_TRUE(close(row_values(step.states, row),
                      expected_state(step, row, row_values(given, row)), 1e-5, 1e-6));
}

// Hypotheses of one sentence read the same keys.
TEST(AttentiveCell, RowsMayShareASentence) {
  Step step;
  step.previous.slice(1, 2).copy_from(step.previous.slice(0, 1));
  step.input_gates.slice(1, 2).copy_from(step.input_gates.slice(0, 1));
  step.run(true, {1, 1});
  EXPECT_EQ(row_values(step.states, 0), row_values(step.states, 1));
}

}  // namespace
}  // namespace heed
