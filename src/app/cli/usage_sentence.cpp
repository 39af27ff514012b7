#include "heed/app/cli/usage_sentence.h"

#include <regex>
#include <sstream>

#include "heed/base/text.h"

namespace heed {

namespace {

// The last word first becomes the first word first.
std::string in_order(const std::string& words) {
  std::istringstream in(words);
  std::string ordered;
  for (std::string word; in >> word;) ordered = ordered.empty() ? word : word + ' ' + ordered;
  return ordered;
}

// CLI11 joins them with spaces, the last one first.
std::string unexpected(const std::string& said) {
  const std::string arguments = said.substr(std::min(said.size(), said.find(": ") + 2));
  if (said.starts_with("The following arguments"))
    return fmt::format("unexpected arguments {}", quote(in_order(arguments)));
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

}  // namespace

std::string usage_sentence(const CLI::ParseError& error) {
  const std::string said = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unexpected(said);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return wrong_count(said);
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) return excluded(said);
  return said;
}

}  // namespace heed
