#include "heed/models/rnn.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.h"
#include "golden_rnns.h"
#include "heed/autograd/arithmetic.h"
#include "heed/autograd/cross_entropy.h"
#include "heed/autograd/gradient_check.h"
#include "heed/kernels/adam.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::close_to_golden;
using heed::testing::error_of;
using heed::testing::golden_batch;
using heed::testing::golden_rnns;
using heed::testing::golden_tolerance;
using heed::testing::GoldenRnn;
using heed::testing::open_golden;
using heed::testing::values_of;

// The mean over the tokens.
Variable loss_of(Tape& tape, const Model& model, const Batch& batch) {
  const OutputLayer output = model.output_layer();
  const Variable sum = linear_cross_entropy(model.features(tape, batch), tape.watch(output.weight),
                                            tape.watch(output.bias), batch.target.ids);
  return scale(sum, 1.0 / static_cast<double>(batch.target.ids.size()));
}

template <typename Check>
void for_golden_cases(Check check) {
  const TensorFile file = open_golden("rnn");
  for (const GoldenRnn& one : golden_rnns())
    for (const Type type : {Type::float32, Type::float64}) {
      SCOPED_TRACE(fmt::format("{} {}", one.name, name_of(type)));
      check(file, one, type);
    }
}

TEST(Rnn, LogitsEqualPyTorchs) {
  for_golden_cases([](const TensorFile& file, const GoldenRnn& one, Type type) {
    const Rnn model = one.model(file, type);
    Tape tape;
    const Variable found = logits(tape, model, golden_batch(file));
    EXPECT_TRUE(close_to_golden(found.value(), file.read(one.name + ".logits", Type::float64)));
  });
}

TEST(Rnn, GradientsEqualPyTorchs) {
  for_golden_cases([](const TensorFile& file, const GoldenRnn& one, Type type) {
    Rnn model = one.model(file, type);
    Tape tape;
    tape.backward(loss_of(tape, model, golden_batch(file)));
    const std::vector<Parameter> parameters = parameters_of(model);
    for (const Parameter& parameter : parameters) {
      const Tensor expected = file.read(one.name + ".gradient." + parameter.name, Type::float64);
      EXPECT_TRUE(close_to_golden(tape.gradient_of(parameter.value), expected)) << parameter.name;
    }
    const auto of_case = [&](const std::string& name) {
      return name.starts_with(one.name + ".gradient.");
    };
    EXPECT_EQ(static_cast<size_t>(std::ranges::count_if(file.names(), of_case)), parameters.size());
  });
}

TEST(Rnn, LearnsAsPyTorchDoes) {
  for_golden_cases([](const TensorFile& file, const GoldenRnn& one, Type type) {
    Rnn model = one.model(file, type);
    std::vector<Parameter> parameters = parameters_of(model);
    std::vector<Tensor> first, second;
    for (const Parameter& parameter : parameters)
      for (std::vector<Tensor>* moments : {&first, &second})
        moments->push_back(Tensor::zeros(parameter.value.shape(), type));
    std::vector<double> losses;
    Tape tape;
    for (int64_t step = 1; step <= 10; ++step) {
      tape.clear();
      const Variable loss = loss_of(tape, model, golden_batch(file));
      losses.push_back(loss.value()[0]);
      tape.backward(loss);
      with_type(type, [&](auto zero) {
        using T = decltype(zero);
        for (size_t i = 0; i < parameters.size(); ++i)
          kernels::adam_update({.learning_rate = 0.01, .step = step},
                               std::as_const(tape).gradient_of(parameters[i].value).span<T>(),
                               first[i].span<T>(), second[i].span<T>(),
                               parameters[i].value.span<T>());
      });
    }
    const std::vector<double> expected = values_of(file.read(one.name + ".losses", Type::float64));
    EXPECT_TRUE(close(losses, expected, golden_tolerance(type), 0));
    EXPECT_LT(losses.back(), losses.front());
  });
}

