#include "heed/server/heed_translate.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/decoding/scoring.h"
#include "heed/server/asked_document.h"
#include "heed/server/asked_path.h"
#include "heed/server/languages.h"
#include "heed/server/reply_json.h"
#include "heed/server/service.h"
#include "heed/server/word_list.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

// What is wanted of each sentence.
struct Details {
  bool sentences = false;
  bool words = false;
  bool tokens = false;
};

struct Asked : AskedPath {
  Details details;
  std::shared_ptr<const ModelVariant> last;  // none if nothing is translated
  std::string tag = {};                      // for it
};

Details details_of(const Parameters& parameters) {
  Details details;
  for (const std::string& name : parameters.texts("details").value_or(std::vector<std::string>())) {
    if (name != "words" && name != "tokens" && name != "sentences")
      throw Refusal(400, fmt::format("Invalid request: details has {}, but it may have sentences, "
                                     "words and tokens",
                                     quote(name)));
    details.sentences = true;
    if (name == "words") details.words = true;
    if (name == "tokens") details.tokens = true;
  }
  return details;
}

// Where the request leaves it open, as is usual for the model.
SearchOptions search_of(const Parameters& parameters, const RequestLimits& limits,
                        SearchOptions search) {
  const auto most_tokens = int64_t{10'000};
  const bool samples = parameters.truth("sample").value_or(false);
  search.beam = static_cast<int>(parameters.whole_number("beam", 1, limits.beam)
                                     .value_or(std::min<int64_t>(search.beam, limits.beam)));
  search.length_penalty =
      parameters.number("length-penalty", 0, 10).value_or(search.length_penalty);
  search.max_length = parameters.whole_number("max-length", 1, most_tokens);
  search.branch = parameters.truth("branch").value_or(false);
  const int64_t most = samples ? limits.alternatives + 1 : search.beam;
  search.n_best = static_cast<int>(parameters.whole_number("nbest", 1, most).value_or(1));
  if (!samples) return search;
  Sampling sampling;
  sampling.temperature = parameters.number("temperature", 1e-3, 1e3).value_or(1);
  sampling.top_k = static_cast<int>(parameters.whole_number("top-k", 0, 1'000'000).value_or(0));
  sampling.top_p = parameters.number("top-p", 1e-6, 1).value_or(1);
  sampling.seed =
      static_cast<uint64_t>(parameters.whole_number("seed", 0, int64_t{1} << 53).value_or(1));
  search.sampling = sampling;
  return search;
}

std::vector<std::string> texts_of(const Parameters& parameters, const RequestLimits& limits) {
  std::optional<std::vector<std::string>> texts = parameters.texts("text");
  if (!texts || texts->empty()) throw Refusal(400, "Invalid request: missing text parameter");
  if (static_cast<int64_t>(texts->size()) > limits.texts)
    throw Refusal(400, fmt::format("Invalid request: {} texts, but at most {} are allowed",
                                   texts->size(), limits.texts));
  const int64_t size = count_characters(*texts);
  if (size > limits.characters)
    throw Refusal(400, fmt::format("Invalid request: {} characters, but at most {} are allowed",
                                   size, limits.characters));
  return *std::move(texts);
}

// Each token with its log-probability, by a pass over the pair.
Json tokens_of(const Translation& translation, const std::string& source, const Asked& asked) {
  const ServedModel& model = *asked.path.back();
  std::vector<int32_t> source_ids = model.tags().ids_of(asked.tag),
                       target_ids = translation.hypothesis.ids;
  const std::vector<int32_t> text_ids = model.source().encode(source);
  source_ids.insert(source_ids.end(), text_ids.begin(), text_ids.end());
  source_ids.push_back(Vocabulary::end);
  if (!translation.hypothesis.cut) target_ids.push_back(Vocabulary::end);
  const Batch batch{join_sentences(std::span(&source_ids, 1)),
                    join_sentences(std::span(&target_ids, 1))};
  const TokenScores scores = score_pairs(*asked.last->model, batch).front();
  Json tokens = Json::array();
  for (size_t i = 0; i < target_ids.size(); ++i)
    tokens.push_back(json_object<Json>(
        {{"piece", model.target().piece(target_ids[i])}, {"log-probability", scores[i]}}));
  return tokens;
}

Json json_of(const Translation& translation, const SentenceResult& sentence, const Asked& asked) {
  const Hypothesis& hypothesis = translation.hypothesis;
  Json json = json_object<Json>({{"text", translation.text},
                                 {"score", hypothesis.score},
                                 {"log-probability", hypothesis.log_probability}});
  if (hypothesis.cut) json["cut"] = true;
  if (asked.details.words) {
    json["words"] = words_json(translation.text, target_words(translation.links));
    json["alignment"] = alignment_json(translation.links);
  }
  if (asked.details.tokens && translation.parts == 1)
    json["tokens"] =
        tokens_of(translation, sentence.pivot.empty() ? sentence.source : sentence.pivot, asked);
  return json;
}

Json json_of(const SentenceResult& sentence, const Asked& asked) {
  Json json = json_object<Json>({{"source", sentence.source}});
  if (!sentence.pivot.empty()) json["pivot"] = sentence.pivot;
  if (asked.details.words && !sentence.best.empty())
    json["source-words"] = words_json(sentence.source, source_words(sentence.best.front().links));
  json["translations"] = Json::array();
  for (const Translation& translation : sentence.best)
    json["translations"].push_back(json_of(translation, sentence, asked));
  return json;
}

Json json_of(const TranslatedText& text, const Asked& asked) {
  Json json = json_object<Json>({{"text", text.text}});
  if (!text.alternatives.empty()) json["alternatives"] = text.alternatives;
  if (!text.reported.empty()) {
    json["reported"] = Json::array();
    for (const ReportedSentence& reported : text.reported)
      json["reported"].push_back(json_object<Json>({{"line", reported.line},
                                                    {"source", reported.source},
                                                    {"translation", reported.translation}}));
  }
  if (!asked.details.sentences) return json;
  json["sentences"] = Json::array();
  for (const SentenceResult& sentence : text.sentences)
    json["sentences"].push_back(json_of(sentence, asked));
  return json;
}

Json reply_of(const JobResult& result, const Asked& asked) {
  Json json = json_object<Json>({{"source", asked.source}, {"target", asked.target}});
  if (asked.detected)
    json["detected"] = json_object<Json>(
        {{"language", asked.detected->code}, {"confidence", asked.detected->confidence}});
  if (asked.path.size() > 1) json["pivot"] = asked.path.front()->languages().target;
  json["translations"] = Json::array();
  for (const TranslatedText& text : result.texts)
    json["translations"].push_back(json_of(text, asked));
  return json;
}

std::string event(const char* name, const std::string& json) {
  return fmt::format("event: {}\ndata: {}\n\n", name, json);
}

std::string sentence_event(size_t text, const SentenceResult& sentence) {
  const std::string translation = sentence.best.empty() ? "" : sentence.best.front().text;
  return event("sentence", json_reply(json_object<Json>({{"text", text},
                                                         {"source", sentence.source},
                                                         {"translation", translation}}))
                               .body);
}

// The job, with its sentences as events. The head of the reply is sent with the first of them.
void stream(const Call& call, TranslationJob job, std::function<HttpReply(const JobResult&)> make) {
  const auto exchange = call.exchange;
  job.seen = [exchange](size_t text, const SentenceResult& sentence) {
    exchange->send(sentence_event(text, sentence));
  };
  call.service.stream(call, std::move(job),
                      [exchange, make = std::move(make)](const JobResult& result) {
                        exchange->send(event("done", make(result).body));
                      });
}

}  // namespace

