#include "heed/folders/masked_folder.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/folders/bert_config_json.h"
#include "heed/weights/tensor_file.h"
#include "small_classifier.h"
#include "temporary_folder.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::error_of;
using testing::put_masked;
using testing::small_masked_model;
using testing::TemporaryFolder;
using testing::values_of;

std::vector<double> scores(const MaskedModel& model) {
  Tape tape({.record = false});
  const std::vector<std::vector<int32_t>> texts = {{2, 5, 4, 3}}, missing = {{6}};
  return values_of(
      logits(tape, model,
             {.source = join_sentences(texts), .target = join_sentences(missing), .places = {2}})
          .value());
}

TEST(MaskedFolder, WhatIsSavedIsReadBack) {
  const TemporaryFolder folder;
  put_masked(folder.path(""));
  EXPECT_TRUE(is_masked_folder(folder.path("")));
  const MaskedFolder read = load_masked_folder(folder.path("")), expected = small_masked_model();
  EXPECT_EQ(read.config, expected.config);
  EXPECT_EQ(read.pieces.json(), expected.pieces.json());
  EXPECT_EQ(scores(*read.model), scores(*expected.model));
}

// With the output layer once more, as early versions of Hugging Face's library write it.
TEST(MaskedFolder, OfOthersIsReadWithoutWhatIsThereTwice) {
  const TemporaryFolder folder;
  const MaskedFolder expected = small_masked_model();
  folder.put("config.json", to_json(expected.config, BertHead::masked));
  folder.put("tokenizer.json", expected.pieces.json());
  TensorFileWriter writer;
  for (const Parameter& parameter : parameters_of(*expected.model))
    writer.add(parameter.name, parameter.value);
  writer.add("cls.predictions.decoder.weight", expected.model->encoder().words());
  writer.add("cls.seq_relationship.weight", Tensor::zeros({2, 32}));
  writer.save(folder.path("model.safetensors"));
  EXPECT_EQ(scores(*load_masked_folder(folder.path("")).model), scores(*expected.model));
}

TEST(MaskedFolder, AnotherModelIsNone) {
  const TemporaryFolder folder;
  testing::put_classifier(folder.path(""));
  EXPECT_FALSE(is_masked_folder(folder.path("")));
  EXPECT_EQ(error_of([&] { load_masked_folder(folder.path("")); }),
            folder.path("") + ": is not the folder of a masked-language model");
}

}  // namespace
}  // namespace heed
