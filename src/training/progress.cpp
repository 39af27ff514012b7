#include "heed/training/progress.h"

#include <algorithm>
#include <limits>

#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/base/text.h"

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

// Whether JSON holds a count that fits the field and leaves room to count on.
template <typename Field>
bool is_count(const JsonValue& json) {
  constexpr int64_t most = std::min<int64_t>(std::numeric_limits<Field>::max(), int64_t{1} << 53);
  return json.is_number_unsigned() && json.get<uint64_t>() < static_cast<uint64_t>(most);
}

bool fits(const JsonValue& json, bool) { return json.is_boolean(); }
bool fits(const JsonValue& json, double) { return json.is_number(); }
bool fits(const JsonValue& json, int) { return is_count<int>(json); }
bool fits(const JsonValue& json, int64_t) { return is_count<int64_t>(json); }
bool fits(const JsonValue& json, const std::vector<int64_t>&) {
  return json.is_array() && std::ranges::all_of(json, is_count<int64_t>);
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
  const auto read = [&](const char* name, auto& field) {
    const auto found = json.find(name);
    require(found != json.end() && fits(*found, field),
            "{}: the progress of the run is damaged: \"{}\" is {}", file, name,
            found == json.end() ? "missing" : quote(found->dump()));
    found->get_to(field);
  };
  require(json.is_object(), "{}: the progress of the run is damaged: not a JSON object", file);
  Progress progress;
  visit_fields(progress, read);
  if (json.contains("best")) read("best", progress.best.emplace());
  return progress;
}

}  // namespace heed
