#include "heed/metrics/tokenise.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "heed/base/characters.h"

namespace heed {
namespace {

// The words with single spaces between them.
std::string tokenised(Tokeniser tokeniser, std::string_view text) {
  std::vector<std::string> words;
  for (const std::u32string& word : tokenise(tokeniser, characters_of(text)))
    words.push_back(text_of(word));
  return fmt::format("{}", fmt::join(words, " "));
}

struct Case {
  std::string text, tokens;
};

void expect_tokens(Tokeniser tokeniser, const std::vector<Case>& cases) {
  for (const Case& test : cases)
    EXPECT_EQ(tokenised(tokeniser, test.text), test.tokens) << test.text;
}

TEST(Tokenise, NoneSplitsAtSpaces) {
  expect_tokens(Tokeniser::none, {{"", ""}, {"a, b.", "a, b."}, {" a \t b　c ", "a b c"}});
}

TEST(Tokenise, V13aSeparatesPunctuationButNotInNumbers) {
  expect_tokens(Tokeniser::v13a,
                {
                    {"Hello, world!", "Hello , world !"},
                    {"3.5 and 1,000 at 5,", "3.5 and 1,000 at 5 ,"},
                    {"end 5.", "end 5 ."},
                    {".5", ". 5"},
                    {"a.b", "a . b"},
                    {"wait...", "wait . . ."},
                    {"don't (stop) 'now'", "don't ( stop ) 'now'"},
                    {"well-known 1990-2000", "well-known 1990 - 2000"},
                    {"&quot;a&amp;b&quot; &lt;c&gt; <skipped>d", "\" a & b \" < c > d"},
                    {"a$b^c~d/e", "a $ b ^ c ~ d / e"},
                    {"“quoted” — 他。", "“quoted” — 他。"},
                    {"é,à", "é , à"},
                });
}

TEST(Tokenise, InternationalKnowsEveryScript) {
  expect_tokens(Tokeniser::international,
                {
                    {"“Hello”, 他说。好", "“ Hello ” , 他说 。 好"},
                    {"1,000.5 5.", "1,000.5 5."},  // as the original has it
                    {"٣٫٥", "٣٫٥"},
                    {"10€ + 5% x", "10 € + 5 % x"},
                    {"don't", "don ' t"},
                    {"a--b", "a - - b"},
                    {".", "."},
                    {"..", ". ."},
                });
}

TEST(Tokenise, ChineseCharactersAreWords) {
  expect_tokens(Tokeniser::chinese,
                {
                    {"我爱Peking。", "我 爱 Peking 。"},
                    {" 2，5 ", "2 ， 5"},
                    {"a, b. 5.", "a , b . 5."},  // the end of the text is no character here
                    {"“a”…", "“ a ” …"},
                    {"カタカナ ｱｲ", "カタカナ ｱ ｲ"},
                    {"　", ""},
                });
}

TEST(Tokenise, CharactersAreWords) {
  expect_tokens(Tokeniser::character, {{"ab c", "a b c"}, {"日 本.", "日 本 ."}, {"", ""}});
}

TEST(Tokenise, Names) {
  std::string names;
  for (const Tokeniser tokeniser : every_tokeniser) names += std::string(name_of(tokeniser)) + " ";
  EXPECT_EQ(names, "none 13a intl zh char ");
}

}  // namespace
}  // namespace heed
