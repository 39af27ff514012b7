#include "heed/folders/classifier_folder.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/folders/bert_config_json.h"
#include "heed/weights/tensor_file.h"
#include "small_classifier.h"
#include "temporary_folder.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::error_kind_of;
using testing::error_of;
using testing::put_classifier;
using testing::small_classifier;
using testing::TemporaryFolder;
using testing::values_of;

std::vector<double> scores(const Classifier& model) {
  Tape tape({.record = false});
  const std::vector<std::vector<int32_t>> texts = {{2, 5, 6, 3}, {2, 3}};
  return values_of(logits(tape, model, {join_sentences(texts), {}}).value());
}

// As Hugging Face's library writes it: without a seal and without heed's settings.
void put_foreign(const TemporaryFolder& folder, const ClassifierFolder& model) {
  std::string json = to_json({model.config, model.labels});
  const size_t ours = json.find("  \"heed\"");
  json.erase(ours, json.find("},\n", ours) + 3 - ours);
  folder.put("config.json", json);
  folder.put("tokenizer.json", model.pieces.json());
  TensorFileWriter writer;
  for (const Parameter& parameter : parameters_of(*model.model))
    writer.add(parameter.name, parameter.value);
  writer.add_integers("bert.embeddings.position_ids", {1, 2}, {0, 1});
  writer.save(folder.path("model.safetensors"));
}

TEST(ClassifierFolder, WhatIsSavedIsReadBack) {
  for (const TextPooling pooling : {TextPooling::mean, TextPooling::max, TextPooling::first,
                                    TextPooling::attention, TextPooling::pooler})
    for (const bool several : {false, true}) {
      const TemporaryFolder folder;
      put_classifier(folder.path(""), pooling, several);
      EXPECT_TRUE(is_classifier_folder(folder.path("")));
      const ClassifierFolder read = load_classifier_folder(folder.path("")),
                             expected = small_classifier(pooling, several);
      EXPECT_EQ(read.config, expected.config);
      EXPECT_EQ(read.labels, expected.labels);
      EXPECT_EQ(read.pieces.json(), expected.pieces.json());
      EXPECT_EQ(scores(*read.model), scores(*expected.model));
    }
}

TEST(ClassifierFolder, OfOthersIsReadWithTheirPooler) {
  const TemporaryFolder folder;
  const ClassifierFolder expected = small_classifier(TextPooling::pooler);
  put_foreign(folder, expected);
  const ClassifierFolder read = load_classifier_folder(folder.path(""));
  EXPECT_EQ(read.config, expected.config);
  EXPECT_EQ(scores(*read.model), scores(*expected.model));
}

TEST(ClassifierFolder, WhatIsMissingIsNamed) {
  const TemporaryFolder folder;
  put_foreign(folder, small_classifier(TextPooling::mean));
  EXPECT_EQ(error_of([&] { load_classifier_folder(folder.path("")); }),
            folder.path("model.safetensors") + ": array \"bert.pooler.dense.weight\" is missing");
  EXPECT_EQ(error_kind_of([&] { load_classifier_folder(folder.path("")); }), ErrorKind::model);
}

TEST(ClassifierFolder, AnotherModelIsNone) {
  const TemporaryFolder folder;
  testing::put_bert(folder.path(""));
  EXPECT_FALSE(is_classifier_folder(folder.path("")));
  EXPECT_EQ(error_of([&] { load_classifier_folder(folder.path("")); }),
            folder.path("") +
                ": is not the folder of a classifier; `heed train --task classify` makes one");
  EXPECT_FALSE(is_classifier_folder(folder.path("nowhere")));
}

TEST(ClassifierFolder, NoticesWhatHasChangedSinceItWasSaved) {
  const TemporaryFolder folder;
  put_classifier(folder.path(""));
  std::string json = folder.text("config.json");
  json.replace(json.find("\"mean\""), 6, "\"max\"");
  folder.put("config.json", json);
  EXPECT_NE(error_of([&] { load_classifier_folder(folder.path("")); }).find("config.json"),
            std::string::npos);
  EXPECT_EQ(load_classifier_folder(folder.path(""), Changes::accept).config.pooling,
            TextPooling::max);
}

}  // namespace
}  // namespace heed
