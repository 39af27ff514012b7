#include "heed/training/training_log.h"

#include <cmath>

#include "heed/base/files.h"
#include "heed/base/json.h"

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
  if (validation.translations) {
    json["bleu"] = validation.translations->bleu;
    json["chrf"] = validation.translations->chrf;
    Json samples = Json::array();
    for (const SampleTranslation& sample : validation.translations->samples)
      samples.push_back(json_object<Json>({{"source", sample.source},
                                           {"reference", sample.reference},
                                           {"translation", sample.translation}}));
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

}  // namespace heed
