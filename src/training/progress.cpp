#include "heed/training/progress.h"

#include "heed/base/error.h"
#include "heed/base/json.h"

namespace heed {

namespace {

// Calls visit(name, field) for every field, for writing and for reading.
template <typename Value, typename Visit>
void visit_fields(Value& p, Visit&& visit) {
  visit("epoch", p.position.epoch);
  visit("window", p.position.window);
  visit("step-in-window", p.position.step);
  visit("epochs", p.epochs);
  visit("source-tokens", p.source_tokens);
  visit("target-tokens", p.target_tokens);
  visit("seconds", p.seconds);
  visit("skipped-in-a-row", p.skipped_in_a_row);
  visit("skipped", p.skipped);
  visit("loss-sum", p.loss_sum);
  visit("likelihood-sum", p.likelihood_sum);
  visit("loss-tokens", p.loss_tokens);
  visit("validated-at", p.validated_at);
  visit("best-step", p.best_step);
  visit("stale", p.stale);
  visit("snapshots", p.snapshots);
  visit("log-bytes", p.log_bytes);
  visit("finished", p.finished);
}

}  // namespace

std::string to_json(const Progress& progress) {
  OrderedJsonValue json = OrderedJsonValue::object();
  visit_fields(progress, [&](const char* name, const auto& field) { json[name] = field; });
  if (progress.best) json["best"] = *progress.best;
  return json.dump();
}

Progress parse_progress(std::string_view text, const std::string& file) {
  const JsonValue json = JsonValue::parse(text, nullptr, false);
  Progress progress;
  try {
    visit_fields(progress, [&](const char* name, auto& field) { json.at(name).get_to(field); });
    if (json.contains("best")) progress.best = json.at("best").get<double>();
  } catch (const JsonValue::exception& error) {
    fail("{}: the progress of the run is damaged: {}", file, error.what());
  }
  return progress;
}

}  // namespace heed
