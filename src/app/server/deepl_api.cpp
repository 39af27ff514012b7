// DeepL's API, version 2: its parameters, its replies and its errors.
#include <map>

#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/server/apis.h"
#include "heed/server/asked_document.h"
#include "heed/server/http_text.h"
#include "heed/server/languages.h"
#include "heed/server/parameters.h"
#include "heed/server/reply_json.h"
#include "heed/server/service.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;
using FieldType = RouteField::Type;

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return upper;
}

[[noreturn]] void refuse_value(const char* name) {
  throw Refusal(400, fmt::format("Value for '{}' not supported.", name));
}

std::vector<std::string> texts_of(const Parameters& parameters, const RequestLimits& limits) {
  const auto texts = parameters.texts("text");
  if (!texts || texts->empty()) throw Refusal(400, "Parameter 'text' not specified.");
  if (static_cast<int64_t>(texts->size()) > limits.texts)
    throw Refusal(400, fmt::format("Too many texts: {}, but at most {} are allowed.", texts->size(),
                                   limits.texts));
  if (count_characters(*texts) > limits.characters)
    throw Refusal(413, fmt::format("The texts have more than {} characters.", limits.characters));
  return *texts;
}

// What is not there is refused; wishes that fall back do so.
void check_formality(const Parameters& parameters) {
  const std::string formality =
      deepl_choice(parameters, "formality", "default",
                   {"default", "more", "less", "prefer_more", "prefer_less"});
  if (formality == "more" || formality == "less")
    throw Refusal(400, "'formality' is not supported for given 'target_lang'.");
}

void check_glossary(const Parameters& parameters) {
  if (!parameters.text("glossary_id")) return;
  if (!parameters.text("source_lang"))
    throw Refusal(400, "Value for 'source_lang' not specified, but 'glossary_id' is.");
  throw Refusal(404, "Glossary not found.");
}

struct DeeplOptions {
  bool bills = false;
  std::string model_type;
};

HttpReply reply_of(const JobResult& result, const std::vector<std::string>& texts,
                   const std::vector<std::string>& sources, const DeeplOptions& options) {
  Json translations = Json::array();
  for (size_t i = 0; i < result.texts.size(); ++i) {
    Json entry =
        json_object<Json>({{"detected_source_language", upper_case(base_language(sources[i]))},
                           {"text", result.texts[i].text}});
    if (options.bills) entry["billed_characters"] = count_characters({texts[i]});
    if (!options.model_type.empty()) entry["model_type_used"] = options.model_type;
    translations.push_back(std::move(entry));
  }
  return json_reply(json_object<Json>({{"translations", translations}}));
}

// Of each text. One that is too short to tell is in the language of all of them.
std::vector<std::string> detected_sources(const std::vector<std::string>& texts,
                                          const std::vector<std::string>& possible,
                                          const std::string& target, MarkupKind kind) {
  const std::string of_all = detect_source(readable_text(texts, kind), possible, target).code;
  std::vector<std::string> sources;
  for (const std::string& text : texts) {
    const DetectedLanguage own = detect_source(readable_text({text}, kind), possible, target);
    sources.push_back(own.confidence > 0 ? own.code : of_all);
  }
  return sources;
}

// Of each text: the one that is named, or what is detected.
std::vector<std::string> sources_of(const Parameters& parameters, const ModelSet& models,
                                    const std::vector<std::string>& texts,
                                    const std::string& target, bool may_pivot) {
  const std::optional<std::string> named = parameters.text("source_lang");
  if (!named)
    return detected_sources(texts, models.sources_of(target, may_pivot), target,
                            deepl_document(parameters, "").kind);
  const std::optional<std::string> known = models.known_language(*named);
  if (!known) refuse_value("source_lang");
  return std::vector<std::string>(texts.size(), *known);
}

// A part for each language of the texts.
SplitJob job_of(const Parameters& parameters, const ModelSet& models,
                const std::vector<std::string>& texts, const std::vector<std::string>& sources,
                const std::string& target, bool may_pivot) {
  SplitJob job;
  std::map<std::string, size_t> part_of;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string& source = sources[i];
    const auto [part, is_new] = part_of.emplace(source, job.parts.size());
    if (is_new) {
      job.parts.emplace_back();
      job.places.emplace_back();
      if (source != target) job.parts.back().set_path(models.path({source, target}, may_pivot));
      if (source != target && job.parts.back().path.empty())
        throw Refusal(400, fmt::format("'target_lang' {} is not supported for 'source_lang' {}.",
                                       upper_case(target), upper_case(source)));
      job.parts.back().document = deepl_document(parameters, source);
    }
    job.parts[part->second].texts.push_back(texts[i]);
    job.places[part->second].push_back(i);
  }
  return job;
}

