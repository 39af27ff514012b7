#include "heed/models/hypotheses.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;
using Numbers = std::vector<int64_t>;

Hypotheses hypotheses_of(int64_t sentences) {
  Hypotheses hypotheses;
  hypotheses.add(sentences);
  return hypotheses;
}

TEST(Hypotheses, BeginWithOneForEachSentence) {
  const Hypotheses hypotheses = hypotheses_of(3);
  EXPECT_EQ(hypotheses.count(), 3);
  EXPECT_EQ(hypotheses.sentences(), (Numbers{0, 1, 2}));
  EXPECT_EQ(hypotheses.grouping(0, 3), Ragged({1, 1, 1}));
  EXPECT_EQ(Hypotheses().count(), 0);
}

TEST(Hypotheses, StayWithTheirSentences) {
  Hypotheses hypotheses = hypotheses_of(3);
  hypotheses.select(Numbers{0, 0, 2});
  EXPECT_EQ(hypotheses.sentences(), (Numbers{0, 0, 2}));
  EXPECT_EQ(hypotheses.grouping(0, 3), Ragged({2, 0, 1}));
  EXPECT_EQ(hypotheses.grouping(1, 3), Ragged({0, 1}));
  hypotheses.select(Numbers{1, 0, 1, 2});
  EXPECT_EQ(hypotheses.sentences(), (Numbers{0, 0, 0, 2}));
  hypotheses.select({});
  EXPECT_EQ(hypotheses.count(), 0);
  EXPECT_EQ(hypotheses.grouping(0, 3), Ragged({0, 0, 0}));
}

TEST(Hypotheses, SentencesJoinAfterTheOthers) {
  Hypotheses hypotheses = hypotheses_of(2);
  hypotheses.select(Numbers{0, 0});
  EXPECT_EQ(hypotheses.next_sentence(), 2);
  hypotheses.add(2);
  EXPECT_EQ(hypotheses.sentences(), (Numbers{0, 0, 2, 3}));
  EXPECT_EQ(hypotheses.grouping(2, 4), Ragged({1, 1}));
}

TEST(Hypotheses, TellWhichSentencesAreLeft) {
  Hypotheses hypotheses = hypotheses_of(4);
  hypotheses.select(Numbers{1, 1, 3});
  EXPECT_EQ(hypotheses.renumber(), (Numbers{1, 3}));
  EXPECT_EQ(hypotheses.sentences(), (Numbers{0, 0, 1}));
  hypotheses.add(1);
  EXPECT_EQ(hypotheses.sentences(), (Numbers{0, 0, 1, 2}));
}

TEST(Hypotheses, RefuseWhatDoesNotFitAndStayAsTheyAre) {
  Hypotheses hypotheses = hypotheses_of(3);
  EXPECT_EQ(error_of([&] {
              hypotheses.check_tokens(std::vector<int32_t>{1, 2}, 13);
            }),
            "decode: 2 tokens for 3 hypotheses");
  for (const int32_t token : {13, -1})
    EXPECT_EQ(error_of([&] {
                hypotheses.check_tokens(std::vector<int32_t>{1, 2, token}, 13);
              }),
              fmt::format("decode: token {} is not in a vocabulary of 13", token));
  for (const int64_t hypothesis : {3, -1})
    EXPECT_EQ(error_of([&] {
                hypotheses.select(Numbers{0, hypothesis});
              }),
              fmt::format("decode: hypothesis {} of 3 was asked for", hypothesis));
  EXPECT_EQ(error_of([&] {
              hypotheses.select(Numbers{1, 0});
            }),
            "decode: the hypotheses to keep are not in the order of their sentences");
  EXPECT_EQ(hypotheses.sentences(), (Numbers{0, 1, 2}));
}

}  // namespace
}  // namespace heed
