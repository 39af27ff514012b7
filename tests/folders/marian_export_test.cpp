#include "heed/folders/marian_export.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "external_data.h"
#include "heed/data/word_vocabulary.h"
#include "heed/folders/marian_folder.h"
#include "heed/models/transformer.h"
#include "heed/weights/marian_file.h"
#include "heed/weights/zip_file.h"
#include "marian_mt_folder.h"
#include "marian_sample.h"
#include "round_trip.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::expect_same_model;
using heed::testing::MarianMtFolder;
using heed::testing::small_vocabulary;
using heed::testing::TemporaryFolder;
namespace sample = heed::testing::marian_sample;

TransformerConfig fitting() {
  TransformerConfig config;
  config.sinusoids = SinusoidSpacing::tensor2tensor;
  return config;
}

// With Marian's start, of zeros.
ModelFolder fitting_translator(const TransformerConfig& config,
                               const Vocabulary& vocabulary = small_vocabulary()) {
  ModelFolder model = heed::testing::small_translator(config, vocabulary);
  model.model->visit_parameters({}, [&](const std::string& name, Tensor& value) {
    if (name == "model.shared.weight" || name == "model.decoder.embed_tokens.weight")
      std::ranges::fill(value.row<float>(value.shape()[0] - 1), 0.0f);
  });
  return model;
}

ModelFolder there_and_back(const ModelFolder& model) {
  const TemporaryFolder folder;
  save_marian_folder(folder.path(""), model);
  return read_marian_model(folder.path(""));
}

TEST(MarianExport, ComesBackAsItWas) {
  for (const TiedEmbeddings tied :
       {TiedEmbeddings::all, TiedEmbeddings::decoder, TiedEmbeddings::none})
    for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre})
      for (const Autoregression decoder : {Autoregression::self_attention, Autoregression::ssru}) {
        TransformerConfig config = fitting();
        config.tied = tied;
        config.norm = norm;
        config.decoder = decoder;
        config.activation = norm == NormPlacement::pre ? Activation::gelu : Activation::swish;
        config.decoder_ffn = norm == NormPlacement::pre ? 20 : 0;
        ModelFolder model = fitting_translator(config);
        model.notes = {.origin = "somewhere", .search = {.beam = 3, .length_penalty = 0.5}};
        model.lengths = {.source = 20, .target = 30, .ratio = 2};
        const ModelFolder again = there_and_back(model);
        expect_same_model(again, model);
        EXPECT_EQ(std::get<TransformerConfig>(again.config).norm_epsilon, config.norm_epsilon);
        EXPECT_EQ(std::get<TransformerConfig>(again.config).sinusoids, config.sinusoids);
        EXPECT_EQ(std::get<TransformerConfig>(again.config).decoder_ffn, config.decoder_ffn);
        EXPECT_EQ(again.notes, model.notes);
        EXPECT_EQ(again.lengths, model.lengths);
      }
}

// What the row of the start holds has no part in it, but comes back.
TEST(MarianExport, AStartThatIsReadAsZerosIsMarians) {
  TransformerConfig config = fitting();
  config.decoder_start = DecoderStart::zeros;
  const ModelFolder model = heed::testing::small_translator(config);
  const ModelFolder again = there_and_back(model);
  expect_same_model(again, model);
  EXPECT_EQ(std::get<TransformerConfig>(again.config).decoder_start, DecoderStart::zeros);
}

// Marian does not scale embeddings then; powers of two are multiplied exactly.
TEST(MarianExport, ModelsWithoutPositionsComeBack) {
  TransformerConfig config;
  config.positions = PositionKind::none;
  config.tied = TiedEmbeddings::none;
  const ModelFolder model = fitting_translator(config);
  const ModelFolder again = there_and_back(model);
  const auto before = parameters_of(*model.model), after = parameters_of(*again.model);
  ASSERT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size(); ++i)
    for (int64_t e = 0; e < before[i].value.elements(); ++e)
      ASSERT_NEAR(after[i].value[e], before[i].value[e], 1e-6) << before[i].name;
}

TEST(MarianExport, WritesTheFolderThatItHasRead) {
  for (const auto& settings : {sample::post_norm(), sample::pre_norm(), sample::ssru()}) {
    const TemporaryFolder folder, written;
    sample::write_folder(folder, settings);
    save_marian_folder(written.path(""), read_marian_model(folder.path("")));
    const MarianFile before = MarianFile::open(folder.path("model.npz")),
                     after = MarianFile::open(written.path("model.npz"));
    EXPECT_EQ(after.names(), before.names());
    for (const std::string& name : before.names()) {
      if (name.starts_with("special:")) continue;
      EXPECT_EQ(after.shape(name), before.shape(name)) << name;
      EXPECT_EQ(heed::testing::values_of(after.read(name)),
                heed::testing::values_of(before.read(name)))
          << name;
    }
  }
}

