#include "heed/runs/training_curves.h"

#include <algorithm>
#include <cmath>

#include "heed/visualisation/learning_curves.h"

namespace heed {

namespace {

template <typename Item, typename Value>
Curve curve_of(const std::string& name, const std::vector<Item>& items, Value value) {
  Curve curve = {name, {}};
  for (const Item& item : items)
    curve.points.push_back({static_cast<double>(item.step), value(item)});
  return curve;
}

}  // namespace

std::string draw_history(const TrainingHistory& history, const std::string& title) {
  const auto& steps = history.steps;
  const auto& validations = history.validations;
  const auto value_or_none = [](const std::optional<double>& value) { return value.value_or(NAN); };
  std::vector<Curve> losses = {
      curve_of("training", steps, [](const LoggedStep& s) { return s.cross_entropy; }),
      curve_of("validation", validations,
               [](const LoggedValidation& v) { return v.cross_entropy; })};
  std::vector<Curve> translations = {
      curve_of("BLEU", validations,
               [&](const LoggedValidation& v) { return value_or_none(v.bleu); }),
      curve_of("chrF", validations,
               [&](const LoggedValidation& v) { return value_or_none(v.chrf); })};
  const bool general = std::ranges::any_of(
      validations, [](const LoggedValidation& v) { return v.general_cross_entropy.has_value(); });
  if (general) {
    losses.push_back(curve_of("general text", validations, [&](const LoggedValidation& v) {
      return value_or_none(v.general_cross_entropy);
    }));
    translations.push_back(
        curve_of("BLEU of general text", validations,
                 [&](const LoggedValidation& v) { return value_or_none(v.general_bleu); }));
  }
  return draw_curves(
      title,
      {{"Cross-entropy per token", losses},
       {"Perplexity",
        {curve_of("validation", validations,
                  [](const LoggedValidation& v) { return v.perplexity; })},
        true},
       {"Translation", translations},
       {"Learning rate",
        {curve_of("learning rate", steps, [](const LoggedStep& s) { return s.learning_rate; })}}});
}

}  // namespace heed
