#include "heed/server/asked_path.h"

#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/server/asked_document.h"
#include "heed/server/refusal.h"

namespace heed {

namespace {

std::string target_of(const Parameters& parameters, const ModelSet& models) {
  if (const std::optional<std::string> target = parameters.text("target"))
    return asked_language(models, *target);
  if (models.models().size() != 1) throw Refusal(400, "Invalid request: missing target parameter");
  return models.models().front()->languages().target;
}

AskedPath languages_of(const Parameters& parameters, const ModelSet& models,
                       const std::vector<std::string>& texts, MarkupKind kind) {
  AskedPath asked;
  const std::string source = parameters.text("source").value_or("auto");
  if (source != "auto") asked.source = asked_language(models, source);
  asked.target = target_of(parameters, models);
  if (source != "auto") return asked;
  std::optional<std::string> pivot = parameters.text("pivot");
  if (pivot) pivot = asked_language(models, *pivot);
  asked.detected = detect_source(readable_text(texts, kind),
                                 models.sources_of(asked.target, true, pivot), asked.target);
  asked.source = asked.detected->code;
  return asked;
}

ModelPath path_of(const Parameters& parameters, const ModelSet& models, const AskedPath& asked) {
  std::optional<std::string> pivot = parameters.text("pivot");
  if (pivot) pivot = asked_language(models, *pivot);
  if (asked.source == asked.target && !pivot) return {};
  ModelPath path = models.path({asked.source, asked.target}, true, pivot);
  if (path.empty())
    throw Refusal(400, fmt::format("there is no model from {} to {}{}", asked.source, asked.target,
                                   pivot ? " through " + *pivot : ""));
  return path;
}

}  // namespace

AskedPath asked_path(const Parameters& parameters, const ModelSet& models,
                     const std::vector<std::string>& texts, MarkupKind kind) {
  AskedPath asked = languages_of(parameters, models, texts, kind);
  asked.path = path_of(parameters, models, asked);
  return asked;
}

std::string asked_language(const ModelSet& models, const std::string& code) {
  std::optional<std::string> found = models.known_language(code);
  if (!found) throw Refusal(400, fmt::format("{} is not supported", printable(code)));
  return *std::move(found);
}

std::string asked_tag(const Parameters& parameters, const ServedModel& model) {
  const std::string tag = parameters.text("tag").value_or("");
  if (tag.empty()) return model.usual_tag();
  try {
    model.tags().ids_of(tag);
  } catch (const Error& error) {
    throw Refusal(400, fmt::format("Invalid request: {}", error.what()));
  }
  return tag;
}

}  // namespace heed
