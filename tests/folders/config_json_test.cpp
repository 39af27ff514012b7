#include "heed/folders/config_json.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/models/config_fields.h"

namespace heed {
namespace {

using heed::testing::error_of;

template <typename Field>
void change(Field& field) {
  if constexpr (std::is_same_v<Field, bool>)
    field = !field;
  else if constexpr (std::is_same_v<Field, double>)
    field = field / 3 + 0.1;
  else if constexpr (std::is_integral_v<Field>)
    field = field + 3;
}

ModelConfig read_back(const ModelConfig& config) {
  return parse_model_config(to_json(config), "config.json");
}

template <typename Config>
void expect_every_setting_is_kept() {
  ModelConfig chosen = Config();
  set_vocabularies(chosen, 123, 456);
  Config config = std::get<Config>(chosen);
  EXPECT_EQ(read_back(config), ModelConfig(config));
  visit_fields(config, [&]<typename Value>(const auto& field, Value& value) {
    SCOPED_TRACE(field.name);
    if constexpr (is_named<Value>) {
      for (const auto& named : EnumNames<Value>::values) {
        value = named.value;
        EXPECT_EQ(read_back(config), ModelConfig(config)) << named.name;
      }
    } else {
      change(value);
      EXPECT_EQ(read_back(config), ModelConfig(config));
    }
  });
}

TEST(ConfigJson, KeepsEverySetting) {
  expect_every_setting_is_kept<TransformerConfig>();
  expect_every_setting_is_kept<RnnConfig>();
  expect_every_setting_is_kept<LanguageModelConfig>();
}

TEST(ConfigJson, KeepsTagsWithAndWithoutOtherNotes) {
  const TransformerConfig config{.source_vocabulary = 100, .target_vocabulary = 100};
  const auto again = [&](const ModelNotes& notes) {
    return parse_model_notes(to_json(config, {}, notes), "config.json");
  };
  const ModelNotes tagged = {.tags = {"it", "legal"}};
  EXPECT_EQ(again(tagged), tagged);
  const ModelNotes marian = {.origin = "Marian", .tags = {"it"}, .search = {.beam = 3}};
  EXPECT_EQ(again(marian), marian);
  // A folder without tags stays what it was before there were any.
  EXPECT_EQ(to_json(config, {}, {.origin = "Marian"}).find("tags"), std::string::npos);
  EXPECT_EQ(to_json(config, {}, tagged).find("origin"), std::string::npos);
  const std::string json = to_json(config, {}, {.tags = {"it"}});
  for (const char* wrong : {R"("it")", R"([3])", R"(["two words"])", R"([">>it<<"])"}) {
    std::string other = json;
    const size_t begin = other.find('[', other.find("\"tags\""));
    other.replace(begin, other.find(']', begin) + 1 - begin, wrong);
    const std::string error = error_of([&] { parse_model_notes(other, "config.json"); });
    EXPECT_TRUE(error.ends_with("but a list of at most 1000 tags was expected")) << error;
  }
}

TEST(ConfigJson, BeginsAsAMarianFolderDoes) {
  const std::string json = to_json(TransformerConfig{.source_vocabulary = 100,
                                                     .target_vocabulary = 200,
                                                     .width = 64,
                                                     .tied = TiedEmbeddings::decoder});
  for (const char* part :
       {R"("model_type": "marian")", R"("d_model": 64)", R"("vocab_size": 100)",
        R"("pad_token_id": 99)", R"("decoder_vocab_size": 200)", R"("decoder_start_token_id": 199)",
        R"("scale_embedding": true)", R"("share_encoder_decoder_embeddings": false)",
        R"("tie_word_embeddings": true)"})
    EXPECT_NE(json.find(part), std::string::npos) << part;
  EXPECT_EQ(to_json(RnnConfig()).find("marian"), std::string::npos);
  // Readers of MarianMT folders would compute something else.
  EXPECT_EQ(to_json(TransformerConfig{.norm = NormPlacement::pre}).find("marian"),
            std::string::npos);
}

// The sentence about a file in which `from` was replaced by `to`.
std::string complaint(const ModelConfig& config, const std::string& from, const std::string& to) {
  std::string json = to_json(config);
  const size_t place = json.find(from);
  if (place == std::string::npos) return "(the file has no " + from + ")";
  json.replace(place, from.size(), to);
  return error_of([&] { parse_model_config(json, "config.json"); });
}

TEST(ConfigJson, RefusesDamagedFiles) {
  const ModelConfig transformer = TransformerConfig{.source_vocabulary = 9, .target_vocabulary = 9};
  const ModelConfig rnn = RnnConfig{.source_vocabulary = 9, .target_vocabulary = 9};
  const auto parse = [](const std::string& json) {
    return error_of([&] { parse_model_config(json, "config.json"); });
  };
  for (const char* text : {"", "{", "[1]", "3", "null", "{\"heed\": {}", "\xff\xfe"})
    EXPECT_EQ(parse(text), "config.json: not a JSON object") << text;
  for (const char* text : {"{}", R"({"heed": 3})", R"({"model_type": "marian"})"})
    EXPECT_EQ(parse(text), "config.json: the settings under \"heed\" are missing") << text;

  EXPECT_EQ(complaint(transformer, R"("version": 1)", R"("version": 2)"),
            "config.json: version 2 but this heed reads up to version 1");
  EXPECT_EQ(complaint(transformer, R"("version": 1)", R"("version": "one")"),
            R"(config.json: "version" is "one" but a number from 0 to 268435456 was expected)");
  EXPECT_EQ(complaint(transformer, R"("version": 1,)", ""),
            "config.json: version 0 but this heed reads up to version 1");
  EXPECT_EQ(
      complaint(transformer, R"("model": "transformer")", R"("model": "mamba")"),
      "config.json: the model is \"mamba\" but transformer, rnn or language-model was expected");
  EXPECT_EQ(complaint(transformer, R"("model": "transformer")", R"("model": 7)"),
            "config.json: the model is \"\" but transformer, rnn or language-model was expected");

  EXPECT_EQ(complaint(transformer, R"("ffn": 2048,)", ""),
            "config.json: the setting \"ffn\" is missing");
  EXPECT_EQ(complaint(rnn, R"("source-vocabulary": 9,)", ""),
            "config.json: the setting \"source-vocabulary\" is missing");
  EXPECT_EQ(complaint(transformer, R"("width": 512)", R"("width": 512.5)"),
            R"(config.json: "width" is 512.5 but a number from 0 to 268435456 was expected)");
  EXPECT_EQ(complaint(transformer, R"("width": 512)", R"("width": -1)"),
            R"(config.json: "width" is -1 but a number from 0 to 268435456 was expected)");
  EXPECT_EQ(complaint(transformer, R"("width": 512)", R"("width": 18446744073709551615)"),
            R"(config.json: "width" is 18446744073709551615 but )"
            R"(a number from 0 to 268435456 was expected)");
  EXPECT_EQ(complaint(transformer, R"("gated": false)", R"("gated": 0)"),
            R"(config.json: "gated" is 0 but true or false was expected)");
  EXPECT_EQ(complaint(transformer, R"("norm": "post")", R"("norm": "between")"),
            R"(config.json: "norm" is "between" but one of post, pre was expected)");
  EXPECT_EQ(complaint(rnn, R"("attention": "additive")", R"("attention": null)"),
            R"(config.json: "attention" is null but )"
            R"(one of additive, dot, scaled-dot, bilinear, none was expected)");
  EXPECT_EQ(complaint(transformer, R"("embedding-dropout": 0.1)", R"("embedding-dropout": [0.1])"),
            R"(config.json: "embedding-dropout" is [0.1] but a number was expected)");
}

}  // namespace
}  // namespace heed
