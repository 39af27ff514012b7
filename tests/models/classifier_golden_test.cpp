// Classifiers beside PyTorch: what the encoder gives, logits, every gradient, ten steps.
#include <gtest/gtest.h>

#include "golden_batch.h"
#include "heed/autograd/arithmetic.h"
#include "heed/models/classifier.h"

namespace heed {
namespace {

using testing::close;
using testing::close_to_golden;
using testing::golden_tokens;
using testing::golden_tolerance;
using testing::open_golden;
using testing::values_of;

struct Case {
  const char* name;
  TextPooling pooling;
};

class GoldenClassifier : public ::testing::TestWithParam<Case> {
 protected:
  Classifier model(Type type) const {
    Classifier made({.encoder = {.vocabulary = 11,
                                 .layers = 2,
                                 .width = 8,
                                 .ffn = 12,
                                 .heads = 2,
                                 .context_length = 7,
                                 .dropout = 0,
                                 .attention_dropout = 0},
                     .labels = 3,
                     .pooling = GetParam().pooling,
                     .dropout = 0},
                    Initialiser::unset());
    made.visit_parameters({}, [&](const std::string& name, Tensor& value) {
      value = file_.read("parameter." + name, Type::float64).to(type);
    });
    return made;
  }

  // The mean over the texts.
  Variable loss(Tape& tape, const Classifier& model) const {
    const std::vector<int64_t> stored = file_.read_integers("labels");
    const std::vector<int32_t> labels(stored.begin(), stored.end());
    return scale(model.loss(tape, texts_, labels), 1.0 / static_cast<double>(labels.size()));
  }

  TensorFile file_ = open_golden(std::string("classifier/") + GetParam().name);
  TokenBatch texts_ = golden_tokens(file_, "text");
};

INSTANTIATE_TEST_SUITE_P(, GoldenClassifier,
                         ::testing::Values(Case{"mean", TextPooling::mean},
                                           Case{"max", TextPooling::max},
                                           Case{"first", TextPooling::first},
                                           Case{"attention", TextPooling::attention}),
                         [](const auto& test) { return test.param.name; });

TEST_P(GoldenClassifier, VectorsAndLogitsEqualPyTorchs) {
  for (const Type type : {Type::float32, Type::float64}) {
    Classifier classifier = model(type);
    Tape tape({.record = false});
    EXPECT_TRUE(close_to_golden(classifier.encoder().encode(tape, texts_).value(),
                                file_.read("encoded", Type::float64)));
    EXPECT_TRUE(close_to_golden(classifier.logits(tape, texts_).value(),
                                file_.read("logits", Type::float64)));
  }
}

// Small gradients have the rounding errors of the large ones they come from.
TEST_P(GoldenClassifier, EveryGradientEqualsPyTorchs) {
  for (const Type type : {Type::float32, Type::float64}) {
    Classifier classifier = model(type);
    Tape tape;
    tape.backward(loss(tape, classifier));
    for (const Parameter& parameter : parameters_of(classifier)) {
      const std::vector<double> golden =
          values_of(file_.read("gradient." + parameter.name, Type::float64));
      EXPECT_TRUE(close(values_of(tape.gradient_of(parameter.value)), golden,
                        golden_tolerance(type), golden_tolerance(type)))
          << parameter.name;
    }
  }
}

TEST_P(GoldenClassifier, TenStepsEqualPyTorchs) {
  constexpr double learning_rate = 0.1;
  Classifier classifier = model(Type::float64);
  std::vector<double> losses;
  for (int step = 0; step < 10; ++step) {
    Tape tape;
    const Variable found = loss(tape, classifier);
    losses.push_back(found.value()[0]);
    tape.backward(found);
    classifier.visit_parameters({}, [&](const std::string&, Tensor& value) {
      const Tensor gradient = tape.gradient_of(value);
      const std::span<const double> down = gradient.span<double>();
      Tensor next = value.clone();
      const std::span<double> numbers = next.span<double>();
      for (size_t i = 0; i < numbers.size(); ++i) numbers[i] -= learning_rate * down[i];
      value = next;
    });
  }
  EXPECT_TRUE(close(losses, values_of(file_.read("losses", Type::float64)), 1e-6, 0));
}

}  // namespace
}  // namespace heed
