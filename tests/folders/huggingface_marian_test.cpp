#include "heed/folders/huggingface_marian.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "golden.h"
#include "heed/folders/huggingface_weights.h"
#include "heed/models/transformer.h"
#include "marian_mt_folder.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::MarianMtFolder;
using heed::testing::open_golden;
using heed::testing::TemporaryFolder;
using heed::testing::values_of;
using heed::testing::WeightForm;

struct Case {
  const char* name;
  WeightForm form;
};

std::string name_of(const Case& c) {
  return fmt::format("{}_{}", c.name,
                     c.form == WeightForm::safetensors ? "safetensors"
                     : c.form == WeightForm::zip       ? "zip"
                                                       : "old");
}

void PrintTo(const Case& c, std::ostream* out) { *out << name_of(c); }

class EveryFolder : public ::testing::TestWithParam<Case> {};

// heed's id of each of the folder's.
std::vector<int32_t> our_ids(const MarianMtFolder& folder, const std::string& file,
                             const Vocabulary& vocabulary, const std::vector<int64_t>& theirs) {
  std::vector<int32_t> ids;
  const JsonValue tokens = folder.json(file);
  for (const int64_t id : theirs)
    for (int32_t ours = 0; ours < vocabulary.size(); ++ours)
      if (tokens[vocabulary.piece(ours)] == id) ids.push_back(ours);
  return ids;
}

TEST_P(EveryFolder, ComputesWhatPyTorchDoes) {
  const MarianMtFolder folder(GetParam().name, GetParam().form);
  ASSERT_TRUE(is_marian_mt_folder(folder.path()));
  const ModelFolder read = load_model_folder(folder.path());
  const TensorFile golden = open_golden(fmt::format("marian_mt/{}/expected", GetParam().name));
  const std::string target_file =
      std::string(GetParam().name) == "separate" ? "target_vocab.json" : "vocab.json";
  const std::vector<int32_t> source =
      our_ids(folder, "vocab.json", read.source, golden.read_integers("source"));
  const std::vector<int32_t> target =
      our_ids(folder, target_file, read.target, golden.read_integers("target"));
  Tape tape({.record = false});
  using Sentences = std::vector<std::vector<int32_t>>;
  const Tensor found =
      logits(tape, *read.model,
             {join_sentences(Sentences{source}), join_sentences(Sentences{target})})
          .value();
  const Tensor expected = golden.read("logits", Type::float32);
  ASSERT_EQ(found.shape(), expected.shape());
  const JsonValue tokens = folder.json(target_file);
  for (int64_t row = 0; row < found.shape()[0]; ++row)
    for (int32_t id = 0; id < read.target.size(); ++id)
      EXPECT_NEAR(found.matrix<float>()(row, id),
                  expected.matrix<float>()(row, tokens[read.target.piece(id)].get<int64_t>()),
                  1e-5);
}

INSTANTIATE_TEST_SUITE_P(
    HuggingFaceMarian, EveryFolder,
    ::testing::Values(Case{"shared", WeightForm::safetensors}, Case{"shared", WeightForm::zip},
                      Case{"shared", WeightForm::old}, Case{"separate", WeightForm::safetensors},
                      Case{"separate", WeightForm::zip}, Case{"unscaled", WeightForm::safetensors},
                      Case{"unscaled", WeightForm::old}),
    [](const auto& test) { return name_of(test.param); });

TEST(HuggingFaceMarian, HasTheTokensOfVocabJson) {
  const MarianMtFolder folder;
  const ModelFolder read = load_model_folder(folder.path());
  EXPECT_TRUE(read.source.same_ids(read.target));
  const auto pieces = [](const Vocabulary& vocabulary, std::string_view text) {
    std::vector<std::string> found;
    for (const int32_t id : vocabulary.encode(text)) found.push_back(vocabulary.piece(id));
    return found;
  };
  using Pieces = std::vector<std::string>;
  EXPECT_EQ(pieces(read.source, ">>xx<< ab cab"), (Pieces{">>xx<<", "▁ab", "▁", "ca", "b"}));
  // "x" is a piece of the source and no token; "d" is a token and no piece of the source.
  EXPECT_EQ(pieces(read.source, "x d"), (Pieces{"▁", "<unk>", "▁", "d"}));
  EXPECT_EQ(pieces(read.target, "ded"), (Pieces{"▁de", "d"}));
  const JsonValue ids = folder.json("vocab.json");
  for (int32_t id = 0; id < read.source.size(); ++id) EXPECT_EQ(ids[read.source.piece(id)], id);
}

TEST(HuggingFaceMarian, SeparateVocabulariesKeepTheirOrder) {
  const MarianMtFolder folder("separate");
  const ModelFolder read = load_model_folder(folder.path());
  EXPECT_EQ(read.source.size(), 12);
  EXPECT_EQ(read.target.size(), 11);
  EXPECT_FALSE(read.source.has_tokens());
  EXPECT_FALSE(read.target.has_tokens());
  EXPECT_EQ(std::get<TransformerConfig>(read.config).tied, TiedEmbeddings::decoder);
}

