#include "heed/runs/shortlist_training.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.h"
#include "small_vocabulary.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using testing::small_vocabulary;
using testing::TemporaryFolder;

// Other pieces than the small vocabulary's: every word has a mark in front of it.
Vocabulary marked_vocabulary() {
  uint64_t next = 0;
  return train_vocabulary({.size = 200}, [&](std::string& sentence) {
    sentence = "#" + testing::made_up_sentence(next);
    return next++ < 500;
  });
}

class ShortlistTraining : public ::testing::Test {
 protected:
  ShortlistTraining() {
    std::string text;
    for (uint64_t i = 0; i < 200; ++i) text += testing::made_up_sentence(i) + "\n";
    folder_.put("text", text);
  }

  LearntShortlist learn(const Vocabulary& target, const ShortlistOptions& options) const {
    Workers workers(2);
    return learn_shortlist({.files = {folder_.path("text"), folder_.path("text")}},
                           small_vocabulary(), target, options, workers);
  }

  TemporaryFolder folder_;
};

TEST_F(ShortlistTraining, CoversATextThatTranslatesToItself) {
  const LearntShortlist learnt = learn(small_vocabulary(), {.best = 2, .frequent = 4});
  EXPECT_EQ(learnt.report.kept, 200);
  EXPECT_EQ(learnt.covered, 1);
  EXPECT_TRUE(learnt.shortlist.lists().with_source);
  EXPECT_LT(learnt.candidates, 100) << "of 200 pieces";
}

TEST_F(ShortlistTraining, SourcePiecesAreNoCandidatesOfAnotherVocabulary) {
  const LearntShortlist learnt = learn(marked_vocabulary(), {.best = 3, .frequent = 4});
  EXPECT_FALSE(learnt.shortlist.lists().with_source);
  EXPECT_GT(learnt.covered, 0.95);
}

TEST_F(ShortlistTraining, MoreCandidatesCoverMore) {
  const Vocabulary marked = marked_vocabulary();
  const LearntShortlist few = learn(marked, {.best = 1, .frequent = 0}),
                        many = learn(marked, {.best = 20, .frequent = 0}),
                        frequent = learn(marked, {.best = 1, .frequent = 30});
  EXPECT_LT(few.covered, many.covered);
  EXPECT_LT(few.candidates, many.candidates);
  EXPECT_LT(few.covered, frequent.covered);
}

TEST_F(ShortlistTraining, TheMostFrequentPiecesAreCandidatesOfAll) {
  std::vector<int64_t> counts(static_cast<size_t>(small_vocabulary().size()));
  for (uint64_t i = 0; i < 200; ++i)
    for (const int32_t id : small_vocabulary().encode(testing::made_up_sentence(i)))
      ++counts[static_cast<size_t>(id)];
  const LearntShortlist learnt = learn(small_vocabulary(), {.best = 2, .frequent = 5});
  const std::vector<int32_t> frequent = learnt.shortlist.lists().frequent;
  ASSERT_EQ(frequent.size(), 5u);
  int64_t rarest = INT64_MAX;
  for (const int32_t id : frequent) rarest = std::min(rarest, counts[static_cast<size_t>(id)]);
  EXPECT_LE(std::ranges::count_if(counts, [&](int64_t count) { return count > rarest; }), 4);
}

TEST_F(ShortlistTraining, RefusesFoldersOfOtherTools) {
  std::filesystem::create_directory(folder_.path("theirs"));
  folder_.put("theirs/model.bin", "x");
  EXPECT_NE(testing::error_of([&] {
              load_shortlist_vocabularies(folder_.path("theirs"));
            }).find("is a model of another tool; `heed convert FROM TO`"),
            std::string::npos);
  EXPECT_EQ(testing::error_of([&] { load_shortlist_vocabularies(folder_.path("none")); }),
            folder_.path("none") + ": there is no such folder");
}

}  // namespace
}  // namespace heed
