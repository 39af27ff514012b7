#include "heed/folders/bert_folder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "error_of.h"
#include "external_data.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "heed/folders/bert_config_json.h"
#include "heed/folders/model_folder.h"
#include "heed/weights/tensor_file.h"
#include "small_classifier.h"
#include "temporary_folder.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::error_kind_of;
using testing::error_of;
using testing::put_bert;
using testing::small_bert;
using testing::TemporaryFolder;
using testing::values_of;

std::vector<double> encoded(const Bert& model) {
  Tape tape({.record = false});
  const std::vector<std::vector<int32_t>> texts = {{2, 5, 6, 3}, {2, 3}};
  return values_of(model.encode(tape, join_sentences(texts)).value());
}

// As others write it: without a seal, with names of their own.
void put_foreign(const TemporaryFolder& folder, const std::string& prefix, bool early_norms,
                 const std::string& more = "") {
  BertFolder model = small_bert();
  folder.put("config.json", to_json(model.config));
  folder.put("tokenizer.json", model.pieces.json());
  TensorFileWriter writer;
  for (const Parameter& parameter : parameters_of(*model.model)) {
    std::string name = prefix + parameter.name;
    const size_t norm = name.find("LayerNorm.");
    if (early_norms && norm != name.npos)
      name = name.substr(0, norm + 10) + (name.ends_with("weight") ? "gamma" : "beta");
    writer.add(name, parameter.value);
  }
  writer.add_integers(prefix + "embeddings.position_ids", {1, 2}, {0, 1});
  writer.add(prefix + "pooler.dense.weight", Tensor::zeros({16, 16}));
  writer.add("cls.predictions.bias", Tensor::zeros({20}));
  if (!more.empty()) writer.add(more, Tensor::zeros({1}));
  writer.save(folder.path("model.safetensors"));
}

TEST(BertFolder, WhatIsSavedIsReadBack) {
  const TemporaryFolder folder;
  put_bert(folder.path(""));
  EXPECT_TRUE(is_bert_folder(folder.path("")));
  const BertFolder read = load_bert_folder(folder.path(""));
  const BertFolder expected = small_bert();
  EXPECT_EQ(read.config, expected.config);
  EXPECT_EQ(read.pieces.json(), expected.pieces.json());
  EXPECT_EQ(encoded(*read.model), encoded(*expected.model));
}

TEST(BertFolder, OfOthersIsReadWithTheirNames) {
  for (const char* prefix : {"", "bert."})
    for (const bool early : {false, true}) {
      const TemporaryFolder folder;
      put_foreign(folder, prefix, early);
      EXPECT_EQ(encoded(*load_bert_folder(folder.path("")).model), encoded(*small_bert().model))
          << prefix << early;
    }
}

TEST(BertFolder, IsStoredInFewerBits) {
  for (const WeightStorage storage : {WeightStorage::float16, WeightStorage::int8}) {
    const TemporaryFolder folder;
    BertFolder model = small_bert();
    model.storage = storage;
    save_bert_folder(folder.path(""), model);
    const BertFolder read = load_bert_folder(folder.path(""));
    EXPECT_EQ(read.storage, storage);
    EXPECT_NE(encoded(*read.model), encoded(*model.model));
  }
}

