// Any bytes, as HTML, XML and plain text: they are never refused, every sentence gets a translation
// and links made of the same bytes, and the page has all of its tags and no others. Translated
// attributes change nothing but attributes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/markup/document.h"
#include "heed/markup/html_tokens.h"

namespace {

using namespace heed;

// Words of the source in an order that the bytes choose, with links that may point anywhere.
TranslatedSentence translation_of(std::string_view source, std::string_view bytes) {
  TranslatedSentence translation;
  for (size_t i = 0; i < source.size() && i < 64; ++i) {
    const auto choice = static_cast<unsigned char>(bytes[i % bytes.size()]);
    const size_t begin = translation.text.size();
    translation.text += source.substr(choice % source.size(), choice % 5);
    translation.text += choice % 3 == 0 ? " <b>&amp;" : " ";
    const size_t from = (choice * 7U) % (source.size() + 1);
    translation.links.of_target.push_back(
        {{from, from + choice % 4}, {begin, translation.text.size() - 1}});
    if (choice % 2 == 0) translation.links.of_source.push_back(translation.links.of_target.back());
  }
  return translation;
}

std::map<std::string, int> tags_of(std::string_view page, MarkupKind kind) {
  std::map<std::string, int> tags;
  for (const HtmlToken& token : find_tokens(page, kind))
    if (token.kind != TokenKind::text)
      ++tags[without_id(page.substr(token.range.begin, token.range.size()))];
  return tags;
}

void check(bool holds) {
  if (!holds) std::abort();
}

Document translated(std::string_view bytes, const DocumentOptions& options) {
  Document document(std::string(bytes), options);
  check(document.finish().text == bytes);
  int rounds = 0;
  for (; !document.pending().empty(); ++rounds) {
    std::vector<TranslatedSentence> translations;
    for (const PendingSentence& sentence : document.pending()) {
      check(!sentence.text.empty());
      translations.push_back(translation_of(sentence.text, bytes));
    }
    document.take(translations);
  }
  check(rounds <= 2);
  return document;
}

// What a page has besides its attributes.
std::string text_and_names(std::string_view page) {
  std::string all;
  for (const HtmlToken& token : find_tokens(page, MarkupKind::html)) {
    all += token.name + '\n';
    if (token.kind == TokenKind::text) all += page.substr(token.range.begin, token.range.size());
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const MarkupKind kind : {MarkupKind::html, MarkupKind::xml, MarkupKind::text}) {
    const std::string page = translated(bytes, {.kind = kind, .language = "en"}).finish().text;
    if (kind == MarkupKind::text) continue;
    const std::map<std::string, int> before = tags_of(bytes, kind), after = tags_of(page, kind);
    for (const auto& [tag, count] : before) check(after.contains(tag) && after.at(tag) >= count);
    for (const auto& [tag, count] : after) check(before.contains(tag));
    if (kind != MarkupKind::html) continue;
    const Document attributes =
        translated(bytes, {.kind = kind, .language = "en", .attributes = true});
    check(text_and_names(attributes.finish().text) == text_and_names(page));
  }
  return 0;
}
