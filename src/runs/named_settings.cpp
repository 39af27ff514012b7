#include "heed/runs/named_settings.h"

#include <optional>
#include <type_traits>
#include <vector>

#include "heed/base/field_text.h"
#include "heed/base/quantity_text.h"
#include "heed/models/classifier_fields.h"
#include "heed/models/config_fields.h"

namespace heed {

namespace {

[[noreturn]] void refuse(std::string_view name, const std::string& value,
                         std::string_view expected) {
  fail(ErrorKind::usage, "{} is {} but {} was expected", name, quote(value), expected);
}

void set_value(const auto&, const std::string& text, std::vector<std::string>& value) {
  value.push_back(text);
}

void set_value(const auto& field, const std::string& text, std::string& value) {
  const std::string_view choices = field.options.choices;
  const std::string padded = fmt::format("|{}|", choices);
  if (!choices.empty() && padded.find(fmt::format("|{}|", text)) == std::string::npos)
    refuse(field.name, text, choices);
  value = text;
}

template <typename Number>
void set_value(const auto& field, const std::string& text, std::optional<Number>& value) {
  set_field(field.name, text, value.emplace());
}

template <typename Value>
void set_value(const auto& field, const std::string& text, Value& value) {
  const auto set_quantity = [&](const auto& quantity, std::string_view expected) {
    if (!quantity) refuse(field.name, text, expected);
    if constexpr (std::is_arithmetic_v<Value>) value = static_cast<Value>(*quantity);
  };
  if (field.options.unit == Unit::seconds)
    set_quantity(parse_duration(text), "a time such as 90s, 30m or 2h");
  else if (field.options.unit == Unit::bytes)
    set_quantity(parse_bytes(text), "a size such as 500M or 2G");
  else
    set_field(field.name, text, value);
}

// Whether the configuration has a setting of this name; the value is checked, and kept as text
// until the preset is known.
template <typename Config>
bool is_setting_of(std::string_view name, const std::string& text) {
  Config config;
  bool found = false;
  visit_fields(config, [&](const auto& field, auto& value) {
    if (field.name != name) return;
    found = true;
    set_field(field.name, text, value);
  });
  return found;
}

bool set_own_setting(TrainingSettings& settings, std::string_view name, const std::string& text) {
  bool found = false;
  visit_fields(settings, [&](const auto& field, auto& value) {
    if (field.name != name) return;
    found = true;
    set_value(field, text, value);
  });
  if (found) check_bounds(settings);
  return found;
}

bool set_any(TrainingSettings& settings, const std::string& name, const std::string& value) {
  if (name == "model") {
    settings.folder = value;
    return true;
  }
  if (set_own_setting(settings, name, value)) return true;
  if (is_setting_of<TransformerConfig>(name, value) || is_setting_of<RnnConfig>(name, value) ||
      is_setting_of<LanguageModelConfig>(name, value) ||
      is_setting_of<ClassifierConfig>(name, value)) {
    settings.model[name] = value;
    return true;
  }
  if (!is_setting_of<LearnerConfig>(name, value)) return false;
  settings.learning[name] = value;
  return true;
}

}  // namespace

void set_setting(TrainingSettings& settings, std::string_view name, const std::string& value) {
  TrainingSettings changed = settings;
  bool found = false;
  try {
    found = set_any(changed, std::string(name), value);
  } catch (const Error& error) {
    throw Error(error.what(), ErrorKind::usage);
  }
  require(found, ErrorKind::usage, "there is no setting {} of a training run", quote(name));
  settings = std::move(changed);
}

}  // namespace heed
