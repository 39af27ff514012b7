#include "heed/data/text_examples.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "small_vocabulary.h"

namespace heed {
namespace {

using testing::made_up_sentence;
using testing::small_vocabulary;

EncodedExamples examples_of(const PairView& entry, const TextExamplesConfig& config,
                            uint64_t key = 1) {
  EncodedExamples examples;
  EXPECT_TRUE(TextExamples(small_vocabulary(), config).add(entry, make_key(key), examples));
  return examples;
}

std::vector<int32_t> all_ids(const EncodedExamples& examples) {
  std::vector<int32_t> ids;
  for (size_t i = 0; i < examples.size(); ++i) {
    EXPECT_TRUE(examples.source(i).empty());
    EXPECT_EQ(examples.before(i), ids.empty() ? examples.before(0) : ids.back());
    ids.insert(ids.end(), examples.target(i).begin(), examples.target(i).end());
  }
  return ids;
}

const std::string& text() {
  static const std::string made = made_up_sentence(1) + " " + made_up_sentence(2) + " " +
                                  made_up_sentence(3) + " " + made_up_sentence(4);
  return made;
}

TEST(TextExamples, WindowsFollowEachOtherWithoutPadding) {
  std::vector<int32_t> expected = small_vocabulary().encode(text());
  expected.push_back(Vocabulary::end);
  for (const bool moving : {false, true}) {
    const EncodedExamples whole = examples_of({"whole", text()}, {8, moving});
    EXPECT_EQ(all_ids(whole), expected);
    EXPECT_EQ(whole.before(0), start_token);
    for (size_t i = 1; i + 1 < whole.size(); ++i) EXPECT_EQ(whole.target(i).size(), 8u);
    EXPECT_LE(whole.target(0).size(), 8u);
    EXPECT_LE(whole.target(whole.size() - 1).size(), 8u);
  }
}

TEST(TextExamples, OnlyWholeDocumentsStartAndEnd) {
  const std::vector<int32_t> ids = small_vocabulary().encode(text());
  const EncodedExamples middle = examples_of({"middle", text()}, {8, false});
  EXPECT_EQ(middle.before(0), ids[0]);
  EXPECT_EQ(all_ids(middle), std::vector<int32_t>(ids.begin() + 1, ids.end()));
  EXPECT_EQ(examples_of({"first", text()}, {8, false}).before(0), start_token);
  EXPECT_EQ(all_ids(examples_of({"last", text()}, {8, false})).back(), Vocabulary::end);
  EXPECT_EQ(examples_of({"middle", ""}, {8, false}).size(), 0u);
}

TEST(TextExamples, OtherKeysCutElsewhereWhereWindowsMove) {
  const auto first = [](bool moving, uint64_t key) {
    return examples_of({"whole", text()}, {30, moving}, key).target(0).size();
  };
  std::set<size_t> lengths;
  for (uint64_t key = 0; key < 200; ++key) lengths.insert(first(true, key));
  EXPECT_EQ(lengths.size(), 30u);
  EXPECT_EQ(first(false, 1), 30u);
  EXPECT_EQ(first(false, 2), 30u);
}

TEST(TextExamples, AContextOfOneTokenIsRefused) {
  EXPECT_EQ(testing::error_of([] {
              TextExamples(small_vocabulary(), {1, true});
            }),
            "batches: a context of 1 tokens but at least 2 was expected");
}

}  // namespace
}  // namespace heed
