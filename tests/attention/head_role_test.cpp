#include "heed/attention/head_role.h"

#include <gtest/gtest.h>

#include <set>

namespace heed {
namespace {

struct At {
  KeyPlace place;
  double weight, largest;
};

HeadFigures figures(std::initializer_list<At> shares, double confidence = 0.4,
                    double coverage = 0.5) {
  HeadFigures result;
  result.confidence = confidence;
  result.coverage = coverage;
  for (const At& share : shares)
    result.shares[static_cast<size_t>(share.place)] = {share.weight, share.largest};
  return result;
}

constexpr AttentionPart encoder = AttentionPart::encoder, decoder = AttentionPart::decoder,
                        cross = AttentionPart::cross;

TEST(HeadRole, Positional) {
  EXPECT_EQ(role_of(encoder, figures({{KeyPlace::previous, 0.3, 0.9}})), HeadRole::previous_word);
  EXPECT_EQ(role_of(decoder, figures({{KeyPlace::previous, 0.3, 0.89}})), HeadRole::mixed);
  EXPECT_EQ(role_of(decoder, figures({{KeyPlace::previous, 0.5, 0.5}})), HeadRole::previous_word);
  EXPECT_EQ(role_of(decoder, figures({{KeyPlace::previous, 0.49, 0.6}})), HeadRole::mixed);
  EXPECT_EQ(role_of(encoder, figures({{KeyPlace::next, 0.3, 1}})), HeadRole::next_word);
  EXPECT_EQ(role_of(encoder, figures({{KeyPlace::same, 0.3, 0.95}})), HeadRole::same_word);
  // Not all rows have both keys, so that both may reach the share.
  EXPECT_EQ(
      role_of(encoder, figures({{KeyPlace::previous, 0.3, 0.91}, {KeyPlace::same, 0.3, 0.92}})),
      HeadRole::same_word);
  EXPECT_EQ(role_of(encoder, figures({{KeyPlace::previous, 0.3, 1}, {KeyPlace::end, 0.6, 0.6}})),
            HeadRole::previous_word);
  EXPECT_EQ(role_of(cross, figures({{KeyPlace::same, 0.3, 0.95}})), HeadRole::mixed);
}

TEST(HeadRole, Aligns) {
  EXPECT_EQ(role_of(cross, figures({}), 0.5), HeadRole::aligns);
  EXPECT_EQ(role_of(cross, figures({}), 0.51), HeadRole::mixed);
  EXPECT_EQ(role_of(cross, figures({}, 0.5, 0.6)), HeadRole::aligns);
  EXPECT_EQ(role_of(cross, figures({}, 0.49, 0.6)), HeadRole::mixed);
  EXPECT_EQ(role_of(cross, figures({}, 0.5, 0.59)), HeadRole::mixed);
  // Gold links know better.
  EXPECT_EQ(role_of(cross, figures({}, 0.9, 0.9), 0.6), HeadRole::mixed);
  EXPECT_EQ(role_of(encoder, figures({}, 0.9, 0.9)), HeadRole::mixed);
}

TEST(HeadRole, EndsStartsAndRareWords) {
  for (const AttentionPart part : {encoder, cross}) {
    EXPECT_EQ(role_of(part, figures({{KeyPlace::end, 0.5, 0.1}})), HeadRole::end_of_sentence);
    EXPECT_EQ(role_of(part, figures({{KeyPlace::end, 0.49, 0.9}})), HeadRole::mixed);
  }
  EXPECT_EQ(role_of(decoder, figures({{KeyPlace::first, 0.5, 0.1}})), HeadRole::start_of_sentence);
  EXPECT_EQ(role_of(decoder, figures({{KeyPlace::first, 0.49, 0.9}})), HeadRole::mixed);
  EXPECT_EQ(role_of(encoder, figures({{KeyPlace::rare, 0.1, 0.5}})), HeadRole::rare_words);
  EXPECT_EQ(role_of(encoder, figures({{KeyPlace::rare, 0.9, 0.49}})), HeadRole::mixed);
  EXPECT_EQ(role_of(encoder, figures({{KeyPlace::end, 0.5, 0.5}, {KeyPlace::rare, 0.5, 0.5}})),
            HeadRole::end_of_sentence);
}

TEST(HeadRole, HasAName) {
  EXPECT_EQ(name_of(HeadRole::previous_word), "previous word");
  EXPECT_EQ(name_of(HeadRole::end_of_sentence), "end of sentence");
  std::set<std::string_view> names;
  for (const HeadRole role : {HeadRole::previous_word, HeadRole::next_word, HeadRole::same_word,
                              HeadRole::aligns, HeadRole::end_of_sentence,
                              HeadRole::start_of_sentence, HeadRole::rare_words, HeadRole::mixed})
    names.insert(name_of(role));
  EXPECT_EQ(names.size(), 8);
}

}  // namespace
}  // namespace heed
