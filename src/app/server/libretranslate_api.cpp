// LibreTranslate's API: its parameters, its replies and its error texts.
#include <algorithm>

#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/server/apis.h"
#include "heed/server/asked_document.h"
#include "heed/server/asked_path.h"
#include "heed/server/languages.h"
#include "heed/server/parameters.h"
#include "heed/server/reply_json.h"
#include "heed/server/service.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;
using FieldType = RouteField::Type;

std::string required_text(const Parameters& parameters, const char* name) {
  const std::optional<std::string> found = parameters.text(name);
  if (!found) throw Refusal(400, fmt::format("Invalid request: missing {} parameter", name));
  return *found;
}

struct Query {
  std::vector<std::string> texts;
  bool is_batch = false;
};

// Forms normalise line ends; only JSON has lists.
Query query_of(const Parameters& parameters, const RequestLimits& limits) {
  const ParameterValue* q = parameters.find("q");
  const bool is_list = q != nullptr && q->kind == ParameterValue::Kind::texts;
  Query query;
  if (parameters.is_json() && is_list) {
    query = {q->texts, true};
    if (static_cast<int64_t>(query.texts.size()) > limits.texts)
      throw Refusal(400, fmt::format("Invalid request: request ({}) exceeds text limit ({})",
                                     query.texts.size(), limits.texts));
  } else {
    query.texts = {required_text(parameters, "q")};
    if (!parameters.is_json()) query.texts[0] = with_line_feeds(query.texts[0]);
  }
  if (query.texts.empty()) throw Refusal(400, "Invalid request: missing q parameter");
  const int64_t size = count_characters(query.texts);
  if (size > limits.characters)
    throw Refusal(400, fmt::format("Invalid request: request ({}) exceeds text limit ({})", size,
                                   limits.characters));
  return query;
}

Json json_of(const DetectedLanguage& detected) {
  return json_object<Json>({{"confidence", detected.confidence}, {"language", detected.code}});
}

int64_t wanted_alternatives(const Parameters& parameters, const RequestLimits& limits) {
  const int64_t least = std::numeric_limits<int32_t>::min();
  return std::max<int64_t>(
      0, parameters.whole_number("alternatives", least, limits.alternatives).value_or(0));
}

// XML is not one of its formats.
std::string libretranslate_format(const Parameters& parameters) {
  std::string format = parameters.text("format").value_or("text");
  if (format == "xml") throw Refusal(400, "xml format is not supported");
  return format;
}

void translate(const Call& call) {
  const Parameters& parameters = *call.parameters;
  const RequestLimits& limits = call.service.limits();
  const Query query = query_of(parameters, limits);
  const std::string source = required_text(parameters, "source"),
                    target = required_text(parameters, "target");
  const int64_t alternatives = wanted_alternatives(parameters, limits);
  const auto models = call.service.models();
  const bool is_auto = source == "auto";
  const bool may_pivot = call.service.settings().pivots;
  std::string from = is_auto ? "" : asked_language(*models, source);
  const std::string to = asked_language(*models, target);
  DetectedLanguage detected;
  DocumentOptions document = document_options(libretranslate_format(parameters), "");
  if (is_auto) {
    detected = detect_source(readable_text(query.texts, document.kind),
                             models->sources_of(to, may_pivot), to);
    from = detected.code;
  }
  document.language = base_language(from);
  TranslationJob job{.texts = query.texts};
  if (from != to) {
    job.set_path(models->path({from, to}, may_pivot));
    if (job.path.empty())
      throw Refusal(400, fmt::format("{} ({}) is not available as a target language from {} ({})",
                                     language_name(to), to, language_name(from), from));
  }
  job.document = document;
  job.search.n_best = static_cast<int>(alternatives) + 1;
  job.search.beam = std::max(job.search.beam, job.search.n_best);
  call.service.translate(call, std::move(job),
                         [=, is_batch = query.is_batch](const JobResult& result) {
                           Json reply = Json::object(), texts = Json::array(),
                                others = Json::array(), languages = Json::array();
                           for (const TranslatedText& text : result.texts) {
                             texts.push_back(text.text);
                             others.push_back(text.alternatives);
                             languages.push_back(json_of(detected));
                           }
                           reply["translatedText"] = is_batch ? texts : texts[0];
                           if (is_auto)
                             reply["detectedLanguage"] = is_batch ? languages : languages[0];
                           if (alternatives > 0)
                             reply["alternatives"] = is_batch ? others : others[0];
                           return json_reply(reply);
                         });
}

void detect(const Call& call) {
  const Parameters& parameters = *call.parameters;
  const Query query = query_of(parameters, call.service.limits());
  Json reply = Json::array();
  for (const DetectedLanguage& detected : detect_languages(
           readable_text(query.texts, MarkupKind::text), call.service.models()->languages()))
    reply.push_back(json_of(detected));
  call.exchange->reply(json_reply(reply));
}

void list_languages(const Call& call) {
  const auto models = call.service.models();
  Json reply = Json::array();
  for (const std::string& code : models->languages()) {
    std::vector<std::string> targets = models->targets_of(code, call.service.settings().pivots);
    targets.push_back(code);
    std::ranges::sort(targets);
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    reply.push_back(
        json_object<Json>({{"code", code}, {"name", language_name(code)}, {"targets", targets}}));
  }
  call.exchange->reply(json_reply(reply));
}

Json language_json(const std::string& code, const std::string& name) {
  return json_object<Json>({{"code", code}, {"name", name}});
}

void show_settings(const Call& call) {
  const auto models = call.service.models();
  const std::string target = models->models().front()->languages().target;
  call.exchange->reply(json_reply(json_object<Json>(
      {{"apiKeys", call.service.access().has_keys()},
       {"charLimit", call.service.limits().characters},
       {"filesTranslation", false},
       {"frontendTimeout", 500},
       {"keyRequired", call.service.access().has_keys()},
       {"language", json_object<Json>({{"source", language_json("auto", "Auto Detect")},
                                       {"target", language_json(target, language_name(target))}})},
       {"suggestions", false},
       {"supportedFilesFormat", Json::array()}})));
}

}  // namespace

std::vector<Route> libretranslate_routes() {
  const auto shape = ApiShape::libretranslate;
  const RouteField key = {"api_key", FieldType::text, "API key, where the server asks for one"};
  return {
      {"POST",
       "/translate",
       shape,
       true,
       "Translate a text or a list of texts",
       {{"q", FieldType::texts, "Text, or in JSON a list of texts", true},
        {"source", FieldType::text, "Its language, or auto", true},
        {"target", FieldType::text, "The language to translate to", true},
        {"format", FieldType::text, "text (default) or html"},
        {"alternatives", FieldType::whole_number, "How many other translations are wanted"},
        key},
       translate},
      {"POST",
       "/detect",
       shape,
       true,
       "Detect the language of a text",
       {{"q", FieldType::text, "Text", true}, key},
       detect},
      {"GET",
       "/languages",
       shape,
       false,
       "Languages and what they can be translated to",
       {},
       list_languages},
      {"GET", "/frontend/settings", shape, false, "What a page needs to know", {}, show_settings},
  };
}

}  // namespace heed
