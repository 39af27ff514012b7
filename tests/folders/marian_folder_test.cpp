#include "heed/folders/marian_folder.h"

#include <gtest/gtest.h>

#include <map>

#include "compress.h"
#include "error_of.h"
#include "heed/folders/word_rows.h"
#include "heed/models/transformer.h"
#include "heed/weights/int8_matrix.h"
#include "heed/weights/marian_file.h"
#include "marian_sample.h"
#include "marian_shortlist_maker.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::marian_shortlist_bytes;
using heed::testing::TemporaryFolder;
using heed::testing::values_of;
using namespace heed::testing::marian_sample;

class MarianFolder : public ::testing::Test {
 protected:
  ModelFolder read(const std::string& name = "") const {
    return read_marian_model(folder.path(name));
  }
  std::string refusal(const Settings& settings) const {
    write_folder(folder, settings);
    return error_of([&] { read(); });
  }

  TemporaryFolder folder;
};

std::map<std::string, Tensor> parameters_of_model(Model& model) {
  std::map<std::string, Tensor> parameters;
  model.visit_parameters({},
                         [&](const std::string& name, Tensor& value) { parameters[name] = value; });
  return parameters;
}

TEST_F(MarianFolder, BecomesATransformerWithTheSameWeights) {
  write_folder(folder);
  ModelFolder found = read();
  const auto& config = std::get<TransformerConfig>(found.config);
  EXPECT_EQ(config.encoder_layers, 1);
  EXPECT_EQ(config.decoder_layers, 2);
  EXPECT_EQ(config.heads, 2);
  EXPECT_EQ(config.ffn, ffn);
  EXPECT_EQ(config.activation, Activation::relu);
  EXPECT_EQ(config.norm, NormPlacement::post);
  EXPECT_EQ(config.norm_epsilon, 1e-6);
  EXPECT_EQ(config.sinusoids, SinusoidSpacing::tensor2tensor);
  EXPECT_EQ(config.decoder_start, DecoderStart::zeros);
  EXPECT_EQ(config.tied, TiedEmbeddings::all);
  EXPECT_TRUE(config.source_end);
  const MarianFile weights = MarianFile::open(folder.path("model.npz"));
  const auto parameters = parameters_of_model(*found.model);
  EXPECT_EQ(values_of(parameters.at("model.decoder.layers.1.encoder_attn.k_proj.weight")),
            values_of(weights.read_rows("decoder_l2_context_Wk")));
  EXPECT_EQ(values_of(parameters.at("model.encoder.layers.0.fc1.weight")),
            values_of(weights.read_rows("encoder_l1_ffn_W1")));
  EXPECT_EQ(values_of(parameters.at("model.encoder.layers.0.self_attn_layer_norm.bias")),
            values_of(weights.read("encoder_l1_self_Wo_ln_bias")));
  // Marian starts with zeros, in a row that it does not have.
  const Tensor table = parameters.at("model.shared.weight");
  ASSERT_EQ(table.shape(), (Shape{words + 1, width}));
  EXPECT_EQ(values_of(table.slice(0, words)), values_of(weights.read("Wemb")));
  EXPECT_EQ(values_of(table.slice(words, words + 1)), std::vector<double>(width, 0));
  EXPECT_EQ(parameters.at("final_logits_bias")[words], never);
}

TEST_F(MarianFolder, IsSearchedAsMarianDoes) {
  write_folder(folder);
  const SearchDefaults search = read().notes.search;
  EXPECT_EQ(search.beam, 4);
  EXPECT_EQ(search.length_penalty, 0.6);
  EXPECT_EQ(search.word_penalty, 0.1);
  EXPECT_TRUE(search.narrowing);
  EXPECT_TRUE(search.never_unknown);
  EXPECT_EQ(search.max_ratio, 3);
  EXPECT_EQ(search.alignment_head, 1);
  EXPECT_EQ(read().notes.origin, "Marian v1.12.43 test");
}

TEST_F(MarianFolder, SplitsTextAtSpacesWithAListOfWords) {
  write_folder(folder);
  const ModelFolder found = read();
  EXPECT_EQ(found.source.encode("b ä a x"), (std::vector<int32_t>{3, 5, 2, 1}));
  EXPECT_EQ(found.target.decode(std::vector<int32_t>{4, 5, 2}), "c ä a");
}

TEST_F(MarianFolder, IsTheSameInBinaryForm) {
  write_folder(folder, ssru());
  ModelFolder npz = read("model.npz");
  folder.put("model.bin", Weights(ssru()).made.binary());
  ModelFolder binary = read("model.bin");
  EXPECT_EQ(npz.config, binary.config);
  const auto parameters = parameters_of_model(*npz.model);
  for (const auto& [name, value] : parameters_of_model(*binary.model))
    EXPECT_EQ(values_of(value), values_of(parameters.at(name))) << name;
}

TEST_F(MarianFolder, HasPreNormAndRecurrentDecoders) {
  write_folder(folder, pre_norm());
  EXPECT_EQ(std::get<TransformerConfig>(read().config).norm, NormPlacement::pre);
  write_folder(folder, ssru());
  EXPECT_EQ(std::get<TransformerConfig>(read().config).decoder, Autoregression::ssru);
  Settings both = pre_norm();
  both.merge(ssru());
  write_folder(folder, both);
  EXPECT_EQ(std::get<TransformerConfig>(read().config).decoder, Autoregression::ssru);
}

