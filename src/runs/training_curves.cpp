#include "heed/runs/training_curves.h"

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
