#include "heed/app/cli/usage_sentence.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>

#include "heed/base/text.h"

namespace heed {

namespace {

// The last word first becomes the first word first.
std::vector<std::string> in_order(const std::string& words) {
  std::istringstream in(words);
  std::vector<std::string> ordered;
  for (std::string word; in >> word;) ordered.push_back(word);
  std::ranges::reverse(ordered);
  return ordered;
}

// CLI11 joins them with spaces, the last one first. What follows a flag that does not exist may be
// its value.
std::string unexpected(const std::string& said) {
  const std::string arguments = said.substr(std::min(said.size(), said.find(": ") + 2));
  if (said.starts_with("The following arguments")) {
    const std::vector<std::string> words = in_order(arguments);
    if (const auto sentence = unknown_flag(words)) return *sentence;
    return fmt::format("unexpected arguments {}", quote(fmt::format("{}", fmt::join(words, " "))));
  }
  return fmt::format("{} {}",
                     arguments.starts_with("-") ? "there is no flag" : "unexpected argument",
                     quote(arguments));
}

std::string wrong_count(const std::string& said) {
  static const std::regex missing("(.*): (\\d+) required \\S+ missing"),
      too_many("(.*): At Most 1 required but received (\\d+)"),
      other_count("(.*): (?:At least|At Most) (\\d+) required but received (\\d+)");
  std::smatch found;
  if (std::regex_match(said, found, missing))
    return found[2] == "1"
               ? fmt::format("{}: a value was expected", found[1].str())
               : fmt::format("{}: {} values were expected", found[1].str(), found[2].str());
  if (std::regex_match(said, found, too_many))
    return fmt::format("{}: given {} times, but once was expected", found[1].str(), found[2].str());
  if (std::regex_match(said, found, other_count))
    return fmt::format("{}: {} given, but {} values were expected", found[1].str(), found[3].str(),
                       found[2].str());
  return said;
}

std::string excluded(const std::string& said) {
  static const std::regex names("(\\S+) excludes (\\S+)");
  return std::regex_replace(said, names, "$1 and $2 do not go together");
}

// What stands without a flag has capitals in the usage: "FROM is required".
std::string required(const std::string& said) {
  static const std::regex argument("([a-z]+) is required");
  std::smatch found;
  if (!std::regex_match(said, found, argument)) return said;
  std::string name = found[1].str();
  for (char& letter : name) letter = static_cast<char>(std::toupper(letter));
  return name + " is required";
}

}  // namespace

std::optional<std::string> unknown_flag(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.starts_with("--") && word.size() > 2)
      return fmt::format("there is no flag {}", quote(word));
  return std::nullopt;
}

std::string usage_sentence(const CLI::ParseError& error) {
  std::string said = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unexpected(said);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return wrong_count(said);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return required(said);
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) return excluded(said);
  return said;
}

}  // namespace heed