TEST(BertFolder, WhatIsMissingOrDoesNotFitIsNamed) {
  const TemporaryFolder folder;
  const auto refusal = [&] { return error_of([&] { load_bert_folder(folder.path("")); }); };
  put_foreign(folder, "", false, "adapter.weight");
  EXPECT_EQ(refusal(), folder.path("model.safetensors") +
                           ": array \"adapter.weight\" is none that heed knows of a BERT");
  put_foreign(folder, "x.", false);
  EXPECT_EQ(refusal(), folder.path("model.safetensors") +
                           ": array \"embeddings.word_embeddings.weight\" is missing");
  put_foreign(folder, "", false);
  BertConfig config = testing::small_bert_config();
  config.ffn = 47;
  folder.put("config.json", to_json(config));
  EXPECT_EQ(refusal(), folder.path("model.safetensors") +
                           ": array \"encoder.layer.0.intermediate.dense.weight\" has shape (48, "
                           "32) but (47, 32) was expected");
  config.ffn = 60000;
  folder.put("config.json", to_json(config));
  EXPECT_NE(refusal().find("are too few for the model that config.json describes"),
            std::string::npos);
  config = testing::small_bert_config();
  config.vocabulary = 19;
  folder.put("config.json", to_json(config));
  EXPECT_EQ(refusal(), folder.path("tokenizer.json") + ": 20 pieces, but config.json says 19");
  config = testing::small_bert_config();
  config.context_length = 2;
  folder.put("config.json", to_json(config));
  EXPECT_EQ(refusal(), folder.path("tokenizer.json") +
                           ": every text has 2 tokens more, but the model reads at most 2");
  EXPECT_EQ(error_kind_of([&] { load_bert_folder(folder.path("")); }), ErrorKind::model);
}

TEST(BertFolder, NoticesWhatHasChangedSinceItWasSaved) {
  const TemporaryFolder folder;
  put_bert(folder.path(""));
  std::string json = folder.text("tokenizer.json");
  json.replace(json.find("playing") == json.npos ? json.find("play") : 0, 4, "plan");
  folder.put("tokenizer.json", json);
  const std::string refusal = error_of([&] { load_bert_folder(folder.path("")); });
  EXPECT_TRUE(refusal.starts_with(folder.path("tokenizer.json") + ": damaged, or of another model"))
      << refusal;
  load_bert_folder(folder.path(""), Changes::accept);
}

TEST(BertFolder, OfAModelWithAHeadIsItsEncoder) {
  const TemporaryFolder classifier, masked;
  testing::put_classifier(classifier.path(""));
  testing::put_masked(masked.path(""));
  EXPECT_TRUE(is_bert_folder(classifier.path("")));
  EXPECT_TRUE(is_bert_folder(masked.path("")));
  EXPECT_EQ(encoded(*load_bert_folder(classifier.path("")).model),
            encoded(testing::small_classifier().model->encoder()));
  EXPECT_EQ(encoded(*load_bert_folder(masked.path("")).model),
            encoded(testing::small_masked_model().model->encoder()));
}

TEST(BertFolder, IsNoModelThatGenerates) {
  const TemporaryFolder folder;
  put_bert(folder.path(""));
  EXPECT_EQ(error_of([&] { load_model_folder(folder.path("")); }),
            folder.path("") +
                ": is an encoder alone (BERT), which turns texts into vectors and generates "
                "nothing");
}

// Every head of every layer, as PyTorch computed them.
TEST(BertFolder, TheAttentionOfARealModelEqualsPyTorchs) {
  const auto folder = testing::external_data("minilm");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const BertFolder bert = load_bert_folder(folder);
  const JsonValue golden = JsonValue::parse(MappedFile(folder / "golden.json").text());
  const JsonValue& expected = golden[0]["attention"];  // (layers, heads, queries, keys)
  const std::vector<std::vector<int32_t>> text = {
      bert.pieces.encode(golden[0]["text"].get<std::string>())};
  Tape tape({.record = false});
  AttentionRecorder recorder;
  bert.model->encode(tape, join_sentences(text), &recorder);
  ASSERT_EQ(recorder.attentions().size(), expected.size());
  for (size_t layer = 0; layer < expected.size(); ++layer) {
    const Tensor& weights = recorder.attentions()[layer].weights;
    std::vector<double> flat;
    for (const JsonValue& head : expected[layer])
      for (const JsonValue& row : head)
        for (const JsonValue& weight : row) flat.push_back(weight.get<double>());
    ASSERT_EQ(static_cast<size_t>(weights.elements()), flat.size());
    for (size_t i = 0; i < flat.size(); ++i)
      ASSERT_NEAR(weights[static_cast<int64_t>(i)], flat[i], 1e-4) << layer << " " << i;
  }
}

}  // namespace
}  // namespace heed
