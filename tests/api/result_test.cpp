#include "heed/api/result.h"

#include "c_model.h"
#include "sample_text.h"

namespace heed {
namespace {

using testing::expect_refused;
using testing::ResultHandle;
using testing::Strings;

class CResult : public testing::CModel {
 protected:
  static heed_translate_options with_attention() {
    heed_translate_options wanted = options();
    wanted.n_best = 2;
    wanted.attention = 1;
    return wanted;
  }
};

TEST_F(CResult, TellsWhatTheTranslatorFound) {
  const Strings lines(testing::made_up_sentences(3));
  const auto translator = load();
  const ResultHandle result = translate(translator.get(), lines, with_attention());
  const auto expected =
      Translator::load(model(), {})
          .translate_n_best(lines.texts(), {.n_best = 2, .max_length = 12, .want_attention = true});
  size_t found = 0;
  ASSERT_EQ(heed_result_lines(result.get(), &found), HEED_OK);
  EXPECT_EQ(found, lines.size());
  for (size_t line = 0; line < lines.size(); ++line) {
    size_t count = 0;
    ASSERT_EQ(heed_result_count(result.get(), line, &count), HEED_OK);
    ASSERT_EQ(count, expected[line].size());
    for (size_t rank = 0; rank < count; ++rank) {
      const Translation& one = expected[line][rank];
      double score = 0, log_probability = 0;
      EXPECT_EQ(heed_result_score(result.get(), line, rank, &score), HEED_OK);
      EXPECT_EQ(heed_result_log_probability(result.get(), line, rank, &log_probability), HEED_OK);
      EXPECT_EQ(text(result.get(), line, rank), one.text);
      EXPECT_EQ(score, one.hypothesis.score);
      EXPECT_EQ(log_probability, one.hypothesis.log_probability);
    }
  }
}

TEST_F(CResult, HasTheAttentionThatWasAskedFor) {
  const Strings lines(testing::made_up_sentences(1));
  const auto translator = load();
  const ResultHandle result = translate(translator.get(), lines, with_attention());
  const Translation best =
      Translator::load(model(), {})
          .translate_n_best(lines.texts(),
                            {.n_best = 2, .max_length = 12, .want_attention = true})[0][0];

  const heed_link* links = nullptr;
  size_t count = 0;
  ASSERT_EQ(heed_result_links(result.get(), 0, 0, &links, &count), HEED_OK);
  const auto expected = best.alignment.links();
  ASSERT_EQ(count, expected.size());
  ASSERT_GT(count, 0u);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(links[i].source, expected[i].source);
    EXPECT_EQ(links[i].target, expected[i].target);
  }

  const auto expect_equal = [&](decltype(&heed_result_word_weights) function,
                                const Tensor& tensor) {
    const float* weights = nullptr;
    size_t rows = 0, columns = 0;
    ASSERT_EQ(function(result.get(), 0, 0, &weights, &rows, &columns), HEED_OK);
    EXPECT_EQ((Shape{static_cast<int64_t>(rows), static_cast<int64_t>(columns)}), tensor.shape());
    for (int64_t i = 0; i < tensor.elements(); ++i) EXPECT_EQ(weights[i], tensor[i]);
  };
  expect_equal(heed_result_word_weights, best.alignment.parts.at(0));
  expect_equal(heed_result_token_weights, best.hypothesis.attention);
}

TEST_F(CResult, HasNoAttentionThatWasNotAskedFor) {
  const auto translator = load();
  const ResultHandle result =
      translate(translator.get(), Strings(testing::made_up_sentences(1)), options());
  const heed_link* links = nullptr;
  const float* weights = nullptr;
  size_t count = 7, rows = 7, columns = 7;
  ASSERT_EQ(heed_result_links(result.get(), 0, 0, &links, &count), HEED_OK);
  EXPECT_EQ(links, nullptr);
  EXPECT_EQ(count, 0u);
  for (const auto function : {heed_result_word_weights, heed_result_token_weights}) {
    ASSERT_EQ(function(result.get(), 0, 0, &weights, &rows, &columns), HEED_OK);
    EXPECT_EQ(weights, nullptr);
    EXPECT_EQ(rows + columns, 0u);
  }
}

TEST_F(CResult, ALineWithoutWordsHasNoTranslation) {
  const auto translator = load();
  const ResultHandle result =
      translate(translator.get(), Strings({"", testing::made_up_sentence(1)}), options());
  size_t count = 7;
  ASSERT_EQ(heed_result_count(result.get(), 0, &count), HEED_OK);
  EXPECT_EQ(count, 0u);
  const char* found = nullptr;
  expect_refused(heed_result_text(result.get(), 0, 0, &found), HEED_USAGE,
                 "heed_result_text: translation 0 of line 0, but it has 0 of them");
  EXPECT_EQ(found, nullptr);
  expect_refused(heed_result_text(result.get(), 2, 0, &found), HEED_USAGE,
                 "heed_result_text: line 2, but there are 2");
}

TEST_F(CResult, RefusesNull) {
  const auto translator = load();
  const ResultHandle result =
      translate(translator.get(), Strings(testing::made_up_sentences(1)), options());
  size_t count = 0;
  const char* found = nullptr;
  double number = 0;
  const heed_link* links = nullptr;
  const float* weights = nullptr;
  for (const heed_status status :
       {heed_result_lines(nullptr, &count), heed_result_lines(result.get(), nullptr),
        heed_result_count(nullptr, 0, &count), heed_result_count(result.get(), 0, nullptr),
        heed_result_text(nullptr, 0, 0, &found), heed_result_text(result.get(), 0, 0, nullptr),
        heed_result_score(nullptr, 0, 0, &number), heed_result_score(result.get(), 0, 0, nullptr),
        heed_result_log_probability(nullptr, 0, 0, &number),
        heed_result_log_probability(result.get(), 0, 0, nullptr),
        heed_result_links(nullptr, 0, 0, &links, &count),
        heed_result_links(result.get(), 0, 0, nullptr, &count),
        heed_result_links(result.get(), 0, 0, &links, nullptr),
        heed_result_word_weights(nullptr, 0, 0, &weights, &count, &count),
        heed_result_word_weights(result.get(), 0, 0, nullptr, &count, &count),
        heed_result_word_weights(result.get(), 0, 0, &weights, nullptr, &count),
        heed_result_token_weights(nullptr, 0, 0, &weights, &count, &count),
        heed_result_token_weights(result.get(), 0, 0, &weights, &count, nullptr)})
    EXPECT_EQ(status, HEED_USAGE);
  EXPECT_STREQ(heed_last_error(),
               "heed_result_token_weights: where to put the number of columns is NULL");
  EXPECT_EQ(heed_result_free(nullptr), HEED_OK);
}

}  // namespace
}  // namespace heed
