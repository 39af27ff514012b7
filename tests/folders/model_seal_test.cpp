#include "heed/folders/model_seal.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "error_of.h"
#include "heed/folders/model_folder.h"
#include "heed/weights/tensor_file.h"
#include "small_vocabulary.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::small_vocabulary;
using Json = nlohmann::ordered_json;

constexpr const char* way_out =
    "; `heed convert --accept-changes FROM TO` writes a model from the folder as it is";

class ModelSealTest : public ::testing::Test {
 protected:
  ModelSealTest() { save(); }

  void save() const {
    ModelConfig with_words = config;
    set_vocabularies(with_words, small_vocabulary().size(), small_vocabulary().size());
    Rng rng(7);
    save_model_folder(folder.path(""), {with_words, make_model(with_words, rng), small_vocabulary(),
                                        small_vocabulary()});
  }

  std::string complaint() const {
    std::string sentence = error_of([&] { load_model_folder(folder.path("")); });
    const size_t place = sentence.find(folder.path(""));
    return place == std::string::npos ? sentence : sentence.erase(place, folder.path("").size());
  }

  template <typename Change>
  void change_config(Change change) const {
    Json json = Json::parse(folder.text("config.json"));
    change(json);
    folder.put("config.json", json.dump());
  }

  Metadata metadata() const {
    return TensorFile::open(folder.path("model.safetensors")).metadata();
  }
  void set_metadata(const Metadata& changed) const {
    replace_metadata(folder.path("model.safetensors"), changed);
  }

  testing::TemporaryFolder folder;
  ModelConfig config = TransformerConfig{
      .encoder_layers = 1, .decoder_layers = 1, .width = 8, .ffn = 12, .heads = 2};
};

Json another(const Json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number_integer()) return value.get<int64_t>() + 1;
  if (value.is_number()) return value.get<double>() + 0.5;
  if (value.is_string()) return value.get<std::string>() + "x";
  return "something";
}

bool is_dropout(const std::string& name) { return name.ends_with("dropout"); }

// Of a Transformer, whose MarianMT settings stand beside heed's, and of a recurrent network.
TEST_F(ModelSealTest, NamesEverySettingThatHasChanged) {
  for (const ModelConfig& kind : {config, ModelConfig(RnnConfig{.embedding = 6, .hidden = 8})}) {
    config = kind;
    save();
    const std::string saved = folder.text("config.json");
    const Json whole = Json::parse(saved);
    const auto expect_named = [&](const std::string& name, const Json& value, auto place) {
      for (const bool removed : {false, true}) {
        change_config([&](Json& json) {
          if (removed)
            place(json).erase(name);
          else
            place(json)[name] = another(value);
        });
        const std::string found =
            removed ? "is missing"
                    : "is " + (another(value).is_string() ? another(value).get<std::string>()
                                                          : another(value).dump());
        const std::string expected = value.is_string() ? value.get<std::string>() : value.dump();
        EXPECT_EQ(complaint(),
                  fmt::format("config.json: \"{}\" {}, but the weights were saved with {}{}", name,
                              found, expected, way_out));
        folder.put("config.json", saved);
      }
    };
    for (const auto& [name, value] : whole.items())
      if (name != "heed" && !is_dropout(name))
        expect_named(name, value, [](Json& json) -> Json& { return json; });
    for (const auto& [name, value] : whole["heed"].items())
      if (!is_dropout(name))
        expect_named(name, value, [](Json& json) -> Json& { return json["heed"]; });
    EXPECT_EQ(complaint(), "(nothing was thrown)");
  }
}

TEST_F(ModelSealTest, NamesASettingThatWasAdded) {
  change_config([](Json& json) { json["heed"]["longest-source"] = 7; });
  EXPECT_EQ(
      complaint(),
      fmt::format("config.json: \"longest-source\" is 7, but the weights were saved without it{}",
                  way_out));
}

// They decide how a model learns, not how it translates, and may change while it learns.
TEST_F(ModelSealTest, DropoutMayChange) {
  change_config([](Json& json) {
    json["dropout"] = 0.3;
    for (const auto& [name, value] : json["heed"].items())
      if (is_dropout(name)) json["heed"][name] = 0.25;
  });
  EXPECT_EQ(complaint(), "(nothing was thrown)");
}

TEST_F(ModelSealTest, OtherToolsMayAddSettingsOfTheirOwn) {
  change_config([](Json& json) {
    json["transformers_version"] = "4.99";
    json["num_beams"] = 4;
  });
  EXPECT_EQ(complaint(), "(nothing was thrown)");
}

