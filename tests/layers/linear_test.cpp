#include "heed/layers/linear.h"

#include "heed/base/error.h"
#include "layer_checks.h"

namespace heed {
namespace {

using heed::testing::check_layer;
using heed::testing::close_tensors;
using heed::testing::random_tensor;

constexpr Activation activations[] = {Activation::identity, Activation::relu, Activation::tanh,
                                      Activation::sigmoid,  Activation::gelu, Activation::swish};

TEST(Linear, ComputesWeightTimesInputPlusBias) {
  Rng rng(1);
  Linear layer(2, 3, rng);
  std::vector<Parameter> parameters = parameters_of(layer);
  parameters[0].value.copy_from(Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6}));
  parameters[1].value.copy_from(Tensor::of({3}, {10, 20, 30}));
  Tape tape;
  const Variable y = layer(tape.constant(Tensor::of({1, 2}, {1, -1})));
  EXPECT_TRUE(close_tensors(y.value(), Tensor::of({1, 3}, {9, 19, 29}), 0, 0));
}

TEST(Linear, BeginsXavierUniformWithoutBias) {
  Rng rng(1);
  Linear layer(30, 20, rng);
  const std::vector<Parameter> parameters = parameters_of(layer);
  const float bound = std::sqrt(6.0f / 50.0f);
  for (const float weight : parameters[0].value.span<float>()) EXPECT_LE(std::abs(weight), bound);
  for (const float bias : parameters[1].value.span<float>()) EXPECT_EQ(bias, 0.0f);
  EXPECT_EQ(layer.inputs(), 30);
  EXPECT_EQ(layer.outputs(), 20);
}

TEST(Linear, GradientsWithEveryActivation) {
  for (const Activation activation : activations)
    for (const bool bias : {false, true}) {
      Rng rng(2);
      Linear layer(4, 3, rng, {.bias = bias, .activation = activation});
      const GradientCheckResult result = check_layer(layer, random_tensor({2, 3, 4}, 3));
      EXPECT_TRUE(result.passed) << "activation " << static_cast<int>(activation) << ": "
                                 << result.complaint;
    }
}

TEST(Linear, TheParametersGradientsAreFoundByTheirMemory) {
  Rng rng(2);
  Linear layer(4, 3, rng);
  Tape tape;
  const Variable y = layer(tape.constant(random_tensor({5, 4}, 3)));
  tape.backward(y, Tensor::full({5, 3}, 1.0));
  EXPECT_TRUE(close_tensors(tape.gradient_of(parameters_of(layer)[1].value), Tensor::full({3}, 5.0),
                            1e-6, 0));
}

TEST(Linear, RefusesSizesThatCannotBe) {
  Rng rng(1);
  EXPECT_THROW(Linear(0, 3, rng), Error);
  EXPECT_THROW(Linear(3, -1, rng), Error);
  Tape tape;
  EXPECT_THROW(Linear(4, 3, rng)(tape.constant(random_tensor({5, 3}, 3))), Error);
}

}  // namespace
}  // namespace heed
