#include "heed/folders/model_folder.h"

#include <gtest/gtest.h>

#include <limits>

#include "ctranslate2_sample.h"
#include "error_of.h"
#include "heed/folders/ctranslate2_folder.h"
#include "heed/weights/tensor_file.h"
#include "small_vocabulary.h"
#include "temporary_folder.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::small_vocabulary;
using heed::testing::TemporaryFolder;
using heed::testing::values_of;

class ModelFolderTest : public ::testing::Test {
 protected:
  ModelFolderTest() {
    set_vocabularies(config, small_vocabulary().size(), small_vocabulary().size());
  }

  std::unique_ptr<Model> save() {
    Rng rng(7);
    std::unique_ptr<Model> model = make_model(config, rng);
    save_model_description(folder.path(""), config, small_vocabulary(), small_vocabulary());
    save_weights(folder.path(""), parameters_of(*model));
    return model;
  }

  // The weights with a change, in a file that is otherwise as it should be.
  template <typename Change>
  void save_changed(Change change) {
    std::vector<Parameter> parameters = parameters_of(*save());
    change(parameters);
    save_weights(folder.path(""), parameters);
  }

  std::string complaint() const {
    std::string sentence = error_of([&] { load_model_folder(folder.path("")); });
    const size_t place = sentence.find(folder.path(""));
    return place == std::string::npos ? sentence
                                      : sentence.replace(place, folder.path("").size(), "");
  }

  testing::TemporaryFolder folder;
  ModelConfig config = TransformerConfig{
      .encoder_layers = 1, .decoder_layers = 1, .width = 8, .ffn = 12, .heads = 2};
};

TEST_F(ModelFolderTest, GivesBackWhatWasSaved) {
  for (const ModelConfig& kind : {config, ModelConfig(RnnConfig{.embedding = 6, .hidden = 8})}) {
    config = kind;
    set_vocabularies(config, small_vocabulary().size(), small_vocabulary().size());
    const std::vector<Parameter> saved = parameters_of(*save());
    const ModelFolder loaded = load_model_folder(folder.path(""));
    EXPECT_EQ(loaded.config, config);
    EXPECT_EQ(loaded.source.bytes(), small_vocabulary().bytes());
    EXPECT_EQ(loaded.target.bytes(), small_vocabulary().bytes());
    const std::vector<Parameter> found = parameters_of(*loaded.model);
    ASSERT_EQ(found.size(), saved.size());
    for (size_t i = 0; i < saved.size(); ++i) {
      EXPECT_EQ(found[i].name, saved[i].name);
      EXPECT_EQ(found[i].value.shape(), saved[i].value.shape());
      EXPECT_EQ(values_of(found[i].value), values_of(saved[i].value));
    }
  }
}

TEST_F(ModelFolderTest, EqualWeightsGiveEqualBytes) {
  std::vector<Parameter> parameters = parameters_of(*save());
  const std::string bytes = folder.text("model.safetensors");
  std::ranges::reverse(parameters);
  save_weights(folder.path(""), parameters);
  EXPECT_EQ(folder.text("model.safetensors"), bytes);
}

TEST_F(ModelFolderTest, IsLaidOutLikeAMarianFolder) {
  save();
  const TensorFile file = TensorFile::open(folder.path("model.safetensors"));
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_EQ(file.shape("final_logits_bias"), (Shape{1, small_vocabulary().size()}));
  EXPECT_EQ(file.shape("model.shared.weight"), (Shape{small_vocabulary().size(), 8}));
  const std::string ids = folder.text("vocab.json");
  EXPECT_NE(ids.find("\"</s>\": 0"), std::string::npos);
  EXPECT_NE(ids.find("\"<unk>\": 1"), std::string::npos);
  EXPECT_NE(ids.find(fmt::format("\"<pad>\": {}", small_vocabulary().size() - 1)),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder.path("target_vocab.json")));
}

TEST_F(ModelFolderTest, TakesWeightsOfOtherToolsWithoutAChecksum) {
  const std::vector<Parameter> parameters = parameters_of(*save());
  TensorFileWriter writer;
  for (const Parameter& parameter : parameters)
    writer.add(parameter.name, parameter.name == "final_logits_bias"
                                   ? parameter.value.reshape({1, parameter.value.elements()})
                                   : parameter.value);
  writer.save(folder.path("model.safetensors"));
  EXPECT_EQ(complaint(), "(nothing was thrown)");
}

TEST_F(ModelFolderTest, NamesAMissingFile) {
  for (const char* name : {"config.json", "source.spm", "target.spm", "model.safetensors"}) {
    save();
    std::filesystem::remove(folder.path(name));
    EXPECT_EQ(complaint(), fmt::format("{}: cannot be read: No such file or directory", name));
  }
}

TEST(ModelFolder, SaysWhatIsNoFolderOfAModel) {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& name) {
    return error_of([&] { (void)load_model_folder(folder.path(name)); });
  };
  const std::string nothing =
      ": has neither model.bin nor config.json nor model.npz, so it is not a model folder of "
      "CTranslate2, Hugging Face, heed or Marian";
  EXPECT_EQ(complaint("none"), folder.path("none") + ": there is no such folder");
  folder.put("file", "");
  EXPECT_EQ(complaint("file"), folder.path("file") + ": is a file, but a folder was expected");
  std::filesystem::create_directory(folder.path("foreign"));
  folder.put("foreign/picture.png", "");
  EXPECT_EQ(complaint("foreign"), folder.path("foreign") + nothing);
  for (const char* name : {"none", "file", "foreign"})
    EXPECT_EQ(error_of([&] { check_any_model(folder.path(name)); }), complaint(name));
}

