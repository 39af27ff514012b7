#include "heed/data/moses_tokeniser.h"

#include <gtest/gtest.h>

#include "heed/base/characters.h"

namespace heed::moses {
namespace {

const std::vector<std::string> prefixes = {"Dr", "M", "B", "3", "z", "No #NUMERIC_ONLY#"};

std::string in(const std::string& language, std::string_view text) {
  std::string all;
  for (const TracedText& word : Tokeniser(language, prefixes).words(TracedText(text)))
    all += (all.empty() ? "" : " ") + text_of(word.characters());
  return all;
}

// Expected is what MosesTokenizer of sacremoses 0.1.1 gives with these abbreviations.
TEST(MosesTokeniser, MarksStandAlone) {
  EXPECT_EQ(in("en", "a-b--c `x` user@example.com/a_b"), "a-b--c `x` user @ example.com / a _ b");
  EXPECT_EQ(in("en", "tab\there\u00a0now\x01x"), "tab here nowx");
  EXPECT_EQ(in("en", ""), "");
  EXPECT_EQ(in("en", " \t"), "");
}

TEST(MosesTokeniser, EscapesTheCharactersOfXml) {
  EXPECT_EQ(in("en", "[a|b] <c> & \"d\""),
            "&#91; a &#124; b &#93; &lt; c &gt; &amp; &quot; d &quot;");
}

TEST(MosesTokeniser, CommasStayBetweenNumbers) {
  EXPECT_EQ(in("en", "A,B,C 5,300 5, x,7 8,"), "A , B , C 5,300 5 , x , 7 8 ,");
  EXPECT_EQ(in("en", "½, x,½"), "½ , x , ½");
}

TEST(MosesTokeniser, FullStopsStayWithAbbreviations) {
  EXPECT_EQ(in("en", "No. 5 and No. Thanks."), "No. 5 and No . Thanks .");
  EXPECT_EQ(in("en", "e.g. U.S. Inc. Next"), "e.g. U.S. Inc . Next");
  EXPECT_EQ(in("de", "Am 3. Mai kam Dr. Müller z. B. mit 100. Danach 'Ende'."),
            "Am 3. Mai kam Dr. Müller z. B. mit 100 . Danach &apos; Ende &apos; .");
}

// A small letter goes on with a sentence, even after a word that is no abbreviation.
TEST(MosesTokeniser, SeveralFullStopsAreAWord) {
  EXPECT_EQ(in("en", "Wait... what.. and. so"), "Wait ... what .. and. so");
  EXPECT_EQ(in("en", "ends.."), "ends ..");
  EXPECT_EQ(in("en", "DOTMULTI"), "DOTMULTI");  // sacremoses itself has a use for this word
}

TEST(MosesTokeniser, ApostrophesAreTheLanguages) {
  EXPECT_EQ(in("en", "It's Dr. Smith's dog, isn't it?"),
            "It &apos;s Dr. Smith &apos;s dog , isn &apos;t it ?");
  EXPECT_EQ(in("en", "the dogs' 1990's 'tis"), "the dogs &apos; 1990 &apos;s &apos; tis");
  EXPECT_EQ(in("en", "rock 'n' roll"), "rock &apos; n &apos; roll");
  EXPECT_EQ(in("en", "He ended.'"), "He ended . &apos;");
  EXPECT_EQ(in("fr", "L'eau d'aujourd'hui, c'est 'bien' !"),
            "L&apos; eau d&apos; aujourd&apos; hui , c&apos; est &apos; bien &apos; !");
  EXPECT_EQ(in("de", "geht's"), "geht &apos; s");
}

TEST(MosesTokeniser, ScriptsAreSplitAsTheLanguageHasIt) {
  EXPECT_EQ(in("zh", "我有3只猫。好,吗"), "我有3只猫。好 , 吗");
  EXPECT_EQ(in("en", "我有3只猫"), "我 有 3 只 猫");
  EXPECT_EQ(in("ja", "ネコが3匹。"), "ネコが3匹。");
  EXPECT_EQ(in("ko", "고양이 3마리."), "고양이 3마리 .");
  EXPECT_EQ(in("hi", "हिन्दी में।"), "हिन्दी में ।");
}

TEST(MosesTokeniser, KnowsWhereWordsCameFrom) {
  const std::vector<TracedText> words = Tokeniser("en", prefixes).words(TracedText("ß isn't… it."));
  std::vector<TextRange> ranges;
  for (const TracedText& word : words) ranges.push_back(word.origin(0, word.size()));
  EXPECT_EQ(ranges, (std::vector<TextRange>{{0, 2}, {3, 6}, {6, 8}, {8, 11}, {12, 14}, {14, 15}}));
}

}  // namespace
}  // namespace heed::moses
