#include "heed/training/training_log.h"

#include <cmath>

#include "heed/base/files.h"
#include "heed/base/json.h"
#include "heed/base/text.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

std::filesystem::path log_file(const std::filesystem::path& folder) {
  return folder / "training.jsonl";
}

// Sentences may hold any bytes, even invalid UTF-8.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Written as null if there is nothing to average, like every number that is not finite.
double mean(double sum, int64_t count) {
  return count == 0 ? NAN : sum / static_cast<double>(count);
}

// A number that is missing or not finite is written as null.
double number(const JsonValue& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number() ? found->get<double>() : NAN;
}

std::optional<double> optional_number(const JsonValue& json, const char* name) {
  return json.contains(name) ? std::optional(number(json, name)) : std::nullopt;
}

// The number of the step, where a line tells of one.
std::optional<int64_t> step_of(const JsonValue& json) {
  if (!json.is_object()) return std::nullopt;
  const auto found = json.find("step");
  const bool is_step = found != json.end() && found->is_number_integer();
  return is_step ? std::optional(found->get<int64_t>()) : std::nullopt;
}

bool is_true(const JsonValue& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && *found == true;
}

LoggedStep logged_step(int64_t step, const JsonValue& json) {
  return {step, number(json, "loss"), number(json, "cross-entropy"), number(json, "learning-rate")};
}

LoggedValidation logged_validation(int64_t step, const JsonValue& json) {
  return {step,
          number(json, "seconds"),
          number(json, "training-cross-entropy"),
          number(json, "cross-entropy"),
          number(json, "perplexity"),
          optional_number(json, "bleu"),
          optional_number(json, "chrf"),
          optional_number(json, "accuracy"),
          optional_number(json, "f1"),
          is_true(json, "best"),
          optional_number(json, "general-cross-entropy"),
          optional_number(json, "general-bleu")};
}

}  // namespace

std::string log_line(const StepReport& report, const Progress& progress) {
  Json json = json_object<Json>({{"event", "step"},
                                 {"step", report.step},
                                 {"epoch", progress.position.epoch + 1},
                                 {"seconds", progress.seconds},
                                 {"loss", report.loss},
                                 {"cross-entropy", report.negative_likelihood},
                                 {"learning-rate", report.learning_rate},
                                 {"gradient-norm", report.gradient_norm},
                                 {"source-tokens", progress.source_tokens},
                                 {"target-tokens", progress.target_tokens}});
  if (report.skipped) json["skipped"] = true;
  return text_of(json);
}

std::string log_line(const Validation& validation, const Progress& progress) {
  Json json = json_object<Json>(
      {{"event", "validation"},
       {"step", validation.step},
       {"epochs", validation.epoch},
       {"seconds", progress.seconds},
       {"training-loss", mean(progress.loss_sum, progress.loss_tokens)},
       {"training-cross-entropy", mean(progress.likelihood_sum, progress.loss_tokens)},
       {"cross-entropy", validation.cross_entropy},
       {"perplexity", validation.perplexity()},
       {"best", validation.best}});
  if (validation.general) {
    json["general-cross-entropy"] = validation.general->cross_entropy;
    const OutputScores scores = validation.general->outputs.value_or(OutputScores());
    if (scores.bleu) json["general-bleu"] = *scores.bleu;
    if (scores.chrf) json["general-chrf"] = *scores.chrf;
  }
  if (validation.outputs) {
    const OutputScores& scores = *validation.outputs;
    for (const auto& [name, score] : {std::pair{"bleu", scores.bleu},
                                      {"chrf", scores.chrf},
                                      {"accuracy", scores.accuracy},
                                      {"f1", scores.f1}})
      if (score) json[name] = *score;
    const char* output = scores.bleu ? "translation" : "output";
    Json samples = Json::array();
    for (const SampleOutput& sample : scores.samples)
      samples.push_back(json_object<Json>(
          {{"source", sample.source}, {"reference", sample.reference}, {output, sample.output}}));
    if (!samples.empty()) json["samples"] = samples;
  }
  return text_of(json);
}

int64_t append_to_log(const std::filesystem::path& folder, const std::string& line) {
  append_to_file(log_file(folder), line + '\n');
  return static_cast<int64_t>(std::filesystem::file_size(log_file(folder)));
}

void cut_log(const std::filesystem::path& folder, int64_t bytes) {
  std::error_code absent;
  const auto size = std::filesystem::file_size(log_file(folder), absent);
  if (!absent && size > static_cast<uintmax_t>(bytes))
    std::filesystem::resize_file(log_file(folder), static_cast<uintmax_t>(bytes));
}

TrainingHistory read_history(const std::filesystem::path& folder) {
  TrainingHistory history;
  const std::filesystem::path file = log_file(folder);
  if (!std::filesystem::exists(file)) return history;
  const MappedFile log(file);
  for (std::string_view rest = log.text(); !rest.empty();) {
    const JsonValue json = JsonValue::parse(take_line(rest), nullptr, false);
    const std::optional<int64_t> step = step_of(json);
    if (!step || !json.contains("event")) continue;
    if (is_text(json["event"], "step")) history.steps.push_back(logged_step(*step, json));
    if (is_text(json["event"], "validation"))
      history.validations.push_back(logged_validation(*step, json));
  }
  return history;
}

}  // namespace heed
