#include "heed/data/moses_detokeniser.h"

#include <gtest/gtest.h>

#include "heed/base/characters.h"

namespace heed::moses {
namespace {

std::string in(std::string_view language, std::string_view words) {
  return text_of(detokenised(TracedText(words), language).characters());
}

// Expected is what MosesDetokenizer of sacremoses 0.1.1 gives, unless a test says otherwise.
TEST(MosesDetokeniser, MarksGoToTheirWords) {
  EXPECT_EQ(in("en", "&quot; Yes , &quot; he said ( twice ) ."), "\"Yes,\" he said (twice).");
  EXPECT_EQ(in("en", "$ 5 and 10 % @-@ off"), "$5 and 10 %-off");
  EXPECT_EQ(in("en", "one @-@ two"), "one-two");
  EXPECT_EQ(in("en", ""), "");
}

TEST(MosesDetokeniser, EscapesEndOnce) {
  EXPECT_EQ(in("en", "a &amp;lt; b &#91; c &#93; &#124; &bar; &bra; d &ket; &gt; &x;"),
            "a &lt; b [c] | | [d] > &x;");
}

TEST(MosesDetokeniser, ApostrophesAreTheLanguages) {
  EXPECT_EQ(in("en", "It &apos;s Dr. Smith &apos;s dog , isn &apos;t it ?"),
            "It's Dr. Smith's dog, isn't it?");
  EXPECT_EQ(in("en", "the dogs &apos; house"), "the dogs' house");
  EXPECT_EQ(in("en", "&apos; a &apos; b"), "'a' b");
  EXPECT_EQ(in("fr", "l&apos; eau , c&apos; est bien !"), "l'eau, c'est bien !");
  EXPECT_EQ(in("it", "dell&apos; arte e l&apos; 8"), "dell'arte e l' 8");
}

TEST(MosesDetokeniser, FrenchHasSpacesBeforeMarks) {
  EXPECT_EQ(in("fr", "10 % : oui ; 5 !?"), "10 % : oui ; 5!?");
}

TEST(MosesDetokeniser, ScriptsWithoutSpacesGetNone) {
  EXPECT_EQ(in("zh", "我 有 ok 猫"), "我有 ok 猫");
  EXPECT_EQ(in("ko", "고양이 가 있다"), "고양이 가 있다");
}

// sacremoses looks at the last words of the sentence instead, and joins every number to the word
// before it where a sentence ends with a number.
TEST(MosesDetokeniser, CzechNumbersKeepTheirCommas) {
  EXPECT_EQ(in("cs", "mám 3 , 5 litru"), "mám 3,5 litru");
  EXPECT_EQ(in("cs", "v roce 1990 měl 5 ."), "v roce 1990 měl 5.");
  EXPECT_EQ(in("cs", "„ ano “ a „ ne “"), "„ano“ a „ne“");
}

TEST(MosesDetokeniser, KnowsWhereCharactersCameFrom) {
  const TracedText text = detokenised(TracedText("a &lt; b ."), "en");
  ASSERT_EQ(text.characters(), U"a < b.");
  EXPECT_EQ(text.origin(2), (TextRange{2, 6}));
  EXPECT_EQ(text.origin(5), (TextRange{9, 10}));
}

}  // namespace
}  // namespace heed::moses