std::vector<HeadName> asked_heads(const Parameters& parameters) {
  std::vector<HeadName> heads;
  constexpr size_t most = 4096;
  const auto names = parameters.texts("without").value_or(std::vector<std::string>());
  if (names.size() > most) throw Refusal(400, "Invalid request: without names too many heads");
  for (const std::string& name : names) heads.push_back(head_named(name));
  return heads;
}

std::vector<RouteField> translate_fields() {
  using FieldType = RouteField::Type;
  return {{"text", FieldType::texts, "A text or a list of texts", true},
          {"source", FieldType::text, "Their language, or auto (default)"},
          {"target", FieldType::text, "The language to translate to"},
          {"format", FieldType::text, "text (default), html or xml"},
          {"attributes", FieldType::truth, "Also attributes of HTML that people read"},
          {"split-sentences", FieldType::truth, "Whether a text may be several sentences"},
          {"pivot", FieldType::text, "A third language to go through"},
          {"tag", FieldType::text, "One of the tags of the (last) model, such as a domain"},
          {"beam", FieldType::whole_number, "Beam size"},
          {"nbest", FieldType::whole_number, "Translations of each sentence"},
          {"prefix", FieldType::text, "What the translation of each sentence begins with"},
          {"branch", FieldType::truth,
           "The nbest translations differ in their first token, or in that after the prefix"},
          {"length-penalty", FieldType::number, "Rank by log-probability / length^P"},
          {"max-length", FieldType::whole_number, "Maximum tokens of a translation"},
          {"sample", FieldType::truth, "Sample translations at random"},
          {"temperature", FieldType::number, "Of the samples"},
          {"top-k", FieldType::whole_number, "Sample from the K likeliest tokens"},
          {"top-p", FieldType::number, "Sample from tokens that have this probability together"},
          {"seed", FieldType::whole_number, "Random seed of the samples"},
          {"without", FieldType::texts, "Heads to switch off, such as cross:2:3"},
          {"details", FieldType::texts, "sentences, words, tokens"},
          {"stream", FieldType::truth, "Sentences as server-sent events"}};
}

void translate_for_heed(const Call& call) {
  const Parameters& parameters = *call.parameters;
  const RequestLimits& limits = call.service.limits();
  const auto models = call.service.models();
  std::vector<std::string> texts = texts_of(parameters, limits);
  DocumentOptions document = document_options(parameters.text("format").value_or("text"), "");
  Asked asked{
      asked_path(parameters, *models, texts, document.kind), details_of(parameters), {}, {}};
  document.language = asked.source;
  TranslationJob job{.texts = std::move(texts)};
  job.set_path(asked.path);
  job.search = search_of(parameters, limits, job.search);
  job.prefix = parameters.text("prefix").value_or("");
  job.without = asked_heads(parameters);
  job.document = document;
  job.document.attributes = parameters.truth("attributes").value_or(false);
  if (!parameters.truth("split-sentences").value_or(true)) job.document.split = SentenceSplit::none;
  job.wants_links = asked.details.words;
  if (job.search.n_best > 1) asked.details.sentences = true;
  if (!asked.path.empty()) {
    asked.last = asked.path.back()->variant(job.without);
    asked.tag = job.tag = asked_tag(parameters, *asked.path.back());
  }
  const auto make = [asked](const JobResult& result) {
    return json_reply(reply_of(result, asked));
  };
  if (parameters.truth("stream").value_or(false)) return stream(call, std::move(job), make);
  call.service.translate(call, std::move(job), make,
                         asked.details.tokens ? ReplyWork::long_work : ReplyWork::short_work);
}

}  // namespace heed
