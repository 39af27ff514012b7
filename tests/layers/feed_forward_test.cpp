#include "heed/layers/feed_forward.h"

#include "heed/autograd/arithmetic.h"
#include "layer_checks.h"

namespace heed {
namespace {

using heed::testing::check_layer;
using heed::testing::close_tensors;
using heed::testing::random_tensor;

FeedForwardConfig small(Activation activation, bool gated, double dropout = 0.0) {
  return {.width = 3, .hidden = 5, .activation = activation, .gated = gated, .dropout = dropout};
}

TEST(FeedForward, GradientsOfEveryVariant) {
  for (const Activation activation : {Activation::relu, Activation::gelu, Activation::swish})
    for (const bool gated : {false, true})
      for (const double dropout : {0.0, 0.3}) {
        Rng rng(1);
        FeedForward layer(small(activation, gated, dropout), rng);
        const GradientCheckResult result =
            check_layer(layer, random_tensor({4, 3}, 2), {.tape = {.training = true, .seed = 7}});
        EXPECT_TRUE(result.passed)
            << static_cast<int>(activation) << gated << ": " << result.complaint;
      }
}

TEST(FeedForward, IsWhatItsEquationSays) {
  for (const bool gated : {false, true}) {
    Rng rng(1);
    FeedForward layer(small(Activation::swish, gated), rng);
    Tape tape;
    std::vector<Variable> p;
    for (const Parameter& parameter : parameters_of(layer))
      p.push_back(tape.watch(parameter.value));
    const Variable x = tape.constant(random_tensor({4, 3}, 2));
    Variable hidden = activate(Activation::swish, linear(x, p[0], p[1]));
    if (gated) hidden = multiply(hidden, linear(x, p[4], p[5]));
    EXPECT_TRUE(close_tensors(layer(x).value(), linear(hidden, p[2], p[3]).value(), 1e-5, 1e-6));
  }
}

TEST(FeedForward, DropsHiddenElementsInTraining) {
  Rng rng(1);
  const FeedForward layer(small(Activation::gelu, false, 0.5), rng);
  const Tensor x = random_tensor({4, 3}, 2);
  Tape training({.training = true, .seed = 1}), using_it;
  EXPECT_FALSE(close_tensors(layer(training.constant(x)).value(),
                             layer(using_it.constant(x)).value(), 1e-3, 1e-3));
}

TEST(FeedForward, NamesItsParts) {
  Rng rng(1);
  FeedForward layer({.width = 3, .hidden = 5, .gated = true, .bias = false}, rng);
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters_of(layer)) names.push_back(parameter.name);
  EXPECT_EQ(names, (std::vector<std::string>{"fc1.weight", "fc2.weight", "fc3.weight"}));
}

}  // namespace
}  // namespace heed
