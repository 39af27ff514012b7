// Language models beside PyTorch: logits and every gradient, of whole texts and of middles. Ten
// steps of training are in tests/training/golden_test.cpp.
#include <gtest/gtest.h>

#include "golden_language_models.h"
#include "heed/autograd/arithmetic.h"

namespace heed {
namespace {

using testing::close;
using testing::close_to_golden;
using testing::golden_language_models;
using testing::golden_texts;
using testing::golden_tolerance;
using testing::GoldenLanguageModel;
using testing::values_of;

TEST(GoldenLanguageModel, LogitsEqualPyTorchs) {
  for (const GoldenLanguageModel& one : golden_language_models())
    for (const Type type : {Type::float32, Type::float64}) {
      SCOPED_TRACE(one.name);
      const TensorFile file = one.open();
      const LanguageModel model = one.model(file, type);
      Tape tape({.record = false});
      EXPECT_TRUE(close_to_golden(logits(tape, model, golden_texts(file)).value(),
                                  file.read("logits", Type::float64)));
    }
}

// Small gradients have the rounding errors of the large ones they come from.
TEST(GoldenLanguageModel, EveryGradientEqualsPyTorchs) {
  for (const GoldenLanguageModel& one : golden_language_models())
    for (const Type type : {Type::float32, Type::float64}) {
      SCOPED_TRACE(one.name);
      const TensorFile file = one.open();
      const Batch batch = golden_texts(file);
      LanguageModel model = one.model(file, type);
      Tape tape;
      tape.backward(
          scale(model.loss(tape, batch), 1.0 / static_cast<double>(batch.target.layout.tokens())));
      for (const Parameter& parameter : parameters_of(model)) {
        const std::vector<double> golden =
            values_of(file.read("gradient." + parameter.name, Type::float64));
        EXPECT_TRUE(close(values_of(tape.gradient_of(parameter.value)), golden,
                          golden_tolerance(type), golden_tolerance(type)))
            << parameter.name;
      }
    }
}

}  // namespace
}  // namespace heed