// Array by array what Marian itself has written: type, shape and numbers.
TEST(MarianExport, WritesMariansOwnFilesAgain) {
  for (const char* name : {"marian-transformer", "marian-student", "marian-prenorm"}) {
    const std::string source = heed::testing::external_data(name).string();
    if (!std::filesystem::exists(source)) GTEST_SKIP() << "no " << source;
    const TemporaryFolder written;
    save_marian_folder(written.path(""), read_marian_model(source + "/model.npz"));
    const ZipFile before = ZipFile::open(source + "/model.npz"),
                  after = ZipFile::open(written.path("model.npz"));
    ASSERT_EQ(after.names(), before.names());
    for (const std::string& part : before.names()) {
      if (!part.starts_with("special:")) {
        EXPECT_TRUE(after.read_stored(part) == before.read_stored(part)) << part;
        continue;
      }
      // Marian ignores this one.
      std::string expected = before.read(part);
      const std::string ignored = "transformer-train-position-embeddings: true";
      const size_t begin = expected.find(ignored);
      if (begin != expected.npos)
        expected.replace(begin, ignored.size(), ignored.substr(0, ignored.size() - 4) + "false");
      const auto text = [](const std::string& all) { return all.substr(0, all.find('\0', 80)); };
      EXPECT_EQ(text(after.read(part)).substr(80), text(expected).substr(80));
    }
  }
}

TEST(MarianExport, HasDecoderSettings) {
  const TemporaryFolder folder;
  ModelFolder model = fitting_translator(fitting());
  model.notes.search = {.beam = 6, .length_penalty = 0.6, .max_ratio = 2};
  save_marian_folder(folder.path(""), model);
  EXPECT_EQ(folder.text("decoder.yml"),
            "relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - vocab.spm\n  - vocab.spm\n"
            "beam-size: 6\nnormalize: 0.6\nword-penalty: 0\nmax-length-factor: 2\n"
            "allow-unk: true\nmini-batch: 64\nmaxi-batch: 100\nmaxi-batch-sort: src\n");
  EXPECT_EQ(folder.text("vocab.spm"), model.source.bytes());
}

TEST(MarianExport, WordsStayWords) {
  const std::vector<std::string> words = {"a", "\"b\"", "c:d"};
  const ModelFolder model = fitting_translator(fitting(), word_vocabulary(words));
  const TemporaryFolder folder;
  save_marian_folder(folder.path(""), model);
  EXPECT_EQ(folder.text("vocab.yml"),
            "\"</s>\": 0\n\"<unk>\": 1\n\"a\": 2\n\"\\\"b\\\"\": 3\n\"c:d\": 4\n");
  expect_same_model(read_marian_model(folder.path("")), model);
}

// Pieces of two models and one list of tokens, as OPUS-MT has them.
TEST(MarianExport, TokensStayTokens) {
  for (const char* name : {"shared", "separate"}) {
    ModelFolder model = load_model_folder(MarianMtFolder(name).path());
    std::get<TransformerConfig>(model.config).sinusoids = SinusoidSpacing::tensor2tensor;
    model.model->visit_parameters({}, [&](const std::string& parameter, Tensor& value) {
      if (parameter == "model.shared.weight" || parameter.ends_with("embed_tokens.weight"))
        std::ranges::fill(value.row<float>(value.shape()[0] - 1), 0.0f);
    });
    const ModelFolder again = there_and_back(model);
    expect_same_model(again, model);
    for (const char* text : {"ab cab", "x d", ">>xx<< ab"})
      EXPECT_EQ(again.source.encode(text), model.source.encode(text)) << text;
  }
}

TEST(MarianExport, RefusesWhatMarianDoesNotHave) {
  const auto refusal = [](const auto& change) {
    TransformerConfig config = fitting();
    change(config);
    return error_of([&] { check_fits_marian(fitting_translator(config)); });
  };
  EXPECT_EQ(refusal([](auto& config) { config.positions = PositionKind::learned; }),
            "Marian's Transformers have no learned positions that its decoder counts: it takes the "
            "first one at every step");
  EXPECT_EQ(refusal([](auto& config) { config.positions = PositionKind::rotary; }),
            "Marian's Transformers have no positions of this kind: only sinusoidal ones and none "
            "can be written");
  EXPECT_EQ(
      refusal([](auto& config) { config.sinusoids = SinusoidSpacing::paper; }),
      "Marian's Transformers have no sinusoidal positions with the wave lengths of the paper; "
      "models that are trained with --sinusoids tensor2tensor have Marian's");
  EXPECT_EQ(refusal([](auto& config) { config.gated = true; }),
            "Marian's Transformers have no gated feed-forward networks");
  EXPECT_EQ(refusal([](auto& config) { config.activation = Activation::tanh; }),
            "Marian's Transformers have no feed-forward networks with this activation: only relu, "
            "swish and gelu can be written");
  EXPECT_EQ(refusal([](auto& config) { config.source_end = false; }),
            "Marian's Transformers have no encoders that do not read the end of a sentence");
  EXPECT_EQ(refusal([](auto& config) { config.kv_heads = 1; }),
            "Marian's Transformers have no heads of keys and values that several heads share");
  EXPECT_EQ(refusal([](auto& config) { config.norm_epsilon = 0.001; }),
            "Marian's Transformers have no norms that add 0.001: Marian's add 1e-06");
  EXPECT_EQ(error_of([] { check_fits_marian(heed::testing::small_translator(fitting())); }),
            "Marian's Transformers have no decoders that start with a vector of their own; models "
            "that are trained with --decoder-start zeros start as Marian's do");
  ModelFolder small = fitting_translator(fitting());
  small.storage = WeightStorage::int8;
  EXPECT_EQ(error_of([&] { check_fits_marian(small); }),
            "Marian's Transformers have no weights of 8 bits in what heed writes; --float16 is the "
            "smallest");
}

}  // namespace
}  // namespace heed
