#include "heed/app/cli/training_history.h"

#include <cmath>

#include "heed/base/files.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/visualisation/learning_curves.h"

namespace heed {

namespace {

using Json = JsonValue;

// A number that is missing or not finite is written as null.
double number(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number() ? found->get<double>() : NAN;
}

std::optional<double> optional_number(const Json& json, const char* name) {
  return json.contains(name) ? std::optional(number(json, name)) : std::nullopt;
}

// The number of the step, where a line tells of one.
std::optional<int64_t> step_of(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto found = json.find("step");
  const bool is_step = found != json.end() && found->is_number_integer();
  return is_step ? std::optional(found->get<int64_t>()) : std::nullopt;
}

bool is_true(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && *found == true;
}

LoggedStep logged_step(int64_t step, const Json& json) {
  return {step, number(json, "loss"), number(json, "cross-entropy"), number(json, "learning-rate")};
}

LoggedValidation logged_validation(int64_t step, const Json& json) {
  return {step,
          number(json, "seconds"),
          number(json, "training-cross-entropy"),
          number(json, "cross-entropy"),
          number(json, "perplexity"),
          optional_number(json, "bleu"),
          optional_number(json, "chrf"),
          is_true(json, "best")};
}

template <typename Item, typename Value>
Curve curve_of(const std::string& name, const std::vector<Item>& items, Value value) {
  Curve curve = {name, {}};
  for (const Item& item : items)
    curve.points.push_back({static_cast<double>(item.step), value(item)});
  return curve;
}

}  // namespace

TrainingHistory read_history(const std::filesystem::path& folder) {
  TrainingHistory history;
  const std::filesystem::path file = folder / "training.jsonl";
  if (!std::filesystem::exists(file)) return history;
  const MappedFile log(file);
  for (std::string_view rest = log.text(); !rest.empty();) {
    const Json json = Json::parse(take_line(rest), nullptr, false);
    const std::optional<int64_t> step = step_of(json);
    if (!step || !json.contains("event")) continue;
    if (is_text(json["event"], "step")) history.steps.push_back(logged_step(*step, json));
    if (is_text(json["event"], "validation"))
      history.validations.push_back(logged_validation(*step, json));
  }
  return history;
}

std::string draw_history(const TrainingHistory& history, const std::string& title) {
  const auto& steps = history.steps;
  const auto& validations = history.validations;
  const auto value_or_none = [](const std::optional<double>& value) { return value.value_or(NAN); };
  return draw_curves(
      title,
      {{"Cross-entropy per token",
        {curve_of("training", steps, [](const LoggedStep& s) { return s.cross_entropy; }),
         curve_of("validation", validations,
                  [](const LoggedValidation& v) { return v.cross_entropy; })}},
       {"Perplexity",
        {curve_of("validation", validations,
                  [](const LoggedValidation& v) { return v.perplexity; })},
        true},
       {"Translation",
        {curve_of("BLEU", validations,
                  [&](const LoggedValidation& v) { return value_or_none(v.bleu); }),
         curve_of("chrF", validations,
                  [&](const LoggedValidation& v) { return value_or_none(v.chrf); })}},
       {"Learning rate",
        {curve_of("learning rate", steps, [](const LoggedStep& s) { return s.learning_rate; })}}});
}

}  // namespace heed
