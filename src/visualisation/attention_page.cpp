#include "heed/visualisation/attention_page.h"

#include <algorithm>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/json.h"

namespace heed {

// The page without its data; cmake/embed_page.cmake makes it.
extern const std::string_view attention_page_text;

namespace {

using Json = OrderedJsonValue;

Json json_of(const PageTokens& tokens);
Json json_of(const PagePart& part);
Json json_of(const PageAlternative& alternative);
Json json_of(const PageSentence& sentence);
Json json_of(const PageHead& head);
Json json_of(const PageColumn& column);
Json json_of(const PageRow& row);
Json json_of(const PageStep& step);
Json json_of(const std::optional<PageSentence>& sentence);

template <typename Items>
Json array_of(const Items& items) {
  Json json = Json::array();
  for (const auto& item : items) json.push_back(json_of(item));
  return json;
}

// An object of named things.
template <typename Items>
Json object_of(const Items& items) {
  Json json = Json::object();
  for (const auto& item : items) json[item.name] = json_of(item);
  return json;
}

Json json_of(const PackedValues& values) {
  return json_object<Json>({{"packing", "deflate"},
                            {"signed", values.is_signed},
                            {"scale", values.scales},
                            {"data", values.data}});
}

Json json_of(const PageTokens& tokens) {
  Json json = Json::object();
  if (!tokens.title.empty()) json["title"] = tokens.title;
  if (!tokens.text.empty()) json["text"] = tokens.text;
  json["pieces"] = tokens.pieces;
  if (!tokens.words.empty()) json["words"] = tokens.words;
  if (!tokens.continuation.empty()) json["continuation"] = tokens.continuation;
  return json;
}

Json json_of(const PagePart& part) {
  Json json = Json::object();
  if (!part.title.empty()) json["title"] = part.title;
  json["queries"] = part.queries;
  json["keys"] = part.keys;
  json["layers"] = part.layers;
  json["heads"] = part.heads;
  json["causal"] = part.causal;
  json["weights"] = json_of(part.weights);
  if (part.norms) json["norms"] = json_of(*part.norms);
  if (part.gradients) json["gradients"] = json_of(*part.gradients);
  return json;
}

Json json_of(const PageAlternative& alternative) {
  Json json = json_object<Json>({{"text", alternative.text}});
  if (alternative.score) json["score"] = *alternative.score;
  if (alternative.sentence) json["sentence"] = *alternative.sentence;
  return json;
}

Json json_of(const PageSentence& sentence) {
  Json json = json_object<Json>({{"name", sentence.name}});
  if (sentence.score) json["score"] = *sentence.score;
  if (sentence.of) json["of"] = *sentence.of;
  if (!sentence.alternatives.empty()) json["alternatives"] = array_of(sentence.alternatives);
  json["tokens"] = object_of(sentence.tokens);
  json["parts"] = object_of(sentence.parts);
  return json;
}

// The page's data count from 0.
Json json_of(const PageHead& head) {
  return json_object<Json>(
      {{"part", head.part}, {"layer", head.layer - 1}, {"head", head.head - 1}});
}

Json json_of(const PageColumn& column) {
  return json_object<Json>(
      {{"key", column.key}, {"name", column.name}, {"help", column.help}, {"best", column.best}});
}

Json json_of(const PageRow& row) {
  Json json = json_of(row.head);
  json["role"] = row.role;
  json["figures"] = Json::object();
  for (const auto& [key, value] : row.figures) json["figures"][key] = value;
  return json;
}

Json json_of(const std::optional<PageSentence>& sentence) {
  return sentence ? json_of(*sentence) : Json();
}

Json heads_of(const std::vector<PageColumn>& columns, const std::vector<PageRow>& rows) {
  return json_object<Json>({{"columns", array_of(columns)}, {"rows", array_of(rows)}});
}

Json json_of(const PageStep& step) {
  Json heads = heads_of(step.columns, step.rows);
  if (!step.over.empty()) heads["over"] = step.over;
  return json_object<Json>(
      {{"step", step.step}, {"heads", std::move(heads)}, {"sentences", array_of(step.sentences)}});
}

// In JSON, a < stands only inside of strings, where it may be written so: then nothing can end the
// element that holds the data.
std::string inert(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char letter : json) {
    if (letter == '<')
      text += "\\u003c";
    else
      text += letter;
  }
  return text;
}

std::string data_of(const AttentionPage& page) {
  Json json = json_object<Json>({{"format", "heed-attention"}, {"version", 1}});
  if (!page.title.empty()) json["title"] = page.title;
  if (page.first) json["first"] = json_of(*page.first);
  if (page.pieces_first) json["first"]["unit"] = "pieces";
  if (!page.off.empty()) json["off"] = array_of(page.off);
  if (!page.rows.empty()) json["heads"] = heads_of(page.columns, page.rows);
  if (page.steps.empty())
    json["sentences"] = array_of(page.sentences);
  else
    json["steps"] = array_of(page.steps);
  return inert(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

PagePart page_part(std::string name, std::string queries, std::string keys,
                   const PageArrays& arrays, bool causal) {
  PagePart part{.name = std::move(name),
                .queries = std::move(queries),
                .keys = std::move(keys),
                .layers = arrays.weights.shape()[0],
                .heads = arrays.weights.shape()[1],
                .causal = causal,
                .weights = pack_values(arrays.weights, {.causal = causal})};
  if (arrays.norms.present()) part.norms = pack_values(arrays.norms, {.causal = causal});
  if (arrays.gradients.present())
    part.gradients = pack_values(arrays.gradients, {.causal = causal, .is_signed = true});
  return part;
}

std::string attention_page_json(const AttentionPage& page) {
  const auto has_sentence = [](const PageStep& step) {
    return std::ranges::any_of(step.sentences, [](const auto& each) { return each.has_value(); });
  };
  require(
      page.steps.empty() ? !page.sentences.empty() : std::ranges::all_of(page.steps, has_sentence),
      "attention page: there is no sentence to show");
  return data_of(page);
}

std::string draw_as_page(const AttentionPage& page) {
  const std::string data = attention_page_json(page);
  constexpr std::string_view mark = "@DATA@";
  const size_t at = attention_page_text.find(mark);
  std::string html(attention_page_text.substr(0, at));
  html += data;
  html += attention_page_text.substr(at + mark.size());
  return html;
}

}  // namespace heed
