#include "heed/layers/low_rank_adapter.h"

#include <gtest/gtest.h>

#include "close_tensors.h"
#include "heed/layers/linear.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::close_tensors;
using testing::random_tensor;
using testing::values_of;

TEST(LowRankAdapter, AddsNothingAtFirst) {
  Rng rng(1);
  const LowRankAdapter adapter = new_adapter(6, 4, 2, 3, rng);
  EXPECT_EQ(adapter.down.shape(), (Shape{2, 6}));
  EXPECT_EQ(adapter.up.shape(), (Shape{4, 2}));
  const Tensor weight = random_tensor({4, 6}, 1);
  EXPECT_EQ(values_of(merged(weight, adapter)), values_of(weight));
}

TEST(LowRankAdapter, IsMergedIntoTheWeight) {
  const Tensor weight = Tensor::of({2, 2}, {1, 2, 3, 4});
  const LowRankAdapter adapter = {Tensor::of({1, 2}, {5, 6}), Tensor::of({2, 1}, {1, -1}), 0.5};
  EXPECT_EQ(values_of(merged(weight, adapter)), (std::vector<double>{3.5, 5, 0.5, 1}));
  EXPECT_EQ(values_of(weight), (std::vector<double>{1, 2, 3, 4}));
}

TEST(LowRankAdapter, IsPreparedWithItsLayer) {
  Rng rng(1);
  Linear layer(6, 4, rng);
  LowRankAdapter adapter = new_adapter(6, 4, 2, 3, rng);
  adapter.up = random_tensor({4, 2}, 5);
  const Linear plain = layer;
  layer.adapt(adapter);
  Tape tape({.record = false});
  const Variable x = tape.constant(random_tensor({3, 6}, 2));
  EXPECT_TRUE(
      close_tensors(layer.prepared(Precision::float32)(x).value(), layer(x).value(), 1e-5, 1e-5));
  EXPECT_FALSE(close_tensors(plain(x).value(), layer(x).value(), 1e-2, 1e-2));
  std::vector<std::string> names;
  layer.visit_adapter("fc1", [&](const std::string& name, Tensor&) { names.push_back(name); });
  EXPECT_EQ(names, (std::vector<std::string>{"fc1.lora_A", "fc1.lora_B"}));
  EXPECT_EQ(parameters_of(layer).size(), 2u);  // these are not among the parameters
}

}  // namespace
}  // namespace heed
