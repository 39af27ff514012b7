#include "heed/server/parameters.h"

#include <fmt/format.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/numbers.h"
#include "heed/base/shallow_json.h"
#include "heed/base/text.h"
#include "heed/server/http_text.h"
#include "heed/server/refusal.h"

namespace heed {

namespace {

using Kind = ParameterValue::Kind;

constexpr size_t most_values = 1000;

std::string media_type(std::string_view header) {
  return lower_case(trimmed(header.substr(0, header.find(';'))));
}

bool is_json_type(std::string_view type) {
  return type == "application/json" ||
         (type.starts_with("application/") && type.ends_with("+json"));
}

ParameterValue value_of(const JsonValue& json) {
  ParameterValue value;
  if (json.is_null()) return value;
  value.kind = Kind::other;
  if (json.is_boolean()) {
    value.kind = Kind::truth;
    value.truth = json.get<bool>();
  } else if (json.is_number()) {
    value.kind = Kind::number;
    value.number = json.get<double>();
    value.is_whole = std::floor(value.number) == value.number;
  } else if (json.is_string()) {
    value.kind = Kind::text;
    value.text = json.get<std::string>();
  } else if (json.is_array()) {
    value.kind = Kind::texts;
    for (const JsonValue& item : json) {
      if (!item.is_string()) {
        value.kind = Kind::other;
        break;
      }
      value.texts.push_back(item.get<std::string>());
    }
  }
  return value;
}

[[noreturn]] void refuse(std::string_view name, std::string_view expected) {
  throw Refusal(400,
                fmt::format("Invalid request: {} parameter must be {}", printable(name), expected));
}

}  // namespace

Parameters::Parameters(const HttpRequest& request) {
  const std::string_view header = request.header("content-type");
  const std::string type = media_type(header);
  const std::string coding = lower_case(trimmed(request.header("content-encoding")));
  if (!request.body.empty() && !coding.empty() && coding != "identity")
    throw Refusal(415, "Invalid request: the body must not be compressed");
  try {
    const bool has_body = request.method != "GET" && request.method != "HEAD";
    if (is_json_type(type) && has_body) {
      read_json(request.body);
      return;
    }
    for (FormField& field : parse_form(request.query)) add_field(std::move(field));
    if (!has_body) return;
    if (type == "application/x-www-form-urlencoded")
      for (FormField& field : parse_form(request.body)) add_field(std::move(field));
    else if (type == "multipart/form-data")
      for (FormField& field : parse_multipart(request.body, header)) add_field(std::move(field));
    else if (!request.body.empty())
      throw Refusal(415, "Invalid request: the body must be JSON or a form");
  } catch (const Error& error) {
    throw Refusal(400, fmt::format("Invalid request: {}", error.what()));
  }
}

void Parameters::read_json(const std::string& body) {
  is_json_ = true;
  const JsonValue json = parse_shallow_json(body, "the JSON");
  if (!json.is_object()) throw Refusal(400, "Invalid JSON format");
  if (json.size() > most_values)
    throw Refusal(400, fmt::format("Invalid request: more than {} values", most_values));
  for (const auto& [name, value] : json.items()) values_[name] = value_of(value);
}

void Parameters::add_field(FormField field) {
  if (!is_utf8(field.name) || !is_utf8(field.value))
    throw Refusal(400, field.file.empty() ? "Invalid request: the form is not UTF-8"
                                          : "Invalid request: the file is not a text in UTF-8");
  ParameterValue& place = values_[std::move(field.name)];
  if (place.kind == Kind::nothing) {
    place.kind = Kind::text;
    place.text = std::move(field.value);
    place.file = std::move(field.file);
    return;
  }
  if (place.kind == Kind::text) place.texts.push_back(place.text);
  place.kind = Kind::texts;
  place.texts.push_back(std::move(field.value));
}

std::vector<std::string> Parameters::names() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : values_) names.push_back(name);
  return names;
}

const ParameterValue* Parameters::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.kind == Kind::nothing ? nullptr : &found->second;
}

std::optional<std::string> Parameters::text(std::string_view name) const {
  const ParameterValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  // Of a field that was sent several times, the first counts.
  if (value->kind == Kind::texts && !is_json_ && !value->texts.empty()) return value->texts.front();
  if (value->kind != Kind::text) refuse(name, "a text");
  if (value->text.empty()) return std::nullopt;
  return value->text;
}

std::optional<bool> Parameters::truth(std::string_view name) const {
  const ParameterValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->kind == Kind::truth) return value->truth;
  const bool is_number = value->kind == Kind::number;
  if ((is_number && value->number == 1) || value->text == "1" || value->text == "true") return true;
  if ((is_number && value->number == 0) || value->text == "0" || value->text == "false")
    return false;
  refuse(name, "true or false");
}

std::optional<double> Parameters::number(std::string_view name, double low, double high) const {
  const ParameterValue* value = find(name);
  if (value == nullptr || (value->kind == Kind::text && value->text.empty())) return std::nullopt;
  std::optional<double> number;
  if (value->kind == Kind::number) number = value->number;
  if (value->kind == Kind::text) number = parse_number<double>(value->text);
  if (!number || !std::isfinite(*number))
    throw Refusal(400,
                  fmt::format("Invalid request: {} parameter is not a number", printable(name)));
  if (*number < low) refuse(name, fmt::format(">= {}", low));
  if (*number > high) refuse(name, fmt::format("<= {}", high));
  return number;
}

std::optional<int64_t> Parameters::whole_number(std::string_view name, int64_t low,
                                                int64_t high) const {
  const std::optional<double> found =
      number(name, static_cast<double>(low), static_cast<double>(high));
  if (found && std::floor(*found) != *found) refuse(name, "a whole number");
  return found ? std::optional(static_cast<int64_t>(*found)) : std::nullopt;
}

std::optional<std::vector<std::string>> Parameters::texts(std::string_view name) const {
  const ParameterValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->kind == Kind::text) return std::vector{value->text};
  if (value->kind != Kind::texts) refuse(name, "a text or a list of texts");
  return value->texts;
}

}  // namespace heed
