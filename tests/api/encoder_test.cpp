#include "c_model.h"
#include "heed/decoding/sentence_vectors.h"
#include "small_bert.h"

namespace heed {
namespace {

using testing::expect_refused;
using testing::Strings;

class CEncoder : public testing::CModel {
 protected:
  using Handle = std::unique_ptr<heed_encoder, decltype(&heed_encoder_free)>;

  static void SetUpTestSuite() {
    CModel::SetUpTestSuite();
    testing::put_bert(bert());
  }
  static std::string bert() { return folder->path("bert"); }

  static heed_encoder_options begun() {
    heed_encoder_options options;
    EXPECT_EQ(heed_encoder_options_init(&options, sizeof options), HEED_OK);
    options.threads = 2;
    return options;
  }
  static Handle load_encoder(const heed_encoder_options& options) {
    heed_encoder* encoder = nullptr;
    EXPECT_EQ(heed_encoder_load(bert().c_str(), &options, &encoder), HEED_OK) << heed_last_error();
    return {encoder, heed_encoder_free};
  }
};

TEST_F(CEncoder, GivesTheVectorsOfTheLibrary) {
  const Strings texts({"the playing", "", "the the the the the the the the the the the the"});
  const BertFolder loaded = load_bert_folder(bert());
  Workers workers(1);
  for (const int32_t int8 : {0, 1})
    for (const heed_pooling pooling : {HEED_POOLING_MEAN, HEED_POOLING_MAX, HEED_POOLING_FIRST}) {
      const SentenceEncoder expected(
          *loaded.model, loaded.pieces,
          {.pooling = static_cast<SentencePooling>(pooling),
           .precision = int8 == 1 ? Precision::int8 : Precision::float32});
      heed_encoder_options options = begun();
      options.int8 = int8;
      options.pooling = pooling;
      const Handle encoder = load_encoder(options);
      size_t width = 0;
      ASSERT_EQ(heed_encoder_width(encoder.get(), &width), HEED_OK);
      ASSERT_EQ(width, 32u);
      std::vector<float> vectors(texts.size() * width);
      std::vector<int32_t> cut(texts.size(), 9);
      ASSERT_EQ(heed_embed(encoder.get(), texts.data(), texts.size(), vectors.data(), cut.data()),
                HEED_OK);
      const std::vector<SentenceVector> own = expected.encode(texts.texts(), workers);
      for (size_t i = 0; i < texts.size(); ++i)
        EXPECT_TRUE(std::equal(own[i].vector.begin(), own[i].vector.end(),
                               vectors.begin() + static_cast<int64_t>(i * width)));
      EXPECT_EQ(cut, (std::vector<int32_t>{0, 0, 1}));
    }
}

TEST_F(CEncoder, RefusesWhatCannotBe) {
  heed_encoder* none = nullptr;
  expect_refused(heed_encoder_load(nullptr, nullptr, &none), HEED_USAGE,
                 "heed_encoder_load: the folder is NULL");
  expect_refused(heed_encoder_load(bert().c_str(), nullptr, nullptr), HEED_USAGE,
                 "heed_encoder_load: where to put the encoder is NULL");
  heed_encoder_options wrong = begun();
  wrong.pooling = static_cast<heed_pooling>(3);
  expect_refused(heed_encoder_load(bert().c_str(), &wrong, &none), HEED_USAGE,
                 "heed_encoder_load: a pooling of 3, but 0 to 2 were expected");
  EXPECT_EQ(heed_encoder_load(folder->path("missing").c_str(), nullptr, &none), HEED_SYSTEM);
  EXPECT_EQ(heed_encoder_load(model().c_str(), nullptr, &none), HEED_MODEL);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(heed_encoder_free(nullptr), HEED_OK);

  const Handle encoder = load_encoder(begun());
  const Strings text({"a"});
  float vector[32];
  expect_refused(heed_embed(nullptr, text.data(), 1, vector, nullptr), HEED_USAGE,
                 "heed_embed: the encoder is NULL");
  expect_refused(heed_embed(encoder.get(), nullptr, 1, vector, nullptr), HEED_USAGE,
                 "heed_embed: the texts are NULL");
  expect_refused(heed_embed(encoder.get(), text.data(), 1, nullptr, nullptr), HEED_USAGE,
                 "heed_embed: where to put the vectors is NULL");
  expect_refused(heed_encoder_width(encoder.get(), nullptr), HEED_USAGE,
                 "heed_encoder_width: where to put the width is NULL");
  EXPECT_EQ(heed_embed(encoder.get(), nullptr, 0, nullptr, nullptr), HEED_OK);
  EXPECT_EQ(heed_embed(encoder.get(), text.data(), 1, vector, nullptr), HEED_OK);
}

}  // namespace
}  // namespace heed
