// Settings as text, for the command line and for comparing two runs.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "heed/base/error.h"
#include "heed/base/numbers.h"
#include "heed/base/text.h"
#include "heed/models/config_fields.h"

namespace heed {

template <typename Field>
constexpr bool is_named_field = requires {
  EnumNames<Field>::values;
};

template <typename Field>
std::string text_of_field(const Field& field) {
  if constexpr (is_named_field<Field>) {
    for (const auto& [value, name] : EnumNames<Field>::values)
      if (value == field) return name;
    return "";
  } else {
    return fmt::format("{}", field);
  }
}

// What may be written for a field, e.g. "post|pre" or "NUMBER".
template <typename Field>
std::string choices_of_field() {
  if constexpr (is_named_field<Field>) {
    std::string names;
    for (const auto& named : EnumNames<Field>::values)
      names += fmt::format("{}{}", names.empty() ? "" : "|", named.name);
    return names;
  } else if constexpr (std::is_same_v<Field, bool>) {
    return "true|false";
  } else {
    return "NUMBER";
  }
}

// An Error names the flag, what was expected and what was found.
template <typename Field>
void set_field(std::string_view name, const std::string& text, Field& field) {
  const auto refuse = [&] {
    fail("--{} is {} but {} was expected", name, quote(text), choices_of_field<Field>());
  };
  if constexpr (is_named_field<Field>) {
    for (const auto& named : EnumNames<Field>::values)
      if (text == named.name) {
        field = named.value;
        return;
      }
    refuse();
  } else if constexpr (std::is_same_v<Field, bool>) {
    if (text != "true" && text != "false") refuse();
    field = text == "true";
  } else {
    const std::optional<Field> number = parse_number<Field>(text);
    if (!number) refuse();
    field = *number;
  }
}

}  // namespace heed
