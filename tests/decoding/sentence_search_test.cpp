#include "heed/decoding/sentence_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "error_of.h"
#include "heed/tensor/tensor.h"

namespace heed {
namespace {

using testing::error_of;

constexpr SentenceBounds bounds = {.start = 3, .end = 0};

std::unique_ptr<SentenceSearch> search_of(const SearchOptions& options,
                                          std::vector<int32_t> prefix = {}) {
  return make_search({.source = {1, 0},
                      .options = std::make_shared<const SearchOptions>(options),
                      .prefix = std::move(prefix)},
                     bounds);
}

void advance(SentenceSearch& search, Tensor scores) { search.advance(scores.matrix<float>()); }

TEST(SentenceSearch, BeginsWithTheStartToken) {
  const auto beam = search_of({.beam = 4});
  ASSERT_EQ(beam->rows().size(), 1u);
  EXPECT_EQ(beam->rows()[0].token, 3);
  const auto samples = search_of({.n_best = 4, .sampling = Sampling{}});
  ASSERT_EQ(samples->rows().size(), 4u);
  for (const NextRow& row : samples->rows()) EXPECT_EQ(row.from, 0);
}

TEST(SentenceSearch, SaysWhichRowsGoOn) {
  const auto search = search_of({.beam = 2, .n_best = 2, .min_length = 0, .forbidden = {3}});
  advance(*search, Tensor::of({1, 4}, {0, 2, 3, -9}));
  ASSERT_EQ(search->rows().size(), 2u);
  EXPECT_EQ(search->rows()[0].token, 2);
  EXPECT_EQ(search->rows()[1].token, 1);
  // The first row ends; both that go on come from the second.
  advance(*search, Tensor::of({2, 4}, {9, -9, -9, 0, -9, 9, 8.9f, 0}));
  ASSERT_EQ(search->rows().size(), 2u);
  EXPECT_EQ(search->rows()[0].from, 1);
  EXPECT_EQ(search->rows()[1].from, 1);
  advance(*search, Tensor::of({2, 4}, {50, 0, 0, 0, 50, 0, 0, 0}));
  EXPECT_TRUE(search->rows().empty());
  const std::vector<Hypothesis> found = search->take_results();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].ids, (std::vector<int32_t>{2}));
  EXPECT_EQ(found[1].ids, (std::vector<int32_t>{1, 1}));
}

TEST(SentenceSearch, LogProbabilityOfAToken) {
  const std::vector<float> scores = {std::log(0.25f), std::log(0.75f)};
  EXPECT_NEAR(token_log_probability(scores, 0), std::log(0.25), 1e-6);
  EXPECT_TRUE(std::isnan(
      token_log_probability(std::vector<float>{0, std::numeric_limits<float>::quiet_NaN()}, 0)));
}

TEST(SentenceSearch, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] {
              advance(*search_of({}), Tensor::zeros({1, 3}));
            }),
            "search: sentences start with id 3 and end with id 0, but the vocabulary has 3");
  EXPECT_EQ(error_of([] {
              advance(*search_of({}, {4}), Tensor::zeros({1, 4}));
            }),
            "search: id 4 is in a prefix, but the vocabulary has 4");
}

}  // namespace
}  // namespace heed
