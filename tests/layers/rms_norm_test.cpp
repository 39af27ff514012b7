#include "heed/layers/rms_norm.h"

#include "heed/base/error.h"
#include "layer_checks.h"

namespace heed {
namespace {

using heed::testing::check_layer;
using heed::testing::random_tensor;

TEST(RmsNorm, Gradients) {
  RmsNorm layer(7);
  layer.visit_parameters(
      {}, [](const std::string&, Tensor& value) { value = random_tensor(value.shape(), 5); });
  const GradientCheckResult result = check_layer(layer, random_tensor({2, 3, 7}, 3));
  EXPECT_TRUE(result.passed) << result.complaint;
}

TEST(RmsNorm, RefusesSizesThatCannotBe) {
  EXPECT_THROW(RmsNorm(0), Error);
  EXPECT_THROW(RmsNorm(4, 0.0), Error);
}

}  // namespace
}  // namespace heed
