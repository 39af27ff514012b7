// heed's own API: everything that the translator knows about a translation.
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/runs/attention_view.h"
#include "heed/server/apis.h"
#include "heed/server/asked_path.h"
#include "heed/server/attention_data.h"
#include "heed/server/heed_documents.h"
#include "heed/server/heed_translate.h"
#include "heed/server/reply_json.h"
#include "heed/server/service.h"
#include "heed/training/training_log.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;
using FieldType = RouteField::Type;

// The model of the languages that a request names; those that it leaves open are those of the only
// model.
std::shared_ptr<const ServedModel> asked_model(const Parameters& parameters,
                                               const ModelSet& models) {
  auto source = parameters.text("source"), target = parameters.text("target");
  if (source == "auto") source.reset();
  if (models.models().size() == 1) {
    const LanguagePair& only = models.models().front()->languages();
    if (!source) source = only.source;
    if (!target) target = only.target;
  }
  if (!source) throw Refusal(400, "Invalid request: missing source parameter");
  if (!target) throw Refusal(400, "Invalid request: missing target parameter");
  const LanguagePair pair{asked_language(models, *source), asked_language(models, *target)};
  const ModelPath path = models.path(pair, false);
  if (path.empty())
    throw Refusal(400, fmt::format("there is no model from {} to {}", pair.source, pair.target));
  return path.front();
}

// "json", or "page" for the viewer in the page.
bool is_for_page(const Parameters& parameters) {
  const std::string format = parameters.text("format").value_or("json");
  if (format != "json" && format != "page")
    throw Refusal(400, "Invalid request: format is neither json nor page");
  return format == "page";
}

void show_attention(const Call& call) {
  const Parameters& parameters = *call.parameters;
  const RequestLimits& limits = call.service.limits();
  const auto models = call.service.models();
  const auto model = asked_model(parameters, *models);
  const std::optional<std::string> text = parameters.text("text"),
                                   translation = parameters.text("translation");
  if (!text) throw Refusal(400, "Invalid request: missing text parameter");
  if (count_characters({*text}) > limits.characters)
    throw Refusal(400, fmt::format("Invalid request: more than {} characters", limits.characters));
  ViewOptions options;
  options.without = asked_heads(parameters);
  options.tag = asked_tag(parameters, *model);
  options.beam =
      static_cast<int>(parameters.whole_number("beam", 1, limits.beam)
                           .value_or(std::min<int64_t>(model->usual_search().beam, limits.beam)));
  options.gradients = parameters.truth("gradients").value_or(false);
  options.norms = parameters.truth("norms").value_or(false);
  options.max_length = limits.attention_tokens;
  RequestNotes& notes = call.exchange->notes();
  notes.languages = model->name();
  notes.characters = count_characters({*text});
  call.service.access().use(call.client, notes.characters, call.route.shape);
  const bool for_page = is_for_page(parameters);
  const auto exchange = call.exchange;
  call.service.work(call, [=] {
    const auto variant = model->variant(options.without);
    const AttentionViewer viewer(model->loaded(), variant->model, variant->translator, options);
    const AttentionView view =
        translation ? viewer.look_at(*text, *translation) : viewer.find(*text).front();
    exchange->reply({.body = for_page
                                 ? attention_for_page(view, viewer.head_counts(), options.without)
                                 : attention_for_programs(view, viewer.head_counts())});
  });
}

Json json_of(const ServedModel& model) {
  const ModelFigures& figures = model.figures();
  Json json = json_object<Json>(
      {{"name", model.name()},
       {"source", model.languages().source},
       {"target", model.languages().target},
       {"kind", figures.kind},
       {"parameters", figures.parameters},
       {"source-vocabulary", model.source().size()},
       {"target-vocabulary", model.target().size()},
       {"heads", json_object<Json>({{"encoder-layers", figures.heads.encoder_layers},
                                    {"decoder-layers", figures.heads.decoder_layers},
                                    {"cross-layers", figures.heads.cross_layers},
                                    {"heads", figures.heads.heads}})},
       {"has-curves", figures.has_curves}});
  if (const auto tags = model.tags().names(); !tags.empty()) json["tags"] = tags;
  if (!model.usual_tag().empty()) json["tag"] = model.usual_tag();
  return json;
}

void list_models(const Call& call) {
  Json list = Json::array();
  for (const auto& model : call.service.models()->models()) list.push_back(json_of(*model));
  call.exchange->reply(json_reply(json_object<Json>({{"models", list}})));
}

Json json_of(const LoggedStep& step) {
  return json_object<Json>({{"step", step.step},
                            {"loss", step.loss},
                            {"cross-entropy", step.cross_entropy},
                            {"learning-rate", step.learning_rate}});
}

Json json_of(const LoggedValidation& validation) {
  Json json = json_object<Json>({{"step", validation.step},
                                 {"seconds", validation.seconds},
                                 {"training-cross-entropy", validation.training_cross_entropy},
                                 {"cross-entropy", validation.cross_entropy},
                                 {"perplexity", validation.perplexity},
                                 {"best", validation.best}});
  if (validation.bleu) json["bleu"] = *validation.bleu;
  if (validation.chrf) json["chrf"] = *validation.chrf;
  return json;
}

void show_curves(const Call& call) {
  for (const auto& model : call.service.models()->models()) {
    if (model->name() != call.captured.front() || !model->figures().has_curves) continue;
    const TrainingHistory history = read_history(model->folder());
    Json reply = json_object<Json>({{"steps", Json::array()}, {"validations", Json::array()}});
    for (const LoggedStep& step : history.steps) reply["steps"].push_back(json_of(step));
    for (const LoggedValidation& validation : history.validations)
      reply["validations"].push_back(json_of(validation));
    return call.exchange->reply(json_reply(reply));
  }
  throw Refusal(404, "Not Found");
}

}  // namespace

std::vector<Route> heed_routes() {
  const auto shape = ApiShape::heed;
  return {
      {"POST", "/v1/translate", shape, true, "Translate texts, and say what was computed",
       translate_fields(), translate_for_heed},
      {"POST", "/v1/documents", shape, true, "Translate a file", document_fields(),
       translate_document},
      {"POST",
       "/v1/attention",
       shape,
       true,
       "What every head attends to",
       {{"text", FieldType::text, "One sentence", true},
        {"source", FieldType::text, "Its language"},
        {"target", FieldType::text, "The language of its translation"},
        {"translation", FieldType::text, "A given translation"},
        {"tag", FieldType::text, "One of the tags of the model"},
        {"without", FieldType::texts, "Heads to switch off, such as cross:2:3"},
        {"format", FieldType::text, "json (default), or page: packed, for the viewer"},
        {"beam", FieldType::whole_number, "Beam size"},
        {"gradients", FieldType::truth, "Also gradients and importance"},
        {"norms", FieldType::truth, "Also the norms of what each head adds"}},
       show_attention},
      {"GET", "/v1/models", shape, false, "The models and their sizes", {}, list_models},
      {"GET",
       "/v1/models/{name}/curves",
       shape,
       false,
       "The training log of a model",
       {},
       show_curves},
  };
}

}  // namespace heed
