#include "heed/layers/ready_weight.h"

#include <gtest/gtest.h>

#include "close.h"
#include "error_of.h"
#include "heed/layers/linear.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::error_of;
using heed::testing::random_tensor;
using heed::testing::values_of;

TEST(ReadyWeight, GivesWhatTheLayerGave) {
  Rng rng(1);
  for (const auto& [precision, tolerance] :
       {std::pair{Precision::float32, 1e-5}, {Precision::int8, 0.05}})
    for (const bool bias : {false, true}) {
      Linear layer(40, 70, rng, {.bias = bias, .activation = Activation::relu});
      if (bias) Tensor(layer.bias()).fill(0.25);
      Tape tape({.record = false});
      const Variable x = tape.constant(random_tensor({3, 2, 40}, 2));
      const std::vector<double> expected = values_of(layer(x).value());
      layer.make_ready(precision);
      EXPECT_EQ(layer(x).shape(), (Shape{3, 2, 70}));
      EXPECT_TRUE(close(values_of(layer(x).value()), expected, 0, tolerance));
      EXPECT_EQ(layer.inputs(), 40);
      EXPECT_EQ(layer.outputs(), 70);
    }
}

TEST(ReadyWeight, CannotLearnAnyMore) {
  Rng rng(1);
  Linear layer(4, 4, rng);
  layer.make_ready(Precision::float32);
  Tape tape;
  EXPECT_EQ(error_of([&] {
              (void)layer(tape.watch(random_tensor({2, 4}, 1)));
            }),
            "a model that is ready to translate cannot learn any more");
}

TEST(ReadyWeight, IsMadeOfFloats) {
  EXPECT_EQ(error_of([] {
              ReadyWeight(Tensor::zeros({2, 2}, Type::float64), Precision::int8);
            }),
            "weight of type float64 but float32 was expected");
}

}  // namespace
}  // namespace heed
