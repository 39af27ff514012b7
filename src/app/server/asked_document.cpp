#include "heed/server/asked_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/text.h"
#include "heed/markup/entities.h"
#include "heed/markup/html_tokens.h"
#include "heed/server/http_text.h"
#include "heed/server/refusal.h"

namespace heed {

namespace {

// "a,b" or ["a", "b"]
std::vector<std::string> tags_of(const Parameters& parameters, const char* name) {
  std::vector<std::string> tags;
  for (const std::string& list : parameters.texts(name).value_or(std::vector<std::string>())) {
    std::string_view rest = list;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(','), rest.size());
      const std::string_view tag = trimmed(rest.substr(0, end));
      if (!tag.empty()) tags.emplace_back(tag);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return tags;
}

}  // namespace

DocumentOptions document_options(const std::string& format, const std::string& language) {
  DocumentOptions options{.language = language};
  if (format == "html")
    options.kind = MarkupKind::html;
  else if (format == "xml")
    options.kind = MarkupKind::xml;
  else if (format != "text")
    throw Refusal(400, fmt::format("{} format is not supported", printable(format)));
  return options;
}

std::string deepl_choice(const Parameters& parameters, const char* name, const char* usual,
                         std::initializer_list<std::string_view> allowed) {
  const ParameterValue* value = parameters.find(name);
  std::string text = usual;
  if (value != nullptr && value->kind == ParameterValue::Kind::truth)
    text = value->truth ? "1" : "0";
  else if (value != nullptr && value->kind == ParameterValue::Kind::number)
    text = fmt::format("{}", value->number);
  else if (value != nullptr)
    text = parameters.text(name).value_or(usual);
  if (std::ranges::find(allowed, text) == allowed.end())
    throw Refusal(400, fmt::format("Value for '{}' not supported.", name));
  return text;
}

DocumentOptions deepl_document(const Parameters& parameters, const std::string& language) {
  const std::string tags = deepl_choice(parameters, "tag_handling", "", {"", "xml", "html"});
  const std::string split =
      deepl_choice(parameters, "split_sentences", "", {"", "0", "1", "nonewlines"});
  DocumentOptions options = document_options(tags.empty() ? "text" : tags, language);
  if (split == "0") options.split = SentenceSplit::none;
  if (split == "1") options.split = SentenceSplit::punctuation_and_newlines;
  if (split == "nonewlines") options.split = SentenceSplit::punctuation;
  options.ignore_tags = tags_of(parameters, "ignore_tags");
  options.splitting_tags = tags_of(parameters, "splitting_tags");
  options.non_splitting_tags = tags_of(parameters, "non_splitting_tags");
  options.outline_detection = parameters.truth("outline_detection").value_or(true);
  return options;
}

std::string readable_text(const std::vector<std::string>& texts, MarkupKind kind) {
  std::string readable;
  for (const std::string& text : texts) {
    for (const HtmlToken& token : find_tokens(text, kind)) {
      const std::string_view raw =
          std::string_view(text).substr(token.range.begin, token.range.size());
      readable += token.kind == TokenKind::text ? decode_entities(raw, kind) : " ";
    }
    readable += '\n';
  }
  return readable;
}

}  // namespace heed
