#include "heed/layers/norm.h"

#include "layer_checks.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::random_tensor;
using heed::testing::values_of;

TEST(Norm, IsOfTheKindAndEpsilonThatWereChosen) {
  Tape tape;
  const Variable x = tape.constant(random_tensor({3, 5}, 1));
  const auto values = [&](const auto& norm) { return values_of(norm(x).value()); };
  EXPECT_EQ(values(Norm(5)), values(LayerNorm(5)));
  EXPECT_EQ(values(Norm(5, NormKind::layer, 0.5)), values(LayerNorm(5, 0.5)));
  EXPECT_EQ(values(Norm(5, NormKind::rms, 0.5)), values(RmsNorm(5, 0.5)));
}

TEST(Norm, NamesTheParametersOfItsKind) {
  const auto names = [](Norm norm) {
    std::vector<std::string> found;
    for (const Parameter& parameter : parameters_of(norm, "norm")) found.push_back(parameter.name);
    return found;
  };
  EXPECT_EQ(names(Norm(5)), (std::vector<std::string>{"norm.weight", "norm.bias"}));
  EXPECT_EQ(names(Norm(5, NormKind::rms)), (std::vector<std::string>{"norm.weight"}));
}

}  // namespace
}  // namespace heed
