// The values of settings as text, for the command line and for comparing two runs.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "heed/base/enum_names.h"
#include "heed/base/error.h"
#include "heed/base/fields.h"
#include "heed/base/numbers.h"
#include "heed/base/text.h"

namespace heed {

// Safe to print. Lists are joined by spaces; nothing at all is "none".
inline std::string text_of_field(const std::string& value) { return printable(value); }
inline std::string text_of_field(const std::vector<std::string>& values) {
  return printable(fmt::format("{}", fmt::join(values, " ")));
}
template <typename Value>
std::string text_of_field(const Value& value) {
  if constexpr (is_named<Value>) {
    for (const auto& named : EnumNames<Value>::values)
      if (named.value == value) return named.name;
    return "";
  } else if constexpr (requires { value.has_value(); }) {
    return value ? text_of_field(*value) : "none";
  } else {
    return fmt::format("{}", value);
  }
}

// What may be written for a value: "post|pre", or N for a whole number and X for any other.
template <typename Value>
std::string choices_of_field() {
  if constexpr (is_named<Value>) {
    std::string names;
    for (const auto& named : EnumNames<Value>::values)
      names += fmt::format("{}{}", names.empty() ? "" : "|", named.name);
    return names;
  } else if constexpr (std::is_same_v<Value, bool>) {
    return "true|false";
  } else {
    return std::is_integral_v<Value> ? "N" : "X";
  }
}

// The same in a sentence.
template <typename Value>
std::string expected_of_field() {
  if constexpr (is_named<Value> || std::is_same_v<Value, bool>)
    return choices_of_field<Value>();
  else
    return std::is_integral_v<Value> ? "a whole number" : "a number";
}

// An Error names the flag, what was expected and what was found.
template <typename Value>
void set_field(std::string_view name, const std::string& text, Value& value) {
  const auto refuse = [&] {
    fail("--{} is {} but {} was expected", name, quote(text), expected_of_field<Value>());
  };
  if constexpr (is_named<Value>) {
    for (const auto& named : EnumNames<Value>::values)
      if (text == named.name) {
        value = named.value;
        return;
      }
    refuse();
  } else if constexpr (std::is_same_v<Value, bool>) {
    if (text != "true" && text != "false") refuse();
    value = text == "true";
  } else {
    const std::optional<Value> number = parse_number<Value>(text);
    if (!number) refuse();
    value = *number;
  }
}

// What the bounds of a number allow: "a whole number from 1 to 9".
template <typename Number>
std::string expected_number(const FieldOptions& options) {
  const FieldOptions none = {};
  const char* kind = std::is_integral_v<Number> ? "a whole number" : "a number";
  if (options.above != none.above) return fmt::format("{} above {}", kind, options.above);
  if (options.below != none.below)
    return fmt::format("{} from {} to less than {}", kind, options.least, options.below);
  if (options.most != none.most)
    return fmt::format("{} from {} to {}", kind, options.least, options.most);
  return fmt::format("{} of at least {}", kind, options.least);
}

// An Error names a number that is outside its bounds.
template <typename Struct>
void check_bounds(const Struct& settings) {
  visit_fields(settings, [](const auto& field, const auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    const auto check = [&]<typename Number>(Number number) {
      const auto n = static_cast<double>(number);
      const FieldOptions& o = field.options;
      const bool fits = n >= o.least && n <= o.most && n > o.above && n < o.below;
      require(fits || (o.zero_is_none && n == 0), "--{}: {} but {} was expected", field.name,
              number, expected_number<Number>(o));
    };
    if constexpr (std::is_arithmetic_v<Value>) {
      check(value);
    } else if constexpr (requires { value.has_value(); }) {
      if constexpr (std::is_arithmetic_v<typename Value::value_type>)
        if (value) check(*value);
    }
  });
}

}  // namespace heed
