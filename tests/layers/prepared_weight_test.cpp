#include "heed/layers/prepared_weight.h"

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

TEST(PreparedWeight, GivesWhatTheLayerGave) {
  Rng rng(1);
  for (const auto& [precision, tolerance] :
       {std::pair{Precision::float32, 1e-5}, {Precision::int8, 0.05}})
    for (const bool bias : {false, true}) {
      Linear layer(40, 70, rng, {.bias = bias, .activation = Activation::relu});
      if (bias) Tensor(layer.bias()).fill(0.25);
      Tape tape({.record = false});
      const Variable x = tape.constant(random_tensor({3, 2, 40}, 2));
      const std::vector<double> expected = values_of(layer(x).value());
      const Linear prepared = layer.prepared(precision);
      EXPECT_EQ(prepared(x).shape(), (Shape{3, 2, 70}));
      EXPECT_TRUE(close(values_of(prepared(x).value()), expected, 0, tolerance));
      EXPECT_EQ(prepared.inputs(), 40);
      EXPECT_EQ(prepared.outputs(), 70);
      EXPECT_EQ(values_of(layer(x).value()), expected);  // which goes on as it was
    }
}

TEST(PreparedWeight, CannotLearn) {
  Rng rng(1);
  const Linear layer = Linear(4, 4, rng).prepared(Precision::float32);
  Tape tape;
  EXPECT_EQ(error_of([&] {
              (void)layer(tape.watch(random_tensor({2, 4}, 1)));
            }),
            "linear: weights that are prepared for inference cannot learn");
}

TEST(PreparedWeight, IsMadeOfFloats) {
  EXPECT_EQ(error_of([] {
              PreparedWeight(Tensor::zeros({2, 2}, Type::float64), Precision::int8);
            }),
            "weight of type float64 but float32 was expected");
}

}  // namespace
}  // namespace heed
