#include "heed/markup/attribute_texts.h"

#include <gtest/gtest.h>

#include "heed/markup/document.h"
#include "heed/markup/entities.h"
#include "heed/markup/html_tokens.h"
#include "random_pages.h"
#include "word_translator.h"

namespace heed {
namespace {

using testing::translate_document;
using testing::translate_html;
using testing::WordOrder;

const DocumentOptions with_attributes = {
    .kind = MarkupKind::html, .language = "en", .attributes = true};

std::string translated(const std::string& page) {
  return translate_html(page, WordOrder::reversed, with_attributes);
}

TEST(AttributeTexts, StayAsTheyAreUnlessAskedFor) {
  const std::string page = "<p title=\"one two\">Three <img alt=\"four five\"> six.</p>";
  EXPECT_EQ(translate_html(page, WordOrder::same),
            "<p title=\"one two\">THREE <img alt=\"four five\"> SIX.</p>");
}

TEST(AttributeTexts, AreThoseThatPeopleRead) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"(<p title="one two">Three four.</p>)", R"(<p title="TWO ONE">FOUR THREE.</p>)"},
      {R"(<p>One <img src="a b" alt="two three"> four.</p>)",
       R"(<p>FOUR ONE <img src="a b" alt="THREE TWO">.</p>)"},
      {R"(<area alt="one two">)", R"(<area alt="TWO ONE">)"},
      {R"(<input type="text" placeholder="one two" value="three four">)",
       R"(<input type="text" placeholder="TWO ONE" value="three four">)"},
      {R"(<input type=SUBMIT value="one two">)", R"(<input type=SUBMIT value="TWO ONE">)"},
      {R"(<input type="hidden" value="one two">)", R"(<input type="hidden" value="one two">)"},
      {R"(<option value="one two" label="three four">)",
       R"(<option value="one two" label="FOUR THREE">)"},
      {R"(<th abbr="one two">)", R"(<th abbr="TWO ONE">)"},
      {R"(<div aria-label="one two" data-label="three four">)",
       R"(<div aria-label="TWO ONE" data-label="three four">)"},
      {R"(<meta name="description" content="One two.">)",
       R"(<meta name="description" content="TWO ONE.">)"},
      {R"(<meta property="og:title" content="one two"/>)",
       R"(<meta property="og:title" content="TWO ONE"/>)"},
      {R"(<meta name="viewport" content="one two">)",
       R"(<meta name="viewport" content="one two">)"},
      {R"(<link rel="stylesheet" title="one two">)", R"(<link rel="stylesheet" title="one two">)"},
      {R"(<a href="one two" class="three four" id="five six">)",
       R"(<a href="one two" class="three four" id="five six">)"},
      {R"(<textarea placeholder="one two">three four</textarea>)",
       R"(<textarea placeholder="TWO ONE">three four</textarea>)"},
  };
  for (const auto& [page, expected] : cases) EXPECT_EQ(translated(page), expected);
}

TEST(AttributeTexts, StayWhereNothingIsTranslated) {
  for (const std::string page :
       {R"(<img translate="no" alt="one two">)", R"(<img class="a notranslate" alt="one two">)",
        R"(<div translate=no title="one two"><img alt="one two"></div>)",
        R"(<svg><g aria-label="one two"></g></svg>)",
        R"(<script title="a">x("<p title='b'>")</script>)", R"(<!-- <p title="one two"> -->)",
        R"(<p title="one two)", R"(<img alt="" title>)", R"(<img alt="12 &mdash;">)",
        R"(<img alt="one &copy two">)"})
    EXPECT_EQ(translated(page), page);
}

