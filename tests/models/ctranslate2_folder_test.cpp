#include "heed/models/ctranslate2_folder.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "ctranslate2_maker.h"
#include "error_of.h"
#include "heed/models/transformer.h"
#include "temporary_folder.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::CTranslate2Maker;
using heed::testing::error_of;
using heed::testing::random_tensor;
using heed::testing::TemporaryFolder;
using heed::testing::values_of;
using Arrays = std::map<std::string, Tensor>;

constexpr int64_t depth = 8, feed_forward = 12, source_words = 7, target_words = 6;

void add_linear(Arrays& arrays, const std::string& name, int64_t rows, int64_t columns) {
  arrays[name + "/weight"] = random_tensor({rows, columns}, arrays.size() + 1);
  arrays[name + "/bias"] = random_tensor({rows}, arrays.size() + 1);
}

void add_norm(Arrays& arrays, const std::string& name) {
  arrays[name + "/gamma"] = random_tensor({depth}, arrays.size() + 1);
  arrays[name + "/beta"] = random_tensor({depth}, arrays.size() + 1);
}

void add_layers(Arrays& arrays, const std::string& side, bool attends) {
  for (int i = 0; i < 2; ++i) {
    const std::string layer = fmt::format("{}/layer_{}/", side, i);
    add_linear(arrays, layer + "self_attention/linear_0", 3 * depth, depth);
    add_linear(arrays, layer + "self_attention/linear_1", depth, depth);
    add_norm(arrays, layer + "self_attention/layer_norm");
    if (attends) {
      add_linear(arrays, layer + "attention/linear_0", depth, depth);
      add_linear(arrays, layer + "attention/linear_1", 2 * depth, depth);
      add_linear(arrays, layer + "attention/linear_2", depth, depth);
      add_norm(arrays, layer + "attention/layer_norm");
    }
    add_linear(arrays, layer + "ffn/linear_0", feed_forward, depth);
    add_linear(arrays, layer + "ffn/linear_1", depth, feed_forward);
    add_norm(arrays, layer + "ffn/layer_norm");
  }
}

// A model of two layers whose norms stand before the blocks.
Arrays some_arrays() {
  Arrays arrays;
  arrays["encoder/embeddings/weight"] = random_tensor({source_words, depth}, 91);
  arrays["decoder/embeddings/weight"] = random_tensor({target_words, depth}, 92);
  add_layers(arrays, "encoder", false);
  add_layers(arrays, "decoder", true);
  add_norm(arrays, "encoder/layer_norm");
  add_norm(arrays, "decoder/layer_norm");
  add_linear(arrays, "decoder/projection", target_words, depth);
  return arrays;
}

class CTranslate2Folder : public ::testing::Test {
 protected:
  CTranslate2Folder() {
    folder.put("source_vocabulary.txt", "<blank>\n<s>\n</s>\na\nb\nc\nd\n");
    folder.put("target_vocabulary.txt", "<blank>\n<s>\n</s>\nx\ny\nz\n");
    write(some_arrays(), 2);
  }

  void write(const Arrays& arrays, int16_t heads) {
    CTranslate2Maker file(6);
    file.integer(static_cast<uint32_t>(arrays.size() + 2));
    for (const auto& [name, array] : arrays) {
      std::vector<uint32_t> sizes;
      for (const int64_t size : array.shape().sizes()) sizes.push_back(static_cast<uint32_t>(size));
      const std::span<const float> values = array.span<float>();
      file.array<float>(name, sizes, 0, {values.begin(), values.end()});
    }
    file.array<int16_t>("encoder/num_heads", {}, 2, {heads});
    file.array<int16_t>("decoder/num_heads", {}, 2, {heads});
    file.integer(uint32_t{0});
    folder.put("model.bin", file.bytes());
  }

  ModelFolder read() const { return read_ctranslate2_folder(folder.path("")); }

  TemporaryFolder folder;
};

std::map<std::string, Tensor> parameters_by_name(Model& model) {
  std::map<std::string, Tensor> parameters;
  model.visit_parameters({}, [&](const std::string& name, Tensor& value) { parameters[name] = value; });
  return parameters;
}

TEST_F(CTranslate2Folder, BecomesATransformerWithTheSameWeights) {
  ModelFolder found = read();
  const auto& config = std::get<TransformerConfig>(found.config);
  EXPECT_EQ(config.encoder_layers, 2);
  EXPECT_EQ(config.heads, 2);
  EXPECT_EQ(config.feed_forward, feed_forward);
  EXPECT_EQ(config.norm, NormPlacement::before);
  EXPECT_EQ(config.positions, PositionKind::learned);
  EXPECT_EQ(config.tied, TiedEmbeddings::none);
  EXPECT_FALSE(config.source_end);
  auto parameters = parameters_by_name(*found.model);
  Arrays arrays = some_arrays();
  const auto expect_part = [&](const std::string& name, const std::string& array, int64_t part) {
    const int64_t rows = parameters[name].shape()[0];
    EXPECT_EQ(values_of(parameters[name]), values_of(arrays[array].slice(part * rows, (part + 1) * rows)))
        << name;
  };
  expect_part("model.encoder.layers.1.self_attn.q_proj.weight",
              "encoder/layer_1/self_attention/linear_0/weight", 0);
  expect_part("model.encoder.layers.1.self_attn.v_proj.bias", "encoder/layer_1/self_attention/linear_0/bias",
              2);
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
  // Neither the start nor what the model does not know is ever proposed.
  EXPECT_LT(bias[found.target.start()], -1e8);
  EXPECT_LT(bias[Vocabulary::unknown], -1e8);
}

TEST_F(CTranslate2Folder, TiesTablesThatAreEqual) {
  Arrays arrays = some_arrays();
  arrays["decoder/projection/weight"] = arrays["decoder/embeddings/weight"];
  write(arrays, 2);
  EXPECT_EQ(std::get<TransformerConfig>(read().config).tied, TiedEmbeddings::decoder);
}

TEST_F(CTranslate2Folder, SaysWhatDoesNotFit) {
  const auto error = [&](const std::function<void(Arrays&)>& change, int16_t heads = 2) {
    Arrays arrays = some_arrays();
    change(arrays);
    write(arrays, heads);
    const std::string sentence = error_of([&] { (void)read(); });
    return sentence.substr(sentence.find("model.bin") == std::string::npos ? 0 : sentence.find("model.bin"));
  };
  EXPECT_EQ(error([](Arrays& a) { a.erase("encoder/layer_1/ffn/linear_1/weight"); }),
            "model.bin: array \"encoder/layer_1/ffn/linear_1/weight\" is missing");
  EXPECT_EQ(error([](Arrays& a) { a["encoder/layer_0/surprise"] = random_tensor({3}, 1); }),
            "model.bin: heed's Transformer has no place for array \"encoder/layer_0/surprise\"");
  EXPECT_EQ(error([](Arrays& a) { a["decoder/layer_0/attention/linear_1/bias"] = random_tensor({3}, 1); }),
            "model.bin: array \"decoder/layer_0/attention/linear_1/bias\" has 3 rows but 16 was expected");
  EXPECT_EQ(error([](Arrays&) {}, 3), "transformer: 3 heads do not divide a depth of 8");
  folder.put("target_vocabulary.txt", "<blank>\n<s>\nx\ny\nz\n");
  EXPECT_EQ(error([](Arrays&) {}), "model.bin: the vocabulary has no \"</s>\"");
}

}  // namespace
}  // namespace heed
