#include "heed/layers/layer_norm.h"

#include "heed/base/error.h"
#include "heed/weights/tensor_file.h"
#include "layer_checks.h"
#include "paths.h"

namespace heed {
namespace {

using heed::testing::check_layer;
using heed::testing::close_tensors;
using heed::testing::random_tensor;

TEST(LayerNorm, Gradients) {
  LayerNorm layer(7);
  layer.visit_parameters(
      {}, [](const std::string&, Tensor& value) { value = random_tensor(value.shape(), 5); });
  const GradientCheckResult result = check_layer(layer, random_tensor({2, 3, 7}, 3));
  EXPECT_TRUE(result.passed) << result.complaint;
}

TEST(LayerNorm, EqualsPyTorch) {
  const TensorFile golden =
      TensorFile::open(std::string(testing::golden_folder) + "/layer_norm.safetensors");
  for (const Type type : {Type::float32, Type::float64}) {
    SCOPED_TRACE(name_of(type));
    const double rtol = type == Type::float32 ? 1e-5 : 1e-12,
                 atol = type == Type::float32 ? 1e-6 : 1e-12;
    LayerNorm layer(golden.shape("affine.x")[1]);
    layer.visit_parameters(
        "affine", [&](const std::string& name, Tensor& value) { value = golden.read(name, type); });
    Tape tape;
    const Variable x = tape.watch(golden.read("affine.x", type));
    const Variable y = layer(x);
    tape.backward(y, golden.read("affine.outputs.gradient", type));
    const auto expected = [&](const std::string& name) {
      return golden.read("affine." + name, Type::float64);
    };
    EXPECT_TRUE(close_tensors(y.value(), expected("outputs"), rtol, atol));
    EXPECT_TRUE(close_tensors(x.gradient(), expected("x.gradient"), rtol, atol));
    for (const Parameter& parameter : parameters_of(layer))
      EXPECT_TRUE(close_tensors(tape.gradient_of(parameter.value),
                                expected(parameter.name + ".gradient"), rtol, atol))
          << parameter.name;
  }
}

TEST(LayerNorm, RefusesSizesThatCannotBe) {
  EXPECT_THROW(LayerNorm(0), Error);
  EXPECT_THROW(LayerNorm(4, 0.0), Error);
}

}  // namespace
}  // namespace heed
