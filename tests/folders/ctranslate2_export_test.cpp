#include "heed/folders/ctranslate2_export.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/attention/positions.h"
#include "heed/base/json.h"
#include "heed/data/word_vocabulary.h"
#include "heed/folders/ctranslate2_folder.h"
#include "heed/models/transformer.h"
#include "heed/weights/ctranslate2_file.h"
#include "marian_mt_folder.h"
#include "round_trip.h"
#include "small_vocabulary.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::expect_same_model;
using heed::testing::MarianMtFolder;
using heed::testing::small_translator;
using heed::testing::TemporaryFolder;

ModelFolder there_and_back(const ModelFolder& model) {
  const TemporaryFolder folder;
  save_ctranslate2_folder(folder.path(""), model);
  return read_ctranslate2_folder(folder.path(""));
}

TEST(CTranslate2Export, ComesBackAsItWas) {
  for (const TiedEmbeddings tied :
       {TiedEmbeddings::all, TiedEmbeddings::decoder, TiedEmbeddings::none})
    for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre})
      for (const PositionKind positions : {PositionKind::sinusoidal, PositionKind::learned}) {
        TransformerConfig config;
        config.tied = tied;
        config.norm = norm;
        config.positions = positions;
        config.gated = norm == NormPlacement::pre;
        config.activation = norm == NormPlacement::pre ? Activation::gelu : Activation::swish;
        config.source_end = norm == NormPlacement::post;
        const ModelFolder model = small_translator(config);
        expect_same_model(there_and_back(model), model);
      }
}

// CTranslate2 adds what is in the table, and norms add what config.json says.
TEST(CTranslate2Export, MariansWavesAndNormsComeBack) {
  TransformerConfig config;
  config.sinusoids = SinusoidSpacing::tensor2tensor;
  config.norm_epsilon = 1e-6;
  ModelFolder model = small_translator(config);
  model.notes.origin = "Marian v1.12";
  const TemporaryFolder folder;
  save_ctranslate2_folder(folder.path(""), model);
  const CTranslate2File file = CTranslate2File::open(folder.path("model.bin"));
  const Tensor table = file.read("encoder/position_encodings/encodings");
  const Tensor expected = sinusoidal_positions(table.shape()[0], 8, SinusoidOrder::sines_first,
                                               Type::float32, 0, SinusoidSpacing::tensor2tensor);
  for (int64_t i = 0; i < table.elements(); ++i) ASSERT_EQ(table[i], expected[i]);
  EXPECT_EQ(JsonValue::parse(folder.text("config.json"))["layer_norm_epsilon"], 1e-6);
  const ModelFolder again = read_ctranslate2_folder(folder.path(""));
  expect_same_model(again, model);
  EXPECT_EQ(std::get<TransformerConfig>(again.config).sinusoids, config.sinusoids);
  EXPECT_EQ(std::get<TransformerConfig>(again.config).norm_epsilon, config.norm_epsilon);
  EXPECT_EQ(again.notes.origin, "Marian v1.12");
}

TEST(CTranslate2Export, AnotherToolsModelComesBackAsItWas) {
  for (const char* name : {"shared", "separate"}) {
    const ModelFolder model = load_model_folder(MarianMtFolder(name).path());
    const ModelFolder again = there_and_back(model);
    expect_same_model(again, model);
    for (const char* text : {"ab cab", "x d", ">>xx<< ab"})
      EXPECT_EQ(again.source.encode(text), model.source.encode(text)) << text;
  }
}

TEST(CTranslate2Export, WordsStayWords) {
  const std::vector<std::string> words = {"a", "b", "cc"};
  ModelFolder model = small_translator({}, word_vocabulary(words));
  const TemporaryFolder folder;
  save_ctranslate2_folder(folder.path(""), model);
  EXPECT_EQ(JsonValue::parse(folder.text("shared_vocabulary.json")),
            JsonValue::parse(R"(["</s>", "<unk>", "a", "b", "cc", "<pad>"])"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("source.spm")));
  expect_same_model(read_ctranslate2_folder(folder.path("")), model);
}

// A start that is zeros is CTranslate2's own, as in models of Marian; others are a token.
TEST(CTranslate2Export, StartsAsTheModelDoes) {
  ModelFolder model = small_translator({});
  const auto written = [&](const char* name) {
    const TemporaryFolder folder;
    save_ctranslate2_folder(folder.path(""), model);
    const CTranslate2File file = CTranslate2File::open(folder.path("model.bin"));
    EXPECT_EQ(file.number("decoder/num_heads", 0), 2);
    EXPECT_EQ(file.number("decoder/start_from_zero_embedding", 9), name == std::string("</s>"));
    EXPECT_EQ(JsonValue::parse(folder.text("config.json"))["decoder_start_token"], name);
    EXPECT_EQ(JsonValue::parse(folder.text("config.json"))["add_source_eos"], true);
    return file.shape("decoder/embeddings/weight")[0];
  };
  EXPECT_EQ(written("<pad>"), model.target.size());
  model.model->visit_parameters({}, [&](const std::string& name, Tensor& value) {
    if (name == "model.shared.weight")
      std::ranges::fill(value.row<float>(value.shape()[0] - 1), 0.0f);
  });
  EXPECT_EQ(written("</s>"), model.target.size() - 1);
  expect_same_model(there_and_back(model), model);
  TransformerConfig zeros;
  zeros.decoder_start = DecoderStart::zeros;
  model = small_translator(zeros);
  EXPECT_EQ(written("</s>"), model.target.size() - 1);
}

TEST(CTranslate2Export, StoresFewerBits) {
  ModelFolder model = small_translator({});
  model.storage = WeightStorage::int8;
  const ModelFolder small = there_and_back(model);
  const std::vector<Parameter> before = parameters_of(*model.model),
                               after = parameters_of(*small.model);
  ASSERT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size(); ++i)
    for (int64_t e = 0; e < before[i].value.elements(); ++e)
      ASSERT_NEAR(before[i].value[e], after[i].value[e], 0.02) << before[i].name;
  EXPECT_EQ(std::get<TransformerConfig>(small.config).tied, TiedEmbeddings::all);
  model.storage = WeightStorage::float16;
  EXPECT_EQ(std::get<TransformerConfig>(there_and_back(model).config).positions,
            PositionKind::sinusoidal);
}

TEST(CTranslate2Export, RefusesWhatCTranslate2DoesNotHave) {
  const auto refusal = [](const TransformerConfig& config) {
    return error_of([&] { check_fits_ctranslate2(small_translator(config)); });
  };
  TransformerConfig rotary, grouped, everywhere;
  rotary.positions = PositionKind::rotary;
  grouped.kv_heads = 1;
  everywhere.placement = PositionPlacement::every_layer;
  EXPECT_EQ(
      refusal(rotary),
      "CTranslate2's Transformers have no positions of this kind: only sinusoidal and learned "
      "ones can be written");
  EXPECT_EQ(refusal(grouped),
            "CTranslate2's Transformers have no heads of keys and values that several heads share");
  EXPECT_EQ(refusal(everywhere), "CTranslate2's Transformers have no positions at every layer");
}

}  // namespace
}  // namespace heed
