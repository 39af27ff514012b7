#include "heed/data/shortlist.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;
using Ids = std::vector<int32_t>;

ShortlistLists some_lists() {
  return {.frequent = {2, 30}, .offsets = {0, 0, 3, 4}, .targets = {10, 12, 14, 20}};
}

TEST(Shortlist, HasTheCandidatesOfASentencesWords) {
  const Shortlist shortlist(some_lists(), 3, 40);
  // The end, the frequent ones, those of word 1, one that was asked for, and one to fill up.
  EXPECT_EQ(shortlist.candidates(Ids{1, 1, 0}, Ids{33}), (Ids{0, 1, 2, 10, 12, 14, 30, 33}));
  const Ids both = shortlist.candidates(Ids{1, 2, 0});
  EXPECT_EQ(both, (Ids{0, 1, 2, 10, 12, 14, 20, 30}));
}

TEST(Shortlist, MayHaveTheSourceWordsThemselves) {
  ShortlistLists lists = some_lists();
  lists.offsets.resize(41, 4);
  lists.with_source = true;
  const Ids found = Shortlist(lists, 40, 40).candidates(Ids{25, 0});
  EXPECT_TRUE(std::ranges::binary_search(found, 25));
  EXPECT_EQ(found.size() % 8, 0u);
}

TEST(Shortlist, OfAFewWordsHasThemAll) {
  const Shortlist shortlist({.frequent = {}, .offsets = {0, 0}, .targets = {}}, 1, 5);
  EXPECT_EQ(shortlist.candidates(Ids{0}), (Ids{0, 1, 2, 3, 4}));
}

TEST(Shortlist, RefusesListsThatDoNotFit) {
  const auto refusal = [](const ShortlistLists& lists, int64_t source, int64_t target) {
    return error_of([&] { Shortlist(lists, source, target); });
  };
  EXPECT_EQ(refusal(some_lists(), 4, 40),
            "shortlist: 4 offsets but 5 were expected for 4 source words");
  EXPECT_EQ(refusal(some_lists(), 3, 20), "shortlist: id 30 but the vocabulary has 20 words");
  ShortlistLists lists = some_lists();
  lists.offsets[1] = 5;
  EXPECT_EQ(refusal(lists, 3, 40), "shortlist: the offsets do not go from 0 to the 4 candidates");
  lists = some_lists();
  lists.with_source = true;
  EXPECT_EQ(refusal(lists, 3, 40),
            "shortlist: source words are to be candidates, but the vocabularies have 3 and 40 "
            "words");
}

}  // namespace
}  // namespace heed
