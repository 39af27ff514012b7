#include "heed/folders/huggingface_weights.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/base/json.h"
#include "temporary_folder.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::TemporaryFolder;
using heed::testing::values_of;

void put_arrays(const TemporaryFolder& folder, const std::string& file,
                const std::vector<std::string>& names) {
  TensorFileWriter writer;
  for (const std::string& name : names) writer.add(name, Tensor::full({2, 1}, 3));
  writer.save(folder.path(file));
}

TEST(HuggingFaceWeights, AreFoundInSeveralFiles) {
  const TemporaryFolder folder;
  EXPECT_FALSE(HuggingFaceWeights::are_in(folder.path("")));
  put_arrays(folder, "model-00001-of-00002.safetensors", {"a", "c"});
  put_arrays(folder, "model-00002-of-00002.safetensors", {"b"});
  folder.put("model.safetensors.index.json",
             R"({"metadata": {"total_size": 24}, "weight_map": {
               "a": "model-00001-of-00002.safetensors", "c": "model-00001-of-00002.safetensors",
               "b": "model-00002-of-00002.safetensors"}})");
  EXPECT_TRUE(HuggingFaceWeights::are_in(folder.path("")));
  const HuggingFaceWeights weights(folder.path(""));
  EXPECT_EQ(weights.names(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(weights.file_of("b"), folder.path("model-00002-of-00002.safetensors"));
  EXPECT_EQ(weights.type("b"), StoredType::f32);
  EXPECT_EQ(values_of(weights.read("b", {2, 1})), (std::vector<double>{3, 3}));
  EXPECT_EQ(error_of([&] {
              (void)weights.read("b", {1, 2});
            }),
            folder.path("model-00002-of-00002.safetensors") +
                ": array \"b\" has shape (2, 1) but (1, 2) was expected");
  EXPECT_EQ(error_of([&] { (void)weights.read("d", {1}); }),
            folder.path("model-00001-of-00002.safetensors") + ": array \"d\" is missing");
  EXPECT_EQ(HuggingFaceWeights::bytes_in(folder.path("")),
            folder.text("model-00001-of-00002.safetensors").size() +
                folder.text("model-00002-of-00002.safetensors").size());
}

TEST(HuggingFaceWeights, AnIndexNamesFilesBesideItOnly) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& index) {
    folder.put("model.safetensors.index.json", index);
    return error_of([&] { HuggingFaceWeights weights(folder.path("")); });
  };
  const std::string file = folder.path("model.safetensors.index.json");
  EXPECT_EQ(
      refusal(R"({"weight_map": {"a": "../secret"}})"),
      file + ": array \"a\" is in \"../secret\" but the name of a file beside it was expected");
  EXPECT_EQ(refusal(R"({"weight_map": {"a": 5}})"),
            file + ": array \"a\" is in 5 but the name of a file beside it was expected");
  EXPECT_EQ(refusal(R"({"weight_map": {}})"), file + ": names no file");
  EXPECT_EQ(refusal("{}"), file + ": has no \"weight_map\"");
}

TEST(HuggingFaceWeights, AreOnceInAFolder) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { HuggingFaceWeights weights(folder.path("")); }),
            folder.path("") + ": has neither model.safetensors nor pytorch_model.bin");
  put_arrays(folder, "x.safetensors", {"a"});
  put_arrays(folder, "y.safetensors", {"a"});
  folder.put("model.safetensors.index.json",
             R"({"weight_map": {"a": "x.safetensors", "b": "y.safetensors"}})");
  EXPECT_EQ(error_of([&] { HuggingFaceWeights weights(folder.path("")); }),
            folder.path("y.safetensors") + ": array \"a\" is in another file as well");
}

}  // namespace
}  // namespace heed
