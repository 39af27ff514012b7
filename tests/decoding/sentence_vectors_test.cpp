#include "heed/decoding/sentence_vectors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "error_of.h"
#include "external_data.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "small_bert.h"

namespace heed {
namespace {

using testing::error_of;
using testing::small_bert;
using Vectors = std::vector<SentenceVector>;

std::vector<std::string> some_texts() {
  std::vector<std::string> texts = {"", "the playing", "a", "played, played, played"};
  for (int i = 0; i < 300; ++i) texts.push_back(i % 3 == 0 ? "ab the" : "naive 漢 $ the [MASK]");
  texts.push_back("the the the the the the the the the the the the the");
  return texts;
}

Vectors vectors_of(const SentenceEncoder& encoder, const std::vector<std::string>& texts,
                   int threads = 1) {
  Workers workers(threads);
  return encoder.encode(texts, workers);
}

TEST(SentenceVectors, HaveLengthOneAndTheIdsThatWereRead) {
  const BertFolder bert = small_bert();
  for (const SentencePooling pooling :
       {SentencePooling::mean, SentencePooling::max, SentencePooling::first}) {
    const SentenceEncoder encoder(*bert.model, bert.pieces, {.pooling = pooling});
    for (const SentenceVector& one : vectors_of(encoder, {"the playing", "", "x"})) {
      ASSERT_EQ(one.vector.size(), 32u);
      const double squares =
          std::inner_product(one.vector.begin(), one.vector.end(), one.vector.begin(), 0.0);
      EXPECT_NEAR(squares, 1, 1e-6);
      EXPECT_EQ(one.ids.front(), 2);
      EXPECT_EQ(one.ids.back(), 3);
    }
  }
}

TEST(SentenceVectors, ArePooledAsWanted) {
  const BertFolder bert = small_bert();
  Tape tape({.record = false});
  const std::vector<std::vector<int32_t>> text = {{2, 8, 5, 6, 3}};
  const Tensor tokens = bert.model->encode(tape, join_sentences(text)).value();
  const auto expected = [&](auto pool) {
    std::vector<double> vector(32);
    for (int64_t c = 0; c < 32; ++c) vector[static_cast<size_t>(c)] = pool(tokens, c);
    const double length =
        std::sqrt(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0));
    for (double& x : vector) x /= length;
    return vector;
  };
  const auto check = [&](SentencePooling pooling, const std::vector<double>& vector) {
    const SentenceEncoder encoder(*bert.model, bert.pieces, {.pooling = pooling});
    const Vectors found = vectors_of(encoder, {"the playing"});
    for (size_t c = 0; c < 32; ++c) EXPECT_NEAR(found[0].vector[c], vector[c], 1e-6);
  };
  check(SentencePooling::first, expected([](const Tensor& x, int64_t c) { return x[c]; }));
  check(SentencePooling::mean, expected([](const Tensor& x, int64_t c) {
          return (x[c] + x[32 + c] + x[64 + c] + x[96 + c] + x[128 + c]) / 5;
        }));
  check(SentencePooling::max, expected([](const Tensor& x, int64_t c) {
          return std::max({x[c], x[32 + c], x[64 + c], x[96 + c], x[128 + c]});
        }));
}

TEST(SentenceVectors, DependNeitherOnOtherTextsNorOnThreads) {
  const BertFolder bert = small_bert();
  const SentenceEncoder encoder(*bert.model, bert.pieces);
  const std::vector<std::string> texts = some_texts();
  const Vectors together = vectors_of(encoder, texts);
  ASSERT_EQ(together.size(), texts.size());
  for (const int threads : {2, 4}) {
    const Vectors again = vectors_of(encoder, texts, threads);
    for (size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(again[i].vector, together[i].vector) << i;
  }
  for (const size_t i : {size_t{0}, size_t{1}, size_t{3}, texts.size() - 1})
    EXPECT_EQ(vectors_of(encoder, {texts[i]})[0].vector, together[i].vector) << i;
}

TEST(SentenceVectors, ALongTextLosesItsEnd) {
  const BertFolder bert = small_bert();
  const SentenceEncoder encoder(*bert.model, bert.pieces);
  const Vectors found = vectors_of(encoder, {some_texts().back(), "the"});
  EXPECT_TRUE(found[0].cut);
  EXPECT_EQ(found[0].ids.size(), 12u);
  EXPECT_EQ(found[0].ids.back(), 3);
  EXPECT_FALSE(found[1].cut);
}

TEST(SentenceVectors, NoTextsGiveNone) {
  const BertFolder bert = small_bert();
  EXPECT_TRUE(vectors_of(SentenceEncoder(*bert.model, bert.pieces), {}).empty());
}

TEST(SentenceVectors, SayWhereNumbersAreNone) {
  const BertFolder bert = small_bert();
  bert.model->visit_parameters({}, [](const std::string& name, Tensor& value) {
    if (name == "embeddings.LayerNorm.bias") value.fill(NAN);
  });
  EXPECT_EQ(error_of([&] { vectors_of(SentenceEncoder(*bert.model, bert.pieces), {"a"}); }),
            "embed: what the model makes of a text are not numbers");
}

// As PyTorch computed them for a real model.
TEST(SentenceVectors, OfARealModelEqualPyTorchs) {
  const auto folder = testing::external_data("minilm");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const BertFolder bert = load_bert_folder(folder);
  const JsonValue golden = JsonValue::parse(MappedFile(folder / "golden.json").text());
  std::vector<std::string> texts;
  for (const JsonValue& one : golden) texts.push_back(one["text"].get<std::string>());
  const Vectors found = vectors_of(SentenceEncoder(*bert.model, bert.pieces), texts, 2);
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto expected = golden[i]["embedding"].get<std::vector<double>>();
    ASSERT_EQ(found[i].vector.size(), expected.size());
    for (size_t c = 0; c < expected.size(); ++c)
      ASSERT_NEAR(found[i].vector[c], expected[c], 1e-4) << texts[i];
  }
}

}  // namespace
}  // namespace heed