TEST(HuggingFaceMarian, BecomesAModelOfHeed) {
  for (const char* name : {"shared", "separate", "unscaled"}) {
    const MarianMtFolder folder(name);
    const ModelFolder read = load_model_folder(folder.path());
    const TemporaryFolder saved;
    save_model_folder(saved.path(""), read);
    EXPECT_FALSE(is_marian_mt_folder(saved.path("")));
    const ModelFolder again = load_model_folder(saved.path(""));
    EXPECT_EQ(again.config, read.config);
    EXPECT_EQ(again.source.encode(">>xx<< abcab"), read.source.encode(">>xx<< abcab"));
    const std::vector<Parameter> before = parameters_of(*read.model),
                                 after = parameters_of(*again.model);
    ASSERT_EQ(before.size(), after.size());
    for (size_t i = 0; i < before.size(); ++i)
      EXPECT_EQ(values_of(before[i].value), values_of(after[i].value)) << before[i].name;
  }
}

TEST(HuggingFaceMarian, RefusesSettingsThatItCannotHonourByName) {
  const MarianMtFolder folder;
  const std::string config = folder.path("config.json").string();
  const auto refusal = [&](const char* name, const JsonValue& value) {
    folder.change("config.json", name, value);
    return error_of([&] { load_model_folder(folder.path()); });
  };
  EXPECT_EQ(refusal("normalize_before", true),
            config + ": \"normalize_before\" is true but false was expected");
  EXPECT_EQ(refusal("activation_function", "gelu_new"),
            config +
                ": \"activation_function\" is \"gelu_new\" but relu, gelu, swish, silu, tanh, "
                "sigmoid or linear was expected");
  EXPECT_EQ(refusal("decoder_attention_heads", 4),
            config + ": \"decoder_attention_heads\" is 4 but 2, as in the encoder, was expected");
  EXPECT_EQ(refusal("pad_token_id", 3),
            config + ": \"pad_token_id\" is 3 but 16, which also starts the decoder, was expected");
  EXPECT_EQ(refusal("bad_words_ids", JsonValue::parse("[[16],[3]]")),
            config + ": \"bad_words_ids\" is [[16],[3]] but [[16]] was expected");
  EXPECT_EQ(refusal("quantization_config", 8),
            config + ": \"quantization_config\" is 8 but null was expected");
  EXPECT_EQ(
      refusal("vocab_size", 18),
      config + ": \"decoder_vocab_size\" is 17 but 18, as the embeddings are shared, was expected");
  EXPECT_EQ(refusal("d_model", 9), config + ": transformer: 2 heads do not divide a width of 9");
  EXPECT_EQ(refusal("encoder_layers", 100'000'000),
            folder.path("model.safetensors").string() +
                ": 14308 bytes are too few for the model that config.json describes");
  folder.restore("config.json");
  folder.change("generation_config.json", "forced_bos_token_id", 5);
  EXPECT_EQ(error_of([&] { load_model_folder(folder.path()); }),
            folder.path("generation_config.json").string() +
                ": \"forced_bos_token_id\" is 5 but null was expected");
}

TEST(HuggingFaceMarian, RefusesPartsThatDoNotBelongTogether) {
  const MarianMtFolder folder;
  const std::string vocabulary = folder.path("vocab.json").string();
  const auto refusal = [&](const char* token, const JsonValue& id) {
    folder.change("vocab.json", token, id);
    return error_of([&] { load_model_folder(folder.path()); });
  };
  EXPECT_EQ(refusal("more", 17), vocabulary + ": 18 tokens but config.json says 17");
  EXPECT_EQ(refusal("b", 12), vocabulary + ": tokens \"b\" and \"c\" have the same id");
  EXPECT_EQ(refusal("b", 99), vocabulary + ": token \"b\" has the id 99 but 0 to 16 was expected");
  folder.restore("vocab.json");
  folder.change("config.json", "max_position_embeddings", 32);
  const MarianMtFolder with_positions("shared", WeightForm::zip);
  with_positions.change("config.json", "max_position_embeddings", 32);
  EXPECT_EQ(error_of([&] { load_model_folder(with_positions.path()); }),
            with_positions.path("pytorch_model.bin").string() +
                ": array \"model.encoder.embed_positions.weight\" has shape (16, 8) but (32, 8) "
                "was expected");
  EXPECT_NO_THROW(load_model_folder(folder.path()));  // has no array of positions
}

TEST(HuggingFaceMarian, SaysWhereItComesFrom) {
  const MarianMtFolder folder;
  folder.change("config.json", "_name_or_path", nullptr);
  EXPECT_EQ(load_model_folder(folder.path()).notes.origin, "Hugging Face's MarianMT");
  folder.change("config.json", "_name_or_path", "Helsinki-NLP/opus-mt-en-de");
  EXPECT_EQ(load_model_folder(folder.path()).notes.origin,
            "Hugging Face's MarianMT, \"Helsinki-NLP/opus-mt-en-de\"");
}

}  // namespace
}  // namespace heed