TEST_F(MarianFolder, IsFoundWithoutDecoderSettingsAndPacked) {
  write_folder(folder);
  std::filesystem::remove(folder.path("decoder.yml"));
  EXPECT_TRUE(is_marian_model(folder.path("")));
  const ModelFolder plain = read();
  EXPECT_EQ(plain.notes.search.beam, 0);
  EXPECT_EQ(plain.notes.search.length_penalty, 1);
  for (const char* name : {"model.npz", "vocab.yml"}) {
    folder.put(std::string(name) + ".gz", testing::gzipped(folder.text(name)));
    std::filesystem::remove(folder.path(name));
  }
  EXPECT_TRUE(is_marian_model(folder.path("")));
  EXPECT_EQ(read().config, plain.config);
}

TEST_F(MarianFolder, ReadsTheShortlistBesideIt) {
  write_folder(folder);
  folder.put("lex.50.50.s2t.bin", marian_shortlist_bytes(1, {0, 0, 0, 2, 2, 3, 3}, {4, 5, 2}));
  const ModelFolder found = read();
  ASSERT_TRUE(found.shortlist.has_value());
  EXPECT_EQ(found.shortlist->lists().frequent, (std::vector<int32_t>{0}));
  EXPECT_EQ(found.shortlist->lists().offsets, (std::vector<int64_t>{0, 0, 0, 2, 2, 3, 3, 3}));
  EXPECT_TRUE(found.shortlist->lists().with_source);
  folder.put("lex.50.50.s2t.bin", marian_shortlist_bytes(1, {0, 0, 0, 2, 2, 3, 3}, {4, 5, 200}));
  EXPECT_EQ(error_of([&] { read(); }),
            folder.path("lex.50.50.s2t.bin") + ": candidate 200, but the model has 7 words");
}

// What is stored or computed with 8 bits has the integers of the file.
TEST_F(MarianFolder, KeepsIntegers) {
  write_folder(folder);
  Weights weights(post_norm());
  for (auto& array : weights.made.arrays())
    if (array.name == "encoder_l1_self_Wq") {
      array.type = 0x10001;
      std::vector<int8_t> integers(width * width, 3);
      integers[5] = 127;
      array.bytes = testing::bytes_of(integers) + testing::bytes_of(std::vector<float>{50});
    }
  folder.put("model.bin", weights.made.binary());
  ModelFolder found = read("model.bin");
  const auto parameters = parameters_of_model(*found.model);
  const Int8Matrix small = to_int8(parameters.at("model.encoder.layers.0.self_attn.q_proj.weight"));
  std::vector<int8_t> expected(width * width, 3);
  expected[5] = 127;
  EXPECT_EQ(small.integers, expected);
}

TEST_F(MarianFolder, RefusesWhatHeedDoesNotHonourByItsName) {
  const auto with = [](Settings settings, const std::string& name, const std::string& value) {
    settings[name] = value;
    return settings;
  };
  const std::string start = folder.path("model.npz") + ": special:model.yml: ";
  EXPECT_EQ(refusal(with(post_norm(), "type", "s2s")),
            start + "type is \"s2s\", which heed does not support");
  EXPECT_EQ(refusal(with(post_norm(), "right-left", "true")),
            start + "right-left is \"true\", which heed does not support");
  EXPECT_EQ(refusal(with(post_norm(), "transformer-ffn-depth", "3")),
            start + "transformer-ffn-depth is \"3\", which heed does not support");
  EXPECT_EQ(refusal(with(post_norm(), "transformer-decoder-autoreg", "average-attention")),
            start +
                "transformer-decoder-autoreg is \"average-attention\", which heed does not "
                "support");
  EXPECT_EQ(refusal(with(ssru(), "dec-cell", "gru")),
            start +
                "dec-cell is \"gru\", but of recurrent units heed supports only ssru in a "
                "Transformer");
  EXPECT_EQ(refusal(with(post_norm(), "transformer-ffn-activation", "geglu")),
            start + "transformer-ffn-activation is \"geglu\", which heed does not support");
  EXPECT_TRUE(refusal(with(post_norm(), "transformer-preprocess", "n"))
                  .starts_with(start + "transformer-preprocess \"n\", transformer-postprocess "
                                       "\"dan\""));
}

TEST_F(MarianFolder, RefusesPartsThatDoNotBelongTogether) {
  const std::string file = folder.path("model.npz");
  Settings deeper = post_norm();
  deeper["dec-depth"] = "1";
  EXPECT_EQ(refusal(deeper), file +
                                 ": array \"decoder_l2_context_Wk\" is not supported by heed's "
                                 "Transformer");
  deeper["dec-depth"] = "3";
  EXPECT_EQ(refusal(deeper), file + ": array \"decoder_l3_self_Wq\" is missing");
  deeper["dec-depth"] = "200000000";
  EXPECT_TRUE(refusal(deeper).starts_with(file + ": ")) << refusal(deeper);
  Settings wider = post_norm();
  wider["transformer-dim-ffn"] = "13";
  EXPECT_TRUE(refusal(wider).starts_with(file + ": array \"encoder_l1_ffn_W1\" has the shape"))
      << refusal(wider);
  write_folder(folder);
  folder.put("vocab.yml", "</s>: 0\na: 1\n");
  EXPECT_EQ(error_of([&] { read(); }), folder.path("vocab.yml") + ": the word <unk> is missing");
}

}  // namespace
}  // namespace heed
