#include "heed/folders/adapter_file.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/weights/tensor_file.h"
#include "small_model.h"
#include "temporary_folder.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::error_of;
using testing::random_tensor;
using testing::values_of;

constexpr const char* layer = "model.encoder.layers.0.fc1";

class AdapterFile : public ::testing::Test {
 protected:
  AdapterFile() { testing::put_model(folder_.path("base")); }

  ModelFolder base() const { return load_model_folder(folder_.path("base")); }
  std::string file() const { return folder_.path("adapter.safetensors"); }

  void save(const std::string& name = layer, const Shape& down = {2, 16}) const {
    const std::vector<Parameter> matrices = {{name + ".lora_A", random_tensor(down, 1)},
                                             {name + ".lora_B", random_tensor({32, 2}, 2)}};
    save_adapter(file(), matrices, {2, 4, adapter_base(base())});
  }

  std::string refusal() const {
    ModelFolder model = base();
    std::string said = error_of([&] { apply_adapter(file(), model); });
    return said.substr(std::min(said.size(), file().size()));
  }

  testing::TemporaryFolder folder_;
};

TEST_F(AdapterFile, IsAddedToTheWeights) {
  save();
  ModelFolder model = base();
  apply_adapter(file(), model);
  const ModelFolder before = base();
  const std::vector<Parameter> now = parameters_of(*model.model),
                               then = parameters_of(*before.model);
  for (size_t i = 0; i < now.size(); ++i) {
    const bool adapted = now[i].name == std::string(layer) + ".weight";
    EXPECT_EQ(values_of(now[i].value) != values_of(then[i].value), adapted) << now[i].name;
    if (!adapted) continue;
    const std::vector<double> down = values_of(random_tensor({2, 16}, 1)),
                              up = values_of(random_tensor({32, 2}, 2));
    const double added = 2 * (up[0] * down[0] + up[1] * down[16]);  // alpha / rank is 2
    EXPECT_NEAR(values_of(now[i].value)[0], values_of(then[i].value)[0] + added, 1e-6);
  }
}

TEST_F(AdapterFile, MayBeNamedByItsFolder) {
  save();
  ModelFolder model = base();
  apply_adapter(folder_.path(""), model);
  EXPECT_NE(adapter_base(model), adapter_base(base()));
}

TEST_F(AdapterFile, BelongsToOneModel) {
  save();
  testing::put_model(folder_.path("other"), 6);
  ModelFolder other = load_model_folder(folder_.path("other"));
  EXPECT_NE(error_of([&] { apply_adapter(file(), other); }).find("is an adapter of another model"),
            std::string::npos);
}

TEST_F(AdapterFile, IsRefusedIfItDoesNotFit) {
  save(layer, {3, 16});
  EXPECT_EQ(refusal(),
            ": array \"model.encoder.layers.0.fc1.lora_A\" has shape (3, 16) but (2, 16) "
            "was expected");
  save("model.encoder.layers.7.fc1");
  EXPECT_EQ(refusal(), ": 2 arrays, but the model has layers for 0");
  TensorFileWriter writer;
  writer.add("x", random_tensor({2}, 1));
  writer.save(file());
  EXPECT_EQ(refusal(), ": is no adapter of heed: \"heed.adapter.rank\" is missing");
}

TEST_F(AdapterFile, IsRefusedIfItIsDamaged) {
  save();
  std::map<std::string, std::string, std::less<>> metadata = TensorFile::open(file()).metadata();
  metadata["heed.adapter.alpha"] = "5";
  replace_metadata(file(), metadata);
  EXPECT_TRUE(refusal().starts_with(": damaged: the checksum is")) << refusal();
  for (const char* nonsense : {"", "inf", "-1", "x"}) {
    metadata["heed.adapter.alpha"] = nonsense;
    replace_metadata(file(), metadata);
    EXPECT_TRUE(refusal().starts_with(": a rank of \"2\" and an alpha of")) << refusal();
  }
}

}  // namespace
}  // namespace heed
