#include "heed/decoding/growing_text.h"

#include <gtest/gtest.h>

#include "small_vocabulary.h"

namespace heed {
namespace {

using heed::testing::small_vocabulary;

using Ids = std::vector<int32_t>;

const std::string prompt = "ba ko", more = "ri ba ko ri";

GrowingText growing(std::vector<std::string> stops = {}) {
  return GrowingText(small_vocabulary(), small_vocabulary().encode(prompt), std::move(stops));
}

TEST(GrowingText, KeepsTheSpaceBeforeItsFirstWord) {
  const Vocabulary& vocabulary = small_vocabulary();
  EXPECT_EQ(text_after(vocabulary, vocabulary.encode(prompt), vocabulary.encode(more)), " " + more);
  EXPECT_EQ(text_after(vocabulary, Ids{vocabulary.start()}, vocabulary.encode(more)), more);
}

TEST(GrowingText, FindsTheFirstOfTheStopTexts) {
  EXPECT_EQ(find_stop("one two", std::vector<std::string>{"two", "ne"}), 1);
  EXPECT_EQ(find_stop("one two", std::vector<std::string>{"three"}), std::nullopt);
  EXPECT_EQ(find_stop("one two", {}), std::nullopt);
}

TEST(GrowingText, GivesEverythingOnceAndInOrder) {
  GrowingText text = growing();
  std::string seen;
  for (const int32_t token : small_vocabulary().encode(more)) {
    EXPECT_TRUE(text.add(token));
    seen += text.take_settled();
    EXPECT_EQ(seen, text.text());
    EXPECT_EQ(text.take_settled(), "");
  }
  EXPECT_EQ(seen, " " + more);
}

TEST(GrowingText, EndsAtAStopTextAndNeverShowsAPartOfIt) {
  GrowingText text = growing({"ko"});
  std::string seen;
  for (const int32_t token : small_vocabulary().encode(more)) {
    const bool goes_on = text.add(token);
    seen += goes_on ? text.take_settled() : text.take_rest();
    EXPECT_FALSE(seen.ends_with("k")) << seen;
    if (!goes_on) break;
  }
  EXPECT_TRUE(text.stopped());
  EXPECT_EQ(text.text(), " ri ba ");
  EXPECT_EQ(seen, text.text());
}

// What only began like a stop text is shown in the end.
TEST(GrowingText, GivesTheRestAtTheEnd) {
  GrowingText text = growing({"ri!"});
  std::string seen;
  for (const int32_t token : small_vocabulary().encode("ba ri")) {
    EXPECT_TRUE(text.add(token));
    seen += text.take_settled();
  }
  EXPECT_EQ(seen, " ba ");
  EXPECT_EQ(text.take_rest(), "ri");
}

}  // namespace
}  // namespace heed