TEST_F(ModelSealTest, TheLayoutOfTheTextDoesNotMatter) {
  folder.put("config.json", Json::parse(folder.text("config.json")).dump(7));
  EXPECT_EQ(complaint(), "(nothing was thrown)");
}

TEST_F(ModelSealTest, NamesAVocabularyOfAnotherModel) {
  for (const char* name : {"source.spm", "target.spm", "vocab.json"}) {
    const std::string saved = folder.text(name);
    folder.put(name, saved + " ");
    const std::string said = complaint();
    EXPECT_TRUE(said.starts_with(
        fmt::format("{}: damaged, or of another model: its checksum is crc32:", name)))
        << said;
    EXPECT_TRUE(said.ends_with(way_out)) << said;
    folder.put(name, saved);
  }
  std::filesystem::remove(folder.path("vocab.json"));
  EXPECT_EQ(complaint(),
            fmt::format("vocab.json: is missing, but the weights were saved with it{}", way_out));
  std::filesystem::remove(folder.path("source.spm"));
  EXPECT_EQ(complaint(), "source.spm: cannot be read: No such file or directory");
}

TEST_F(ModelSealTest, NoticesEveryChangeOfTheMetadata) {
  const Metadata saved = metadata();
  EXPECT_EQ(saved.size(),
            7u);  // the format, settings, and checksums of weights, three files and these entries
  for (const auto& [key, value] : saved) {
    Metadata changed = saved;
    changed[key] += "0";
    set_metadata(changed);
    EXPECT_TRUE(complaint().starts_with("model.safetensors: damaged: "))
        << key << ": " << complaint();
    changed.erase(key);
    set_metadata(changed);
    EXPECT_TRUE(complaint().starts_with("model.safetensors: damaged: "))
        << key << ": " << complaint();
    changed[key + "0"] = value;
    set_metadata(changed);
    EXPECT_TRUE(complaint().starts_with("model.safetensors: damaged: "))
        << key << ": " << complaint();
  }
  set_metadata(saved);
  EXPECT_EQ(complaint(), "(nothing was thrown)");
}

// Early versions of heed wrote only a checksum of the weights; other tools write none.
TEST_F(ModelSealTest, OlderFoldersAndThoseOfOthersStillLoad) {
  const Metadata saved = metadata();
  change_config([](Json& json) { json["heed"]["activation"] = "gelu"; });
  std::filesystem::remove(folder.path("vocab.json"));
  EXPECT_NE(complaint(), "(nothing was thrown)");
  set_metadata({{"format", "pt"}, {"heed.checksum", saved.at("heed.checksum")}});
  EXPECT_EQ(complaint(), "(nothing was thrown)");
  set_metadata({{"format", "pt"}});
  EXPECT_EQ(complaint(), "(nothing was thrown)");
  set_metadata({});
  EXPECT_EQ(complaint(), "(nothing was thrown)");
}

TEST_F(ModelSealTest, ChangesCanBeAccepted) {
  change_config([](Json& json) { json["heed"]["activation"] = "gelu"; });
  std::filesystem::remove(folder.path("vocab.json"));
  const ModelFolder changed = load_model_folder(folder.path(""), Changes::accept);
  EXPECT_EQ(std::get<TransformerConfig>(changed.config).activation, Activation::gelu);
  // But not damage.
  std::string bytes = folder.text("model.safetensors");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  folder.put("model.safetensors", bytes);
  EXPECT_NE(error_of([&] { load_model_folder(folder.path(""), Changes::accept); }).find("damaged"),
            std::string::npos);
}

TEST_F(ModelSealTest, OtherSettingsCanBeTakenForTheSameWeights) {
  const std::string before = folder.text("model.safetensors");
  accept_config(folder.path(""), folder.text("config.json"));
  EXPECT_TRUE(folder.text("model.safetensors") == before);
  change_config([](Json& json) { json["heed"]["heads"] = 1; });
  EXPECT_NE(complaint(), "(nothing was thrown)");
  accept_config(folder.path(""), folder.text("config.json"));
  EXPECT_EQ(complaint(), "(nothing was thrown)");
  // The other files are still the same ones.
  folder.put("vocab.json", "{}");
  EXPECT_NE(complaint(), "(nothing was thrown)");
  // Nothing to do if there are no weights, or if they have no seal.
  std::filesystem::remove(folder.path("model.safetensors"));
  accept_config(folder.path(""), folder.text("config.json"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("model.safetensors")));
}

}  // namespace
}  // namespace heed
