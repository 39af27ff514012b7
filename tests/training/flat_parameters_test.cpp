#include "heed/training/flat_parameters.h"

#include <gtest/gtest.h>

#include "tensors.h"
#include "tiny_training.h"

namespace heed {
namespace {

using heed::testing::tiny_model;
using heed::testing::tiny_shards;
using heed::testing::values_of;

TEST(FlatParameters, KeepsNamesShapesAndNumbers) {
  const std::unique_ptr<Model> untouched = tiny_model(), model = tiny_model();
  const std::vector<Parameter> before = parameters_of(*untouched);
  const FlatParameters flat(*model);
  const std::vector<Parameter> parts = flat.parts(), after = parameters_of(*model);
  ASSERT_EQ(parts.size(), before.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].name, before[i].name);
    EXPECT_EQ(parts[i].value.shape(), before[i].value.shape());
    EXPECT_EQ(values_of(parts[i].value), values_of(before[i].value));
    EXPECT_EQ(after[i].value.data<float>(), parts[i].value.data<float>());
  }
}

TEST(FlatParameters, GivesEveryPartWholeCacheLines) {
  const std::unique_ptr<Model> model = tiny_model();
  const FlatParameters flat(*model);
  const float *begin = flat.array().data<float>(), *end = begin;
  for (const Parameter& part : flat.parts()) {
    EXPECT_EQ((part.value.data<float>() - begin) % 16, 0) << part.name;
    EXPECT_GE(part.value.data<float>(), end) << part.name;
    end = part.value.data<float>() + part.value.elements();
  }
  EXPECT_LE(end, begin + flat.size());
}

TEST(FlatParameters, TheModelComputesWithTheArray) {
  const std::unique_ptr<Model> model = tiny_model();
  const Batch batch = tiny_shards(1, 3).front();
  const auto compute = [&] {
    Tape tape;
    return values_of(logits(tape, *model, batch).value());
  };
  const std::vector<double> before = compute();
  const FlatParameters flat(*model);
  EXPECT_EQ(compute(), before);
  Tensor array = flat.array();
  array.fill(0);
  EXPECT_EQ(compute(), std::vector<double>(before.size(), 0.0));
}

TEST(FlatParameters, CutsOtherArraysAlike) {
  const std::unique_ptr<Model> model = tiny_model();
  const FlatParameters flat(*model);
  Tensor other = flat.zeros_like();
  const std::vector<Parameter> parts = flat.parts(), others = flat.parts_of(other);
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(others[i].value.data<float>() - other.data<float>(),
              parts[i].value.data<float>() - flat.array().data<float>());
    EXPECT_EQ(others[i].value.shape(), parts[i].value.shape());
  }
}

}  // namespace
}  // namespace heed