TEST(ModelFolder, SaysThatARunHasNoModelYet) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("training"));
  folder.put("config.json", "{}");
  EXPECT_EQ(error_of([&] { (void)load_model_folder(folder.path("")); }),
            folder.path("") + ": has no model yet; `heed train` writes it at its first validation");
}

TEST(ModelFolder, ReadsModelsOfCTranslate2AsTheyAre) {
  const TemporaryFolder folder;
  testing::ctranslate2_sample::write_folder(folder);
  const ModelFolder read = load_model_folder(folder.path(""));
  EXPECT_EQ(read.config, read_ctranslate2_folder(folder.path("")).config);
  EXPECT_EQ(read.notes.origin, read_ctranslate2_folder(folder.path("")).notes.origin);
}

TEST_F(ModelFolderTest, NamesADamagedFile) {
  save();
  for (const char* name : {"config.json", "source.spm", "target.spm", "model.safetensors"}) {
    const std::string whole = folder.text(name);
    // The sentence depends on where a file is cut; it names the file, and it is one line.
    for (const size_t size :
         {size_t{0}, size_t{1}, size_t{8}, whole.size() / 2, whole.size() - 1}) {
      if (std::string_view(name) == "config.json" && size == whole.size() - 1)
        continue;  // a line feed
      folder.put(name, whole.substr(0, size));
      EXPECT_TRUE(complaint().starts_with(fmt::format("{}: ", name))) << complaint();
      EXPECT_EQ(complaint().find('\n'), std::string::npos) << complaint();
    }
    folder.put(name, whole);
    EXPECT_EQ(complaint(), "(nothing was thrown)");
  }
}

TEST_F(ModelFolderTest, TellsDamageFromWhatTheSystemRefuses) {
  const auto kind = [&] {
    return testing::error_kind_of([&] { load_model_folder(folder.path("")); });
  };
  EXPECT_EQ(kind(), ErrorKind::model);  // there is nothing
  save();
  EXPECT_EQ(kind(), std::nullopt);
  std::filesystem::remove(folder.path("model.safetensors"));
  EXPECT_EQ(kind(), ErrorKind::system);
  save();
  folder.put("config.json", "{}");
  EXPECT_EQ(kind(), ErrorKind::model);
  EXPECT_EQ(testing::error_kind_of([&] { load_model_description(folder.path("")); }),
            ErrorKind::model);
}

TEST_F(ModelFolderTest, NoticesEveryChangedWeight) {
  save();
  std::string bytes = folder.text("model.safetensors");
  bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] ^ 0x10);
  folder.put("model.safetensors", bytes);
  EXPECT_TRUE(complaint().starts_with("model.safetensors: damaged: the checksum is crc32:"))
      << complaint();
}

TEST_F(ModelFolderTest, RefusesWeightsThatAreNotFinite) {
  for (const float number :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    save_changed([&](std::vector<Parameter>& parameters) {
      for (Parameter& parameter : parameters)
        if (parameter.name == "model.encoder.layers.0.fc1.weight")
          parameter.value.span<float>()[9] = number;
    });
    EXPECT_EQ(complaint(),
              fmt::format("model.safetensors: array \"model.encoder.layers.0.fc1.weight\" holds {} "
                          "at (1, 1) but finite numbers were expected",
                          number));
  }
}

TEST_F(ModelFolderTest, RefusesTheWeightsOfAnotherModel) {
  save_changed([](std::vector<Parameter>& parameters) { parameters.pop_back(); });
  EXPECT_EQ(complaint(), "model.safetensors: array \"final_logits_bias\" is missing");
  save_changed([](std::vector<Parameter>& parameters) {
    parameters.push_back({"more", Tensor::zeros({3})});
  });
  EXPECT_EQ(complaint(), "model.safetensors: 45 arrays but the model has 44");
  save_changed([](std::vector<Parameter>& parameters) {
    parameters.front().value = Tensor::zeros({small_vocabulary().size(), 9});
  });
  EXPECT_EQ(complaint(),
            "model.safetensors: array \"model.shared.weight\" has shape (200, 9) but (200, 8) was "
            "expected");
}

// Made-up sizes must not allocate memory.
TEST_F(ModelFolderTest, RefusesAModelThatIsLargerThanItsWeights) {
  save();
  const std::string description = folder.text("config.json");
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = description;
    text.replace(text.rfind(from), from.size(), to);
    return text;
  };
  for (const std::string& text :
       {replaced("\"width\": 8", "\"width\": 268435456"),
        replaced("\"width\": 8", "\"width\": 1048576"),
        replaced("\"ffn\": 12", "\"ffn\": 268435456"),
        replaced("\"encoder-layers\": 1", "\"encoder-layers\": 268435456"),
        replaced("\"decoder-layers\": 1", "\"decoder-layers\": 1000000")}) {
    folder.put("config.json", text);
    EXPECT_TRUE(complaint().ends_with("bytes are too few for the model that config.json describes"))
        << complaint();
  }
  config = RnnConfig{.embedding = 6, .hidden = 8};
  set_vocabularies(config, 200, 200);
  save();
  std::get<RnnConfig>(config).hidden = 1 << 28;
  folder.put("config.json", to_json(config));
  EXPECT_TRUE(complaint().ends_with("bytes are too few for the model that config.json describes"));
}

TEST_F(ModelFolderTest, RefusesAVocabularyOfAnotherSize) {
  save();
  set_vocabularies(config, 201, 201);
  folder.put("config.json", to_json(config));
  EXPECT_EQ(complaint(), "source.spm: 200 entries including padding, but config.json says 201");
}

}  // namespace
}  // namespace heed
