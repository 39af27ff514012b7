// Classifiers and masked-language training beside PyTorch: what the encoder gives, logits, every
// gradient, ten steps.
#include <gtest/gtest.h>

#include <memory>

#include "golden_batch.h"
#include "heed/autograd/arithmetic.h"
#include "heed/models/classifier.h"
#include "heed/models/masked_model.h"

namespace heed {
namespace {

using testing::close;
using testing::close_to_golden;
using testing::golden_tokens;
using testing::golden_tolerance;
using testing::open_golden;
using testing::values_of;

constexpr BertConfig encoder = {.vocabulary = 11,
                                .layers = 2,
                                .width = 8,
                                .ffn = 12,
                                .heads = 2,
                                .context_length = 7,
                                .dropout = 0,
                                .attention_dropout = 0};

// A model and its encoder, which is a part of it.
struct Whole {
  std::unique_ptr<PredictingModel> model;
  const Bert* encoder;
};

Whole classifier(TextPooling pooling, bool several = false, int64_t convolution = 0) {
  BertConfig config = encoder;
  config.convolution = convolution;
  auto made = std::make_unique<Classifier>(ClassifierConfig{.encoder = config,
                                                            .labels = 3,
                                                            .several_labels = several,
                                                            .pooling = pooling,
                                                            .dropout = 0},
                                           Initialiser::unset());
  const Bert* inner = &made->encoder();
  return {std::move(made), inner};
}

Whole masked_model() {
  auto made = std::make_unique<MaskedModel>(encoder, Initialiser::unset());
  const Bert* inner = &made->encoder();
  return {std::move(made), inner};
}

struct Case {
  const char* name;
  Whole (*make)();
};

class GoldenEncoder : public ::testing::TestWithParam<Case> {
 protected:
  Whole whole(Type type) const {
    Whole made = GetParam().make();
    made.model->visit_parameters({}, [&](const std::string& name, Tensor& value) {
      value = file_.read("parameter." + name, Type::float64).to(type);
    });
    return made;
  }

  Batch batch() const {
    Batch batch{golden_tokens(file_, "source"), {}};
    for (const int64_t id : file_.read_integers("target"))
      batch.target.ids.push_back(static_cast<int32_t>(id));
    for (const int64_t place : file_.read_integers("places"))
      batch.places.push_back(static_cast<int32_t>(place));
    return batch;
  }

  // The mean over what is predicted.
  Variable mean_loss(Tape& tape, const PredictingModel& model) const {
    const auto predictions = static_cast<double>(batch_.target.ids.size());
    return scale(model.loss(tape, batch_, {}), 1.0 / predictions);
  }

  TensorFile file_ = open_golden(std::string("encoders/") + GetParam().name);
  Batch batch_ = batch();
};

INSTANTIATE_TEST_SUITE_P(
    , GoldenEncoder,
    ::testing::Values(Case{"mean", [] { return classifier(TextPooling::mean); }},
                      Case{"max", [] { return classifier(TextPooling::max); }},
                      Case{"first", [] { return classifier(TextPooling::first); }},
                      Case{"attention", [] { return classifier(TextPooling::attention); }},
                      Case{"pooler", [] { return classifier(TextPooling::pooler); }},
                      Case{"several", [] { return classifier(TextPooling::mean, true); }},
                      Case{"masked", [] { return masked_model(); }},
                      Case{"convolution", [] { return classifier(TextPooling::mean, false, 3); }}),
    [](const auto& test) { return test.param.name; });

TEST_P(GoldenEncoder, VectorsAndLogitsEqualPyTorchs) {
  for (const Type type : {Type::float32, Type::float64}) {
    const Whole made = whole(type);
    Tape tape({.record = false});
    EXPECT_TRUE(close_to_golden(made.encoder->encode(tape, batch_.source).value(),
                                file_.read("encoded", Type::float64)));
    EXPECT_TRUE(close_to_golden(logits(tape, *made.model, batch_).value(),
                                file_.read("logits", Type::float64)));
  }
}

// Small gradients have the rounding errors of the large ones they come from.
TEST_P(GoldenEncoder, EveryGradientEqualsPyTorchs) {
  for (const Type type : {Type::float32, Type::float64}) {
    const Whole made = whole(type);
    Tape tape;
    tape.backward(mean_loss(tape, *made.model));
    for (const Parameter& parameter : parameters_of(*made.model)) {
      const std::vector<double> golden =
          values_of(file_.read("gradient." + parameter.name, Type::float64));
      EXPECT_TRUE(close(values_of(tape.gradient_of(parameter.value)), golden,
                        golden_tolerance(type), golden_tolerance(type)))
          << parameter.name;
    }
  }
}

TEST_P(GoldenEncoder, TenStepsEqualPyTorchs) {
  constexpr double learning_rate = 0.1;
  const Whole made = whole(Type::float64);
  std::vector<double> losses;
  for (int step = 0; step < 10; ++step) {
    Tape tape;
    const Variable found = mean_loss(tape, *made.model);
    losses.push_back(found.value()[0]);
    tape.backward(found);
    made.model->visit_parameters({}, [&](const std::string&, Tensor& value) {
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
