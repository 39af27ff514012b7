#include "heed/layers/parameter.h"

#include <gtest/gtest.h>

#include "heed/layers/feed_forward.h"

namespace heed {
namespace {

TEST(Parameter, NamesAreDottedPaths) {
  EXPECT_EQ(dotted("encoder.fc1", "weight"), "encoder.fc1.weight");
  EXPECT_EQ(dotted("", "weight"), "weight");
}

TEST(Parameter, AreListedWithTheirNamesAndShareTheNumbers) {
  Rng rng(1);
  FeedForward layer({.width = 4, .hidden = 8}, rng);
  std::vector<Parameter> parameters = parameters_of(layer, "decoder");
  ASSERT_EQ(parameters.size(), 4u);
  EXPECT_EQ(parameters[0].name, "decoder.fc1.weight");
  EXPECT_EQ(parameters[3].name, "decoder.fc2.bias");
  EXPECT_EQ(parameters[2].value.shape(), (Shape{4, 8}));
  parameters[3].value.fill(7);
  EXPECT_EQ(parameters_of(layer)[3].value[0], 7.0);
}

TEST(Parameter, AreCountedInElements) {
  Rng rng(1);
  FeedForward layer({.width = 4, .hidden = 8}, rng);
  EXPECT_EQ(count_parameters(layer), 4 * 8 + 8 + 8 * 4 + 4);
}

TEST(Parameter, AreConvertedInPlace) {
  Rng rng(1);
  FeedForward layer({.width = 4, .hidden = 8}, rng);
  const std::vector<Parameter> before = parameters_of(layer);
  convert_parameters(layer, Type::float64);
  const std::vector<Parameter> after = parameters_of(layer);
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].value.type(), Type::float64);
    EXPECT_EQ(after[i].value[0], before[i].value[0]);
  }
}

}  // namespace
}  // namespace heed
