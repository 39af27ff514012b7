#include "heed/markup/sentences.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

std::vector<std::string> sentences_of(std::string_view text, const std::string& language = "en",
                                      SentenceSplit split = SentenceSplit::punctuation) {
  std::vector<std::string> sentences;
  for (const TextRange range : find_sentences(text, split, language))
    sentences.emplace_back(text.substr(range.begin, range.size()));
  return sentences;
}

using List = std::vector<std::string>;

TEST(Sentences, EndAtPunctuation) {
  EXPECT_EQ(sentences_of("One two. Three? Four! Five"),
            List({"One two.", "Three?", "Four!", "Five"}));
  EXPECT_EQ(sentences_of("He said \"Go.\" Then he went."),
            List({"He said \"Go.\"", "Then he went."}));
  EXPECT_EQ(sentences_of("你好。再见！", "zh"), List({"你好。", "再见！"}));
  EXPECT_EQ(sentences_of("  One.\n\n Two.  "), List({"One.", "Two."}));
}

TEST(Sentences, DoNotEndAtAbbreviations) {
  EXPECT_EQ(sentences_of("Mr. Smith met Dr. No. They left."),
            List({"Mr. Smith met Dr. No.", "They left."}));
  EXPECT_EQ(sentences_of("J. R. R. Tolkien wrote it. Yes."),
            List({"J. R. R. Tolkien wrote it.", "Yes."}));
  EXPECT_EQ(sentences_of("Das kostet z. B. Geld. Ja.", "de"),
            List({"Das kostet z. B. Geld.", "Ja."}));
  EXPECT_EQ(sentences_of("Am 3. Mai kam er. Ja.", "de-AT"), List({"Am 3. Mai kam er.", "Ja."}));
  EXPECT_EQ(sentences_of("It costs 3.50 euros. Yes.", ""), List({"It costs 3.50 euros.", "Yes."}));
  EXPECT_EQ(sentences_of("So do I. They left."), List({"So do I.", "They left."}));
}

TEST(Sentences, EndAtLinesOnlyIfAsked) {
  const std::string text = "One two\nthree. Four\r\nfive";
  EXPECT_EQ(sentences_of(text, "en", SentenceSplit::punctuation_and_newlines),
            List({"One two", "three.", "Four", "five"}));
  EXPECT_EQ(sentences_of(text, "en", SentenceSplit::punctuation),
            List({"One two\nthree.", "Four\r\nfive"}));
  EXPECT_EQ(sentences_of(" " + text + " ", "en", SentenceSplit::none), List({text}));
}

TEST(Sentences, OfNothingAreNone) {
  for (const SentenceSplit split :
       {SentenceSplit::none, SentenceSplit::punctuation, SentenceSplit::punctuation_and_newlines}) {
    EXPECT_EQ(sentences_of("", "en", split), List());
    EXPECT_EQ(sentences_of(" \n\t\xC2\xA0 ", "en", split), List());
  }
}

// What is between sentences is space, whatever the text and the language are.
TEST(Sentences, LeaveNothingOut) {
  for (const char* language : {"en", "de", "zh", "", "xx", "a b/c", "DE"})
    for (const std::string text :
         {"A. B. C.", "\xFF\xFE. X", "a.b.c. D", "...", "1. 2. 3.", "\n\n"}) {
      size_t from = 0;
      for (const TextRange range : find_sentences(text, SentenceSplit::punctuation, language)) {
        EXPECT_EQ(text.substr(from, range.begin - from).find_first_not_of(" \n"), text.npos);
        EXPECT_LT(range.begin, range.end);
        from = range.end;
      }
      EXPECT_EQ(text.substr(from).find_first_not_of(" \n"), text.npos);
    }
}

}  // namespace
}  // namespace heed
