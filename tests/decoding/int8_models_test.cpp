// A model computed with integers is the same, whether its weights became integers when it was
// converted or when it was loaded.
#include <gtest/gtest.h>

#include "heed/decoding/translator.h"
#include "heed/folders/model_folder.h"
#include "small_vocabulary.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using testing::made_up_sentences;
using testing::small_vocabulary;
using testing::TemporaryFolder;

struct Case {
  const char* name;
  ModelConfig config;
};

void PrintTo(const Case& tested, std::ostream* out) { *out << tested.name; }

class Int8ModelsTest : public ::testing::TestWithParam<Case> {
 protected:
  Int8ModelsTest() : config_(GetParam().config) {
    set_vocabularies(config_, small_vocabulary().size(), small_vocabulary().size());
    Rng rng(3);
    const std::unique_ptr<Model> model = make_model(config_, rng);
    for (const auto& [name, storage] :
         {std::pair{"whole", WeightStorage::float32}, {"small", WeightStorage::int8}}) {
      std::filesystem::create_directory(folder_.path(name));
      save_model_description(folder_.path(name), config_, small_vocabulary(), small_vocabulary());
      save_weights(folder_.path(name), parameters_of(*model), storage);
    }
  }

  std::vector<std::vector<Translation>> translate(const char* name, Precision precision) const {
    const std::filesystem::path folder = folder_.path(name);
    return Translator::load(folder, {.precision = precision})
        .translate_n_best(made_up_sentences(20), {.beam = 4, .n_best = 4, .max_length = 20});
  }

  ModelConfig config_;
  TemporaryFolder folder_;
};

TEST_P(Int8ModelsTest, TranslateTheSameWhetherStoredOrLoadedAsIntegers) {
  const auto loaded = translate("whole", Precision::int8),
             stored = translate("small", Precision::float32);
  ASSERT_EQ(loaded.size(), stored.size());
  for (size_t line = 0; line < loaded.size(); ++line) {
    ASSERT_EQ(loaded[line].size(), stored[line].size());
    for (size_t rank = 0; rank < loaded[line].size(); ++rank) {
      EXPECT_EQ(loaded[line][rank].text, stored[line][rank].text);
      EXPECT_EQ(loaded[line][rank].hypothesis.ids, stored[line][rank].hypothesis.ids);
      EXPECT_EQ(loaded[line][rank].hypothesis.score, stored[line][rank].hypothesis.score);
      EXPECT_EQ(loaded[line][rank].hypothesis.log_probability,
                stored[line][rank].hypothesis.log_probability);
    }
  }
}

Case transformer(const char* name, TiedEmbeddings tied, PositionKind positions) {
  return {name, TransformerConfig{.encoder_layers = 2,
                                  .decoder_layers = 2,
                                  .width = 48,
                                  .ffn = 80,
                                  .heads = 4,
                                  .positions = positions,
                                  .tied = tied}};
}

Case rnn(const char* name, TiedEmbeddings tied, RecurrentKind cell,
         std::optional<ScoreKind> attention) {
  RnnConfig config{.embedding = 40, .hidden = 48, .layers = 2, .cell = cell};
  config.attention = attention;
  config.tied = tied;
  return {name, config};
}

INSTANTIATE_TEST_SUITE_P(
    Models, Int8ModelsTest,
    ::testing::Values(
        transformer("TiedTransformer", TiedEmbeddings::all, PositionKind::sinusoidal),
        transformer("UntiedTransformer", TiedEmbeddings::none, PositionKind::learned),
        transformer("DecoderTiedTransformer", TiedEmbeddings::decoder, PositionKind::relative),
        rnn("TiedGru", TiedEmbeddings::all, RecurrentKind::gru, ScoreKind::additive),
        rnn("UntiedLstm", TiedEmbeddings::none, RecurrentKind::lstm, ScoreKind::bilinear),
        rnn("UntiedGruWithoutAttention", TiedEmbeddings::none, RecurrentKind::gru, std::nullopt)),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace heed
