// Checks for the values of flags. Each refuses in one sentence, which the parser puts after the
// name of the flag: "--steps: "0" but a whole number of at least 1 was expected".
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/numbers.h"
#include "heed/base/text.h"

namespace heed {

// The largest values of flags that several commands have.
inline constexpr int widest_beam = 1000, most_threads = 1024;

// "TEXT but EXPECTED was expected", with the text made safe to print.
std::string refusal(std::string_view text, std::string_view expected);

// A number of that type as people write it, and nothing else: no infinity, and no leading zeros,
// which the parser would read as octal.
template <typename Number>
std::optional<Number> plain_number(std::string_view text) {
  const std::optional<Number> number = parse_number<Number>(text);
  if constexpr (std::integral<Number>)
    return number && fmt::format("{}", *number) == text ? number : std::nullopt;
  else
    return number && std::isfinite(*number) ? number : std::nullopt;
}

template <typename Number>
constexpr std::string_view kind_of_number = std::integral<Number> ? "a whole number" : "a number";

// From `low` to `high`, inclusive. T is the type of the variable that receives the value.
template <typename Number>
CLI::Validator between(Number low, Number high) {
  const auto check = [low, high](const std::string& text) {
    const std::optional<Number> number = plain_number<Number>(text);
    if (number && *number >= low && *number <= high) return std::string();
    return refusal(text, fmt::format("{} from {} to {}", kind_of_number<Number>, low, high));
  };
  return {check, ""};
}

// At least `low`, up to the largest value of the variable that receives it.
template <typename Number>
CLI::Validator at_least(Number low) {
  const auto check = [low](const std::string& text) {
    const std::optional<Number> number = plain_number<Number>(text);
    if (number && *number >= low) return std::string();
    const bool too_large = !text.empty() && text.find_first_not_of("0123456789") == text.npos &&
                           text.front() != '0' && !number;
    if (too_large) return between(low, std::numeric_limits<Number>::max())(text);
    return refusal(text, fmt::format("{} of at least {}", kind_of_number<Number>, low));
  };
  return {check, ""};
}

// Any number above zero.
CLI::Validator above_zero();
// A part of something: 0 <= number < 1.
CLI::Validator part_of_one();

// The name of a folder: any but none at all, as an unset variable of a shell gives.
CLI::Validator folder_name();

// The same for a model, which may also be one of those that the user keeps (find_model): the value
// becomes its folder. "en-de=NAME" keeps what is in front of the name.
CLI::Validator model_name();

// Of web pages, as browsers send it: "https://a.example:8080", without a path; "null" for pages
// without one, or "*" for all.
CLI::Validator origin();

// One of these words.
CLI::Validator one_of(std::vector<std::string> words);

}  // namespace heed