void translate(const Call& call) {
  const Parameters& parameters = *call.parameters;
  const auto models = call.service.models();
  const bool may_pivot = call.service.settings().pivots;
  const std::vector<std::string> texts = texts_of(parameters, call.service.limits());
  const std::optional<std::string> target = parameters.text("target_lang");
  const auto to = target ? models->known_language(*target) : std::nullopt;
  if (!to) refuse_value("target_lang");
  const std::vector<std::string> sources = sources_of(parameters, *models, texts, *to, may_pivot);
  check_formality(parameters);
  check_glossary(parameters);
  DeeplOptions options;
  options.bills = parameters.truth("show_billed_characters").value_or(false);
  const std::string quality =
      deepl_choice(parameters, "model_type", "",
                   {"", "quality_optimized", "prefer_quality_optimized", "latency_optimized"});
  if (!quality.empty()) options.model_type = "latency_optimized";
  SplitJob job = job_of(parameters, *models, texts, sources, *to, may_pivot);
  call.exchange->keep_awake();
  call.service.translate(call, std::move(job), [=](const JobResult& result) {
    return reply_of(result, texts, sources, options);
  });
}

// DeepL's clients want these languages with a country when they are targets.
std::vector<std::string> target_codes(const std::string& code) {
  if (lower_case(code) == "en") return {"EN-GB", "EN-US"};
  if (lower_case(code) == "pt") return {"PT-BR", "PT-PT"};
  return {upper_case(code)};
}

std::string target_name(const std::string& code) {
  if (code == "EN-GB") return "English (British)";
  if (code == "EN-US") return "English (American)";
  if (code == "PT-BR") return "Portuguese (Brazilian)";
  if (code == "PT-PT") return "Portuguese (European)";
  return language_name(lower_case(code));
}

void list_languages(const Call& call) {
  const Parameters& parameters = *call.parameters;
  const std::string type = deepl_choice(parameters, "type", "source", {"source", "target"});
  const auto models = call.service.models();
  Json reply = Json::array();
  if (type == "source") {
    for (const std::string& code : models->sources())
      reply.push_back(
          json_object<Json>({{"language", upper_case(code)}, {"name", language_name(code)}}));
  } else {
    for (const std::string& language : models->targets())
      for (const std::string& code : target_codes(language))
        reply.push_back(json_object<Json>(
            {{"language", code}, {"name", target_name(code)}, {"supports_formality", false}}));
  }
  call.exchange->reply(json_reply(reply));
}

void show_usage(const Call& call) {
  constexpr int64_t without_limit = 1'000'000'000'000;  // as DeepL says it
  call.exchange->reply(json_reply(
      json_object<Json>({{"character_count", call.service.access().used(call.client)},
                         {"character_limit", call.client.allowed.quota.value_or(without_limit)}})));
}

// Some clients ask whether there are any before they translate.
void list_no_glossaries(const Call& call) {
  call.exchange->reply(json_reply(json_object<Json>({{"glossaries", Json::array()}})));
}

void list_no_glossary_languages(const Call& call) {
  call.exchange->reply(json_reply(json_object<Json>({{"supported_languages", Json::array()}})));
}

}  // namespace

std::vector<Route> deepl_routes() {
  const auto shape = ApiShape::deepl;
  return {
      {"POST",
       "/v2/translate",
       shape,
       true,
       "Translate up to as many texts as the server allows",
       {{"text", FieldType::texts, "Text; repeat for several", true},
        {"target_lang", FieldType::text, "The language to translate to, such as DE or EN-GB", true},
        {"source_lang", FieldType::text, "The language of the texts (default: it is detected)"},
        {"context", FieldType::text, "Accepted, and not used"},
        {"split_sentences", FieldType::text, "0, 1 (default) or nonewlines"},
        {"preserve_formatting", FieldType::truth, "Accepted: formatting is always kept"},
        {"formality", FieldType::text, "default, prefer_more or prefer_less"},
        {"tag_handling", FieldType::text, "html or xml"},
        {"ignore_tags", FieldType::texts, "Elements that stay as they are, separated by commas"},
        {"splitting_tags", FieldType::texts, "Elements at which sentences end"},
        {"non_splitting_tags", FieldType::texts, "Elements at which they do not"},
        {"outline_detection", FieldType::truth, "In XML, whether to find such elements"},
        {"model_type", FieldType::text, "Accepted: there is one model"},
        {"show_billed_characters", FieldType::truth,
         "Whether to count the characters of each text"}},
       translate},
      {"GET",
       "/v2/languages",
       shape,
       true,
       "The languages of one side",
       {{"type", FieldType::text, "source (default) or target"}},
       list_languages},
      {"POST",
       "/v2/languages",
       shape,
       true,
       "The same",
       {{"type", FieldType::text, "source (default) or target"}},
       list_languages},
      {"GET",
       "/v2/usage",
       shape,
       true,
       "Characters that the key has used and may use",
       {},
       show_usage},
      {"POST", "/v2/usage", shape, true, "The same", {}, show_usage},
      {"GET", "/v2/glossaries", shape, true, "No glossaries", {}, list_no_glossaries},
      {"GET", "/v3/glossaries", shape, true, "No glossaries", {}, list_no_glossaries},
      {"GET",
       "/v2/glossary-language-pairs",
       shape,
       true,
       "No languages for glossaries",
       {},
       list_no_glossary_languages},
  };
}

}  // namespace heed
