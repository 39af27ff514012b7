#include "heed/app/cli/flag_checks.h"

#include <algorithm>

#include "heed/runs/model_registry.h"

namespace heed {

namespace {

// "a, b or c".
std::string choice_between(const std::vector<std::string>& words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

template <typename Fits>
CLI::Validator number_that(Fits fits, const char* expected) {
  const auto check = [fits, expected](const std::string& text) {
    const std::optional<double> number = plain_number<double>(text);
    return number && fits(*number) ? std::string() : refusal(text, expected);
  };
  return {check, ""};
}

}  // namespace

std::string refusal(std::string_view text, std::string_view expected) {
  return fmt::format("{} but {} was expected", quote(text), expected);
}

CLI::Validator above_zero() {
  return number_that([](double number) { return number > 0; }, "a number above 0");
}

CLI::Validator part_of_one() {
  return number_that([](double number) { return number >= 0 && number < 1; },
                     "a number from 0 to less than 1");
}

CLI::Validator folder_name() {
  const auto check = [](const std::string& name) {
    return name.empty() ? refusal(name, "the name of a folder") : std::string();
  };
  return {check, ""};
}

CLI::Validator origin() {
  const auto check = [](const std::string& text) {
    const size_t scheme = text.find("://");
    const bool is_address = scheme != text.npos && scheme > 0 && scheme + 3 < text.size() &&
                            text.find_first_of("/?#@ ,", scheme + 3) == text.npos &&
                            std::ranges::none_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (is_address || text == "*" || text == "null") return std::string();
    return refusal(text, "an origin such as https://a.example, in lower case and without a path,");
  };
  return {check, ""};
}

CLI::Validator model_name() {
  const auto find = [](std::string& name) {
    if (name.empty()) return refusal(name, "the name of a folder");
    const size_t begin = name.find('=') + 1;  // 0 if there is none
    const std::string whole = find_model(name);
    name = whole != name ? whole : name.substr(0, begin) + find_model(name.substr(begin));
    return std::string();
  };
  return {find, ""};
}

CLI::Validator one_of(std::vector<std::string> words) {
  const auto check = [words = std::move(words)](const std::string& text) {
    const bool known = std::ranges::find(words, text) != words.end();
    return known ? std::string() : refusal(text, choice_between(words));
  };
  return {check, ""};
}

}  // namespace heed
