#include "heed/markup/document.h"

#include <gtest/gtest.h>

#include "word_translator.h"

namespace heed {
namespace {

using testing::translate_html;
using testing::WordOrder;

TEST(Document, TagsComeBackAroundTheWordsThatTheyWereAround) {
  EXPECT_EQ(translate_html("<p>Hello <b>big</b> world.</p>", WordOrder::reversed),
            "<p>WORLD <b>BIG</b> HELLO.</p>");
  EXPECT_EQ(translate_html("<p>one <b>two three</b> four</p>", WordOrder::last_to_front),
            "<p>FOUR ONE <b>TWO THREE</b></p>");
}

// A full stop that the source does not have attends to some word, which says nothing.
TEST(Document, AnAddedMarkStaysWithTheWordsNextToIt) {
  const auto translated = [](const char* page, TextRange attended) {
    return testing::translate_document(
               Document(page, {.kind = MarkupKind::html, .language = "en"}),
               [&](const std::string&) {
                 return TranslatedSentence{
                     .text = "Ein, Hund.",
                     .links = {.of_target = {{{0, 3}, {0, 3}},
                                             {attended, {3, 4}},
                                             {{4, 7}, {5, 9}},
                                             {attended, {9, 10}}},
                               .of_source = {{{0, 3}, {0, 3}}, {{4, 7}, {5, 9}}}}};
               })
        .text;
  };
  EXPECT_EQ(translated("<b>One</b> dog", {0, 3}), "<b>Ein</b>, Hund.");
  EXPECT_EQ(translated("One <b>dog</b>", {0, 3}), "Ein, <b>Hund.</b>");
  EXPECT_EQ(translated("<b>One dog</b>", {4, 7}), "<b>Ein, Hund.</b>");
  EXPECT_EQ(translated("One <b>dog</b>.", {0, 3}), "Ein, <b>Hund</b>.");
  EXPECT_EQ(translated("One <b>dog.</b>", {0, 3}), "Ein, <b>Hund.</b>");
}

// What was no tag does not become one next to a tag that comes from elsewhere.
TEST(Document, ALonelyBracketStaysText) {
  const FinishedDocument finished = testing::translate_document(
      Document("<b>One</b> two.</", {.kind = MarkupKind::html, .language = "en"}),
      [](const std::string&) { return TranslatedSentence{.text = ""}; });
  EXPECT_EQ(finished.text, "&lt;/<b></b>");
}

TEST(Document, AsksAgainWithoutPlaceholdersThatDidNotComeThrough) {
  Document document("Hello {name}!", {.language = "en"});
  ASSERT_EQ(document.pending().size(), 1U);
  EXPECT_EQ(document.pending()[0].text, "Hello {name}!");
  document.take(std::vector<TranslatedSentence>{{.text = "Hallo NAME!"}});
  ASSERT_EQ(document.pending().size(), 1U);
  EXPECT_EQ(document.pending()[0].text, "Hello!");
  document.take(std::vector<TranslatedSentence>{
      {.text = "Hallo!",
       .links = {.of_target = {{{0, 5}, {0, 5}}, {{5, 6}, {5, 6}}},
                 .of_source = {{{0, 5}, {0, 5}}, {{5, 6}, {5, 6}}}}}});
  EXPECT_TRUE(document.pending().empty());
  EXPECT_EQ(document.finish().text, "Hallo {name}!");
  EXPECT_TRUE(document.finish().reported.empty());
}

TEST(Document, ReportsWhatTheModelAdds) {
  const FinishedDocument finished = testing::translate_document(
      Document("One.\nHello {name}!", {.language = "en"}),
      [](const std::string&) { return TranslatedSentence{.text = "Hallo %s!"}; });
  ASSERT_EQ(finished.reported.size(), 2U);
  EXPECT_EQ(finished.reported[1].line, 2U);
  EXPECT_EQ(finished.reported[1].translation, "Hallo %s!");
}

TEST(Document, UnnumberedPlaceholdersKeepTheirOrder) {
  const FinishedDocument finished = testing::translate_document(
      Document("Take %s and %d now.", {.language = "en"}), [](const std::string& text) {
        return text.find('%') != text.npos ? TranslatedSentence{.text = "%d und %s."}
                                           : TranslatedSentence{.text = "Nimm und jetzt."};
      });
  EXPECT_TRUE(finished.reported.empty());
  EXPECT_LT(finished.text.find("%s"), finished.text.find("%d"));
}

TEST(Document, PlainTextKeepsItsSpaceAndItsTags) {
  const auto translated = [](const std::string& text) {
    return translate_html(text, WordOrder::reversed, {.kind = MarkupKind::text, .language = "en"});
  };
  EXPECT_EQ(translated("  One two.\n\n\tThree  four.\r\n"), "  TWO ONE.\n\n\tFOUR THREE.\r\n");
  EXPECT_EQ(translated("one <b>two</b> <x id=\"1\"/> a < b & c"),
            "C & B < A <b>TWO</b> <x id=\"1\"/> ONE");
}

TEST(Document, TakesTagsOfItsCallersChoice) {
  const DocumentOptions options = {.kind = MarkupKind::xml,
                                   .language = "en",
                                   .ignore_tags = {"keep"},
                                   .splitting_tags = {"s"},
                                   .non_splitting_tags = {"n"}};
  EXPECT_EQ(translate_html("<d><p>one <keep>two</keep> three</p><n>four five</n></d>",
                           WordOrder::reversed, options),
            "<d><p>THREE ONE <keep>two</keep></p><n>FIVE FOUR</n></d>");
  EXPECT_EQ(translate_html("<p>one two<s/>three four</p>", WordOrder::reversed, options),
            "<p>TWO ONE<s/>FOUR THREE</p>");
}

// Huge tags around scattered words do not make a page many times as huge.
TEST(Document, HugePagesDoNotExplode) {
  std::string page = "<p>", deep = "<p>";
  const std::string tag = "<a title=\"" + std::string(20000, 'x') + "\">";
  for (int i = 0; i < 100; ++i) page += tag + "one</a> two ";
  EXPECT_LT(translate_html(page, WordOrder::swapped_pairs).size(), 10 * page.size());
  for (int i = 0; i < 3000; ++i) deep += "<b>one ";
  for (int i = 0; i < 3000; ++i) deep += "</b>";
  EXPECT_LT(translate_html(deep, WordOrder::reversed).size(), 10 * deep.size());
}

}  // namespace
}  // namespace heed
