#include "heed/layers/dropout.h"

#include <algorithm>

#include "heed/base/error.h"
#include "layer_checks.h"

namespace heed {
namespace {

using heed::testing::close_tensors;
using heed::testing::random_tensor;

TEST(Dropout, DropsItsShareOnlyInTraining) {
  const Dropout layer(0.25);
  const Tensor ones = Tensor::full({100, 100}, 1.0);
  Tape training({.training = true, .seed = 3}), using_it;
  const Tensor dropped = layer(training.constant(ones)).value();
  EXPECT_NEAR(static_cast<double>(std::ranges::count(dropped.span<float>(), 0.0f)), 2500.0, 150.0);
  EXPECT_TRUE(close_tensors(layer(using_it.constant(ones)).value(), ones, 0, 0));
}

TEST(Dropout, Gradients) {
  const Dropout layer(0.4);
  const GradientCheckResult result =
      check_gradients({random_tensor({5, 6}, 1)},
                      [&](Tape&, const std::vector<Variable>& x) { return layer(x[0]); },
                      {.tape = {.training = true, .seed = 3}});
  EXPECT_TRUE(result.passed) << result.complaint;
}

TEST(Dropout, RefusesRatesThatCannotBe) {
  EXPECT_THROW(Dropout(1.0), Error);
  EXPECT_THROW(Dropout(-0.1), Error);
}

}  // namespace
}  // namespace heed