TEST(AttributeTexts, KeepTheirQuotes) {
  EXPECT_EQ(translated(R"(<p title='one "two"'>)"), R"(<p title='TWO " ONE "'>)");
  EXPECT_EQ(translated(R"(<p title="one &quot;two&quot;">)"),
            R"(<p title="TWO &quot; ONE &quot;">)");
  EXPECT_EQ(translated(R"(<p title=one>)"), R"(<p title="ONE">)");
  EXPECT_EQ(translated("<p title = 'One\n two. Three four.'>"),
            "<p title = 'TWO ONE. FOUR THREE.'>");
  EXPECT_EQ(translated(R"(<p title="a&amp;b c">)"), R"(<p title="C A&amp;B">)");
  EXPECT_EQ(translated(R"(<p title="one {name} two">)"), R"(<p title="TWO {name} ONE">)");
  // The first of a name counts, as in browsers.
  EXPECT_EQ(translated(R"(<p title="one" TITLE="two">)"), R"(<p title="ONE" TITLE="two">)");
}

TEST(AttributeTexts, NeverBecomeMarkup) {
  for (const char quote : {'"', '\''})
    for (const std::string said : {R"("><script>alert(1)</script>)", R"(' onload='x)", "&quot;>",
                                   "<b>", "a&lt;b", "\xC2\xA0x"}) {
      const std::string page =
          std::string("<p>x</p><img alt=") + quote + "one two" + quote + " id=i>";
      const FinishedDocument finished =
          translate_document(Document(page, with_attributes),
                             [&](const std::string&) { return TranslatedSentence{.text = said}; });
      const std::vector<HtmlToken> tokens = find_tokens(finished.text, MarkupKind::html);
      ASSERT_EQ(tokens.size(), 4U) << finished.text;
      const std::string_view tag =
          std::string_view(finished.text).substr(tokens[3].range.begin, tokens[3].range.size());
      EXPECT_EQ(decode_entities(attribute_of(tag, "alt").value_or(""), MarkupKind::html), said)
          << finished.text;
      EXPECT_EQ(attribute_of(tag, "id"), "i") << finished.text;
    }
}

TEST(AttributeTexts, AreAskedForOnceAndReportedWithTheirLine) {
  const std::string page =
      "<p title='Take {it}'>\n</p>\n<img alt='one'><img title='one'><p title='%s x'>";
  Document document(page, with_attributes);
  ASSERT_EQ(document.pending().size(), 3U);
  EXPECT_EQ(document.finish().text, page);
  const FinishedDocument finished =
      translate_document(std::move(document), [](const std::string& text) {
        return TranslatedSentence{.text = text == "one" ? "eins" : "%d"};
      });
  EXPECT_NE(finished.text.find("<img alt='eins'><img title='eins'>"), std::string::npos)
      << finished.text;
  ASSERT_EQ(finished.reported.size(), 2U);
  EXPECT_EQ(finished.reported[0].line, 1U);
  EXPECT_EQ(finished.reported[1].line, 3U);
}

std::string with_attributes_in(std::string page) {
  for (size_t at = page.find('<'); at != page.npos; at = page.find('<', at + 1))
    for (const std::string tag : {"<p", "<img", "<b", "<x"})
      if (page.compare(at, tag.size(), tag) == 0)
        page.insert(at + tag.size(), tag == "<p" ? " title=\"one two\"" : " alt='x y' title=one");
  return page;
}

// Whatever a page is: its tags have the same names and attributes as without this.
TEST(AttributeTexts, ChangeNothingElse) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    testing::PageMaker maker(seed);
    for (int round = 0; round < 300; ++round) {
      const std::string page = with_attributes_in(maker.soup());
      const auto names = [&](const DocumentOptions& options) {
        const FinishedDocument finished =
            translate_document(Document(page, options), [](const std::string& source) {
              return testing::translate_words(source, WordOrder::reversed);
            });
        std::string all;
        for (const HtmlToken& token : find_tokens(finished.text, MarkupKind::html)) {
          all += token.name + " ";
          if (token.kind == TokenKind::text)
            all += finished.text.substr(token.range.begin, token.range.size());
        }
        return all;
      };
      DocumentOptions without = with_attributes;
      without.attributes = false;
      EXPECT_EQ(names(with_attributes), names(without)) << page;
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace heed
