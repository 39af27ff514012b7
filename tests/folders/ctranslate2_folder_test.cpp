#include "heed/folders/ctranslate2_folder.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "ctranslate2_sample.h"
#include "error_of.h"
#include "heed/folders/word_rows.h"
#include "heed/models/transformer.h"
#include "temporary_folder.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::random_tensor;
using heed::testing::TemporaryFolder;
using heed::testing::values_of;
using namespace heed::testing::ctranslate2_sample;

class CTranslate2Folder : public ::testing::Test {
 protected:
  CTranslate2Folder() { write_folder(folder); }

  void write(const Arrays& arrays, int16_t heads) { write_model(folder, arrays, heads); }

  ModelFolder read() const { return read_ctranslate2_folder(folder.path("")); }

  TemporaryFolder folder;
};

std::map<std::string, Tensor> parameters_by_name(Model& model) {
  std::map<std::string, Tensor> parameters;
  model.visit_parameters({},
                         [&](const std::string& name, Tensor& value) { parameters[name] = value; });
  return parameters;
}

TEST_F(CTranslate2Folder, BecomesATransformerWithTheSameWeights) {
  ModelFolder found = read();
  const auto& config = std::get<TransformerConfig>(found.config);
  EXPECT_EQ(config.encoder_layers, 2);
  EXPECT_EQ(config.heads, 2);
  EXPECT_EQ(config.ffn, ffn);
  EXPECT_EQ(config.norm, NormPlacement::pre);
  EXPECT_EQ(config.positions, PositionKind::learned);
  EXPECT_EQ(config.tied, TiedEmbeddings::none);
  EXPECT_FALSE(config.source_end);
  auto parameters = parameters_by_name(*found.model);
  Arrays arrays = some_arrays();
  const auto expect_part = [&](const std::string& name, const std::string& array, int64_t part) {
    const int64_t rows = parameters[name].shape()[0];
    EXPECT_EQ(values_of(parameters[name]),
              values_of(arrays[array].slice(part * rows, (part + 1) * rows)))
        << name;
  };
  expect_part("model.encoder.layers.1.self_attn.q_proj.weight",
              "encoder/layer_1/self_attention/linear_0/weight", 0);
  expect_part("model.encoder.layers.1.self_attn.v_proj.bias",
              "encoder/layer_1/self_attention/linear_0/bias", 2);
  expect_part("model.decoder.layers.0.encoder_attn.v_proj.weight",
              "decoder/layer_0/attention/linear_1/weight", 1);
  expect_part("model.decoder.layers.0.encoder_attn_layer_norm.bias",
              "decoder/layer_0/attention/layer_norm/beta", 0);
  expect_part("model.decoder.layers.1.fc2.weight", "decoder/layer_1/ffn/linear_1/weight", 0);
  expect_part("model.decoder.layer_norm.weight", "decoder/layer_norm/gamma", 0);
}

// heed's ids: the end, the unknown, the words in their order, and the start.
TEST_F(CTranslate2Folder, KeepsTheRowsOfTheTokens) {
  ModelFolder found = read();
  EXPECT_EQ(found.source.size(), 2 + 5 + 1);
  EXPECT_EQ(found.source.piece(3), "▁a");
  EXPECT_EQ(found.target.decode(found.target.encode("x z y")), "x z y");
  auto parameters = parameters_by_name(*found.model);
  Arrays arrays = some_arrays();
  const auto row = [](const Tensor& table, int64_t index) {
    return values_of(table.slice(index, index + 1));
  };
  const Tensor table = parameters["model.encoder.embed_tokens.weight"];
  EXPECT_EQ(row(table, Vocabulary::end), row(arrays["encoder/embeddings/weight"], 2));
  EXPECT_EQ(row(table, found.source.encode("c")[0]), row(arrays["encoder/embeddings/weight"], 5));
  EXPECT_EQ(row(table, found.source.start()), row(arrays["encoder/embeddings/weight"], 1));
  EXPECT_EQ(row(parameters["lm_head.weight"], found.target.encode("y")[0]),
            row(arrays["decoder/projection/weight"], 4));
  const Tensor bias = parameters["final_logits_bias"];
  EXPECT_EQ(bias[found.target.encode("y")[0]], arrays["decoder/projection/bias"][4]);
  // Neither the start token nor words unknown to the model are ever proposed.
  EXPECT_EQ(bias[found.target.start()], never);
  EXPECT_EQ(bias[Vocabulary::unknown], never);
}

TEST_F(CTranslate2Folder, TiesTablesThatAreEqual) {
  Arrays arrays = some_arrays();
  arrays["decoder/projection/weight"] = arrays["decoder/embeddings/weight"];
  write(arrays, 2);
  EXPECT_EQ(std::get<TransformerConfig>(read().config).tied, TiedEmbeddings::decoder);
}

// As in CTranslate2: if a list has no unknown word, the row after the last is the unknown word's.
TEST_F(CTranslate2Folder, FindsTheUnknownWordAfterTheOthers) {
  folder.put("source_vocabulary.txt", "<blank>\n<s>\n</s>\na\nb\nc\n");
  const ModelFolder found = read();
  const Tensor table = parameters_of(*found.model).front().value;
  const Tensor stored = some_arrays().at("encoder/embeddings/weight");
  for (int64_t i = 0; i < 8; ++i)
    EXPECT_EQ(table[Vocabulary::unknown * 8 + i], stored[(source_words - 1) * 8 + i]);
}

TEST_F(CTranslate2Folder, SaysWhatDoesNotFit) {
  const auto error = [&](const std::function<void(Arrays&)>& change, int16_t heads = 2) {
    Arrays arrays = some_arrays();
    change(arrays);
    write(arrays, heads);
    const std::string sentence = error_of([&] { (void)read(); });
    return sentence.substr(
        sentence.find("model.bin") == std::string::npos ? 0 : sentence.find("model.bin"));
  };
  EXPECT_EQ(error([](Arrays& a) { a.erase("encoder/layer_1/ffn/linear_1/weight"); }),
            "model.bin: array \"encoder/layer_1/ffn/linear_1/weight\" is missing");
  EXPECT_EQ(error([](Arrays& a) { a["encoder/layer_0/surprise"] = random_tensor({3}, 1); }),
            "model.bin: array \"encoder/layer_0/surprise\" is not supported by heed's Transformer");
  EXPECT_EQ(error([](Arrays& a) {
              a["decoder/layer_0/attention/linear_1/bias"] = random_tensor({3}, 1);
            }),
            "model.bin: array \"decoder/layer_0/attention/linear_1/bias\" has shape (3) but 16 "
            "rows were expected");
  EXPECT_EQ(error([](Arrays&) {}, 3), "transformer: 3 heads do not divide a width of 8");
  folder.put("target_vocabulary.txt", "<blank>\n<s>\nx\ny\nz\n");
  EXPECT_EQ(error([](Arrays&) {}), "model.bin: the vocabulary has no \"</s>\"");
}

}  // namespace
}  // namespace heed