TEST(Rnn, GradientsThroughDropout) {
  const TensorFile file = open_golden("rnn");
  const Batch batch = golden_batch(file);
  for (GoldenRnn one : golden_rnns()) {
    SCOPED_TRACE(one.name);
    one.config.dropout = 0.3;
    one.config.embedding_dropout = 0.2;
    Rnn model = one.model(file, Type::float64);
    std::vector<Tensor> parameters;
    for (const Parameter& parameter : parameters_of(model)) parameters.push_back(parameter.value);
    const GradientCheckResult result = check_gradients(
        parameters,
        [&](Tape& tape, const std::vector<Variable>& variables) {
          size_t next = 0;
          model.visit_parameters(
              {}, [&](const std::string&, Tensor& value) { value = variables[next++].value(); });
          return logits(tape, model, batch);
        },
        {.tape = {.training = true, .seed = 3}});
    EXPECT_TRUE(result.passed) << result.complaint;
  }
}

TEST(Rnn, DropsOnlyInTraining) {
  const TensorFile file = open_golden("rnn");
  const Batch batch = golden_batch(file);
  for (const GoldenRnn& one : golden_rnns())
    for (double RnnConfig::*rate : {&RnnConfig::dropout, &RnnConfig::embedding_dropout}) {
      const auto run = [&](double dropped, bool training) {
        GoldenRnn dropping = one;
        dropping.config.*rate = dropped;
        Tape tape({.training = training, .seed = 1});
        return values_of(dropping.model(file, Type::float32).features(tape, batch).value());
      };
      EXPECT_EQ(run(0.5, false), run(0.0, true));
      EXPECT_NE(run(0.5, true), run(0.0, true));
    }
}

TEST(Rnn, SentencesDoNotSeeEachOther) {
  const TensorFile file = open_golden("rnn");
  const Batch batch = golden_batch(file);
  for (const GoldenRnn& one : golden_rnns()) {
    SCOPED_TRACE(one.name);
    const Rnn model = one.model(file, Type::float32);
    Tape tape;
    const Tensor all = logits(tape, model, batch).value();
    for (int64_t s = 0; s < batch.sentences(); ++s) {
      const auto alone = [s](const TokenBatch& tokens) {
        const std::span<const int32_t> ids = tokens.sentence(s);
        return TokenBatch{{ids.begin(), ids.end()}, Ragged({tokens.layout.length(s)})};
      };
      const Tensor found = logits(tape, model, {alone(batch.source), alone(batch.target)}).value();
      const Ragged& layout = batch.target.layout;
      EXPECT_TRUE(close(values_of(found), values_of(all.slice(layout.begin(s), layout.end(s))),
                        1e-6, 1e-6));
    }
  }
}

TEST(Rnn, CountsTheMultiplicationsOfItsWeights) {
  for (const GoldenRnn& one : golden_rnns()) {
    SCOPED_TRACE(one.name);
    Rng rng(1);
    Rnn model(one.config, rng);
    int64_t matrices = 0;
    for (const Parameter& parameter : parameters_of(model)) {
      const bool read_once_per_sentence = parameter.name.starts_with("bridge");
      const bool table = parameter.name.find("embedding") != std::string::npos;
      if (parameter.value.shape().rank() == 2 && !table && !read_once_per_sentence)
        matrices += parameter.value.elements();
    }
    if (one.config.tied != TiedEmbeddings::none) matrices += 11 * 4;
    EXPECT_EQ(model.source_multiplications() + model.target_multiplications(), matrices);
  }
}

TEST(Rnn, RefusesSidesOfDifferentNumbers) {
  Rng rng(1);
  const Rnn model(golden_rnns().front().config, rng);
  const Batch batch{{{3, 0}, Ragged({2})}, {{3, 0, 0}, Ragged({2, 1})}};
  Tape tape;
  EXPECT_EQ(error_of([&] { model.features(tape, batch); }),
            "rnn: 1 source sentences but 2 target sentences");
}

}  // namespace
}  // namespace heed
