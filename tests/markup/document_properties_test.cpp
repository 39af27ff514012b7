// What holds for every page, every translation and every alignment.
#include <gtest/gtest.h>

#include <map>
#include <pugixml.hpp>
#include <set>

#include "heed/markup/document.h"
#include "heed/markup/html_tokens.h"
#include "random_pages.h"
#include "word_translator.h"

namespace heed {
namespace {

using testing::PageMaker;
using testing::translate_document;

// What an XML parser that is not ours finds.
struct Contents {
  std::map<std::string, int> elements;  // by name and attributes, except ids
  std::multiset<std::string> ids;
  std::map<std::string, int> comments;
  std::string text;
};

void add(const pugi::xml_node& node, Contents& contents) {
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() == pugi::node_comment) ++contents.comments[child.value()];
    if (child.type() == pugi::node_pcdata) contents.text += child.value();
    if (child.type() != pugi::node_element) continue;
    std::string name = child.name();
    for (const pugi::xml_attribute& attribute : child.attributes())
      if (std::string(attribute.name()) == "id")
        contents.ids.insert(attribute.value());
      else
        name += std::string(" ") + attribute.name() + "=" + attribute.value();
    ++contents.elements[name];
    add(child, contents);
  }
}

Contents contents_of(const std::string& page) {
  pugi::xml_document parsed;
  const pugi::xml_parse_result result = parsed.load_string(
      page.c_str(), pugi::parse_full | pugi::parse_ws_pcdata | pugi::parse_fragment);
  EXPECT_TRUE(result) << result.description() << " in " << page;
  Contents contents;
  add(parsed, contents);
  return contents;
}

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

class RandomPages : public ::testing::TestWithParam<int> {};

TEST_P(RandomPages, StayWellFormedWithAllElementsAndNoOthers) {
  PageMaker maker(static_cast<uint64_t>(GetParam()));
  for (int round = 0; round < 400; ++round) {
    const std::string page = maker.well_formed();
    const MarkupKind kind = round % 2 == 0 ? MarkupKind::html : MarkupKind::xml;
    const FinishedDocument finished =
        translate_document(Document(page, {.kind = kind, .language = "en"}),
                           [&](const std::string& source) { return maker.translation_of(source); });
    SCOPED_TRACE(page + "\n=>\n" + finished.text);
    const Contents before = contents_of(page), after = contents_of(finished.text);
    for (const auto& [name, count] : before.elements)
      EXPECT_GE(after.elements.contains(name) ? after.elements.at(name) : 0, count) << name;
    for (const auto& [name, count] : after.elements) {
      EXPECT_TRUE(before.elements.contains(name)) << name;
      // Only what has words can be split.
      if (name.starts_with("img") || (name == "code" && kind == MarkupKind::html)) {
        EXPECT_EQ(count, before.elements.at(name));
      }
    }
    EXPECT_EQ(before.ids, after.ids);
    EXPECT_EQ(before.comments, after.comments);
    if (HasFailure()) return;
  }
}

// The text of a page is the text of the translations, whatever that looks like.
TEST_P(RandomPages, TextIsNeverMarkup) {
  PageMaker maker(static_cast<uint64_t>(GetParam()) + 1000);
  for (int round = 0; round < 300; ++round) {
    std::string words;
    for (size_t i = 1 + maker.below(6); i > 0; --i) words += "word ";
    const std::string page = "<p><b>" + words + "</b>more</p>";
    std::string said;
    const FinishedDocument finished =
        translate_document(Document(page, {.kind = MarkupKind::html, .language = "en"}),
                           [&](const std::string& source) {
                             TranslatedSentence translation = maker.translation_of(source);
                             said += translation.text;
                             return translation;
                           });
    EXPECT_EQ(without_spaces(contents_of(finished.text).text), without_spaces(said))
        << finished.text;
  }
}

// Tags that a reader of the page finds, by how they are written without ids.
std::map<std::string, int> tags_of(std::string_view page) {
  std::map<std::string, int> tags;
  for (const HtmlToken& token : find_tokens(page, MarkupKind::html))
    if (token.kind != TokenKind::text)
      ++tags[without_id(page.substr(token.range.begin, token.range.size()))];
  return tags;
}

TEST_P(RandomPages, SoupLosesNoTagAndGetsNoNewOne) {
  PageMaker maker(static_cast<uint64_t>(GetParam()) + 2000);
  for (int round = 0; round < 1500; ++round) {
    const std::string page = maker.soup();
    const FinishedDocument finished =
        translate_document(Document(page, {.kind = MarkupKind::html, .language = "en"}),
                           [&](const std::string& source) { return maker.translation_of(source); });
    SCOPED_TRACE(page + "\n=>\n" + finished.text);
    const std::map<std::string, int> before = tags_of(page), after = tags_of(finished.text);
    for (const auto& [tag, count] : before)
      EXPECT_GE(after.contains(tag) ? after.at(tag) : 0, count) << tag;
    for (const auto& [tag, count] : after) EXPECT_TRUE(before.contains(tag)) << tag;
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPages, ::testing::Range(1, 4),
                         [](const auto& seed) { return "seed_" + std::to_string(seed.param); });

}  // namespace
}  // namespace heed
