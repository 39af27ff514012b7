#include "heed/training/progress.h"

#include <algorithm>
#include <limits>

#include "heed/base/error.h"
#include "heed/base/fields.h"
#include "heed/base/json.h"
#include "heed/base/text.h"

namespace heed {

template <>
struct Fields<CorpusPosition> {
  using Position = CorpusPosition;
  static constexpr auto list =
      std::tuple(field("epoch", &Position::epoch, ""), field("window", &Position::window, ""),
                 field("step-in-window", &Position::step, ""));
};

// Everything is written and read, so that nothing is forgotten when a run continues.
template <>
struct Fields<Progress> {
  using P = Progress;
  static constexpr auto list = std::tuple(
      nested(&P::position), field("epochs", &P::epochs, ""),
      field("source-tokens", &P::source_tokens, ""), field("target-tokens", &P::target_tokens, ""),
      field("seconds", &P::seconds, ""), field("skipped-in-a-row", &P::skipped_in_a_row, ""),
      field("skipped", &P::skipped, ""), field("loss-sum", &P::loss_sum, ""),
      field("likelihood-sum", &P::likelihood_sum, ""), field("loss-tokens", &P::loss_tokens, ""),
      field("validated-at", &P::validated_at, ""), field("best-step", &P::best_step, ""),
      field("stale", &P::stale, ""), field("snapshots", &P::snapshots, ""),
      field("log-bytes", &P::log_bytes, ""), field("finished", &P::finished, ""),
      no_setting(&P::best));  // written if there is one, see below
};

namespace {

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
  visit_fields(progress, [&](const auto& field, const auto& value) { json[field.name] = value; });
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
  visit_fields(progress, [&](const auto& field, auto& value) { read(field.name, value); });
  if (json.contains("best")) read("best", progress.best.emplace());
  return progress;
}

}  // namespace heed
