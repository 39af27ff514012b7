#include "heed/folders/huggingface_export.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/attention/positions.h"
#include "heed/base/json.h"
#include "heed/folders/huggingface_marian.h"
#include "heed/models/transformer.h"
#include "heed/weights/tensor_file.h"
#include "marian_mt_folder.h"
#include "round_trip.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::expect_same_model;
using heed::testing::MarianMtFolder;
using heed::testing::small_translator;
using heed::testing::TemporaryFolder;
using heed::testing::values_of;

ModelFolder there_and_back(const ModelFolder& model) {
  const TemporaryFolder folder;
  save_marian_mt_folder(folder.path(""), model);
  EXPECT_TRUE(is_marian_mt_folder(folder.path("")));
  return load_model_folder(folder.path(""));
}

TEST(HuggingFaceExport, ComesBackAsItWas) {
  for (const TiedEmbeddings tied :
       {TiedEmbeddings::all, TiedEmbeddings::decoder, TiedEmbeddings::none})
    for (const Activation activation : {Activation::relu, Activation::gelu, Activation::swish}) {
      TransformerConfig config;
      config.tied = tied;
      config.activation = activation;
      const ModelFolder model = small_translator(config);
      const ModelFolder again = there_and_back(model);
      expect_same_model(again, model);
      EXPECT_EQ(again.source.bytes(), model.source.bytes());
    }
}

// The library takes positions from the file, where there are any.
TEST(HuggingFaceExport, MariansWavesComeBack) {
  TransformerConfig config;
  config.sinusoids = SinusoidSpacing::tensor2tensor;
  const ModelFolder model = small_translator(config);
  const TemporaryFolder folder;
  save_marian_mt_folder(folder.path(""), model);
  const TensorFile file = TensorFile::open(folder.path("model.safetensors"));
  for (const char* name :
       {"model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight"}) {
    const Tensor table = file.read(name, Type::float32);
    EXPECT_EQ(table.shape(), (Shape{512, 8}));  // config.json's max_position_embeddings
    const Tensor expected = sinusoidal_positions(512, 8, SinusoidOrder::sines_first, Type::float32,
                                                 0, SinusoidSpacing::tensor2tensor);
    for (int64_t i = 0; i < table.elements(); ++i) ASSERT_EQ(table[i], expected[i]) << name;
  }
  const ModelFolder again = load_model_folder(folder.path(""));
  expect_same_model(again, model);
  EXPECT_EQ(std::get<TransformerConfig>(again.config).sinusoids, config.sinusoids);
}

TEST(HuggingFaceExport, AStartThatIsReadAsZerosIsWrittenSo) {
  for (const TiedEmbeddings tied : {TiedEmbeddings::all, TiedEmbeddings::none}) {
    TransformerConfig config;
    config.tied = tied;
    config.decoder_start = DecoderStart::zeros;
    const ModelFolder model = small_translator(config), again = there_and_back(model);
    const auto features = [](const ModelFolder& folder) {
      Tape tape({.record = false});
      const std::vector<std::vector<int32_t>> source = {{2, 3, 0}}, target = {{3, 2, 3, 0}};
      const Batch batch = {.source = join_sentences(source), .target = join_sentences(target)};
      return values_of(folder.model->features(tape, batch).value());
    };
    EXPECT_EQ(features(again), features(model));
  }
}

// The other way: names, shapes, settings and files of a folder that others have made.
TEST(HuggingFaceExport, WritesTheFolderThatItHasRead) {
  for (const char* name : {"shared", "separate"}) {
    const MarianMtFolder original(name);
    const ModelFolder model = load_model_folder(original.path());
    const TemporaryFolder folder;
    save_marian_mt_folder(folder.path(""), model);
    for (const char* file : {"source.spm", "target.spm"})
      EXPECT_EQ(folder.text(file), original.folder().text(file)) << file;
    for (const char* file : {"vocab.json", "target_vocab.json"})
      if (std::filesystem::exists(original.path(file))) {
        EXPECT_EQ(JsonValue::parse(folder.text(file)), original.json(file)) << file;
      }
    const JsonValue config = JsonValue::parse(folder.text("config.json"));
    const JsonValue expected = original.json("config.json");
    for (const auto& [setting, value] : expected.items()) {
      if (setting == "transformers_version" || setting == "max_position_embeddings" ||
          setting == "classif_dropout" || setting == "share_encoder_decoder_embeddings")
        continue;
      ASSERT_TRUE(config.contains(setting)) << setting;
      EXPECT_EQ(config[setting], value) << setting;
    }
    EXPECT_FALSE(config.contains("heed"));
    const TensorFile before = TensorFile::open(original.path("model.safetensors")),
                     after = TensorFile::open(folder.path("model.safetensors"));
    EXPECT_EQ(after.names(), before.names());
    for (const std::string& array : before.names()) {
      EXPECT_EQ(after.shape(array), before.shape(array)) << array;
      EXPECT_EQ(testing::values_of(after.read(array, Type::float32)),
                testing::values_of(before.read(array, Type::float32)))
          << array;
    }
    EXPECT_EQ(after.metadata(),
              (std::map<std::string, std::string, std::less<>>{{"format", "pt"}}));
    const JsonValue tokenizer = JsonValue::parse(folder.text("tokenizer_config.json"));
    EXPECT_EQ(tokenizer["source_lang"], "en");
    EXPECT_EQ(tokenizer["target_lang"], "de");
    EXPECT_EQ(tokenizer["separate_vocabs"], name == std::string("separate"));
    expect_same_model(load_model_folder(folder.path("")), model);
  }
}

TEST(HuggingFaceExport, HasHalfNumbersThroughout) {
  ModelFolder model = small_translator({});
  model.storage = WeightStorage::float16;
  const TemporaryFolder folder;
  save_marian_mt_folder(folder.path(""), model);
  EXPECT_EQ(JsonValue::parse(folder.text("config.json"))["torch_dtype"], "float16");
  const TensorFile file = TensorFile::open(folder.path("model.safetensors"));
  for (const std::string& name : file.names())
    EXPECT_EQ(file.entry(name).type, StoredType::f16) << name;
  EXPECT_EQ(load_model_folder(folder.path("")).storage, WeightStorage::float16);
}

TEST(HuggingFaceExport, RefusesWhatMarianMtDoesNotHave) {
  const auto refusal = [](const TransformerConfig& config, WeightStorage storage = {}) {
    ModelFolder model = small_translator(config);
    model.storage = storage;
    return error_of([&] { check_fits_marian_mt(model); });
  };
  TransformerConfig pre, learned, gated, without_end;
  pre.norm = NormPlacement::pre;
  learned.positions = PositionKind::learned;
  gated.gated = true;
  without_end.source_end = false;
  EXPECT_EQ(refusal(pre), "Hugging Face's MarianMT has no pre-norm");
  EXPECT_EQ(refusal(learned),
            "Hugging Face's MarianMT has no positions other than sinusoidal ones");
  EXPECT_EQ(refusal(gated), "Hugging Face's MarianMT has no gated feed-forward networks");
  EXPECT_EQ(refusal(without_end),
            "Hugging Face's MarianMT has no encoders that do not read the end of a sentence");
  EXPECT_EQ(refusal({}, WeightStorage::int8),
            "Hugging Face's MarianMT has no weights of 8 bits; --float16 is the smallest");
}

}  // namespace
}  // namespace heed
