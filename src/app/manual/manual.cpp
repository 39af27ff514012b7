#include "heed/app/manual/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace heed {

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t end = 0; end != text.npos; text.remove_prefix(end == text.npos ? 0 : end + 1)) {
    end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
  }
  return parts;
}

// The part that is typed as it stands: "window:" of "window:N".
std::string literal_part(const std::string& choice) {
  const auto is_placeholder = [](unsigned char letter) { return std::isupper(letter) != 0; };
  return {choice.begin(), std::ranges::find_if(choice, is_placeholder)};
}

// "text|tsv" names its values; words of capitals stand for values. Of those, FILE and FOLDER or DIR
// are known, by themselves, several times or in brackets.
ValueKind kind_of(std::string_view value) {
  if (value.starts_with('[')) value.remove_prefix(1);
  if (value.empty()) return ValueKind::none;
  if (value.find('|') != value.npos) return ValueKind::choice;
  if (value.starts_with("FILE")) return ValueKind::file;
  if (value.starts_with("DIR") || value.starts_with("FOLDER")) return ValueKind::folder;
  return ValueKind::any;
}

bool may_stand_alone(const CLI::Option& option) { return option.get_expected_min() == 0; }

int values_at_a_time(const CLI::Option& option) {
  const int least = option.get_items_expected_min(), most = option.get_items_expected_max();
  return most > many_values && !option.get_allow_extra_args() ? least : most;
}

std::string value_of(const CLI::Option& option) {
  if (option.get_expected_max() == 0) return "";
  if (!option.get_option_text().empty()) return option.get_option_text();
  return option.get_type_name() + (values_at_a_time(option) > many_values ? "..." : "");
}

// The parser keeps them in the order of their addresses.
std::vector<std::string> names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::ranges::sort(names);
  return names;
}

std::string uppercase(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::toupper(letter));
  });
  return text;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  if (option.get_positional()) return {uppercase(option.get_name(true))};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

FlagManual read_flag(const CLI::Option& option) {
  FlagManual flag;
  flag.names = names_of(option);
  flag.is_positional = option.get_positional();
  flag.value = value_of(option);
  flag.kind = kind_of(flag.value);
  if (flag.kind == ValueKind::choice)
    for (const std::string& choice : split(flag.value, '|'))
      if (const std::string literal = literal_part(choice); !literal.empty())
        flag.choices.push_back(literal);
  flag.most_values = values_at_a_time(option);
  flag.value_is_optional = flag.most_values > 0 && may_stand_alone(option);
  const bool keeps_all = option.get_items_expected_max() > many_values ||
                         option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  flag.is_repeatable = keeps_all && flag.kind != ValueKind::none;
  flag.is_required = option.get_required();
  if (!flag.value_is_optional) flag.default_value = option.get_default_str();
  flag.environment = option.get_envname();
  flag.needs = names_of(option.get_needs());
  flag.excludes = names_of(option.get_excludes());
  flag.description = option.get_description();
  flag.group = option.get_group();
  return flag;
}

// Positional arguments, then the groups in the order of their first flags, as in the help.
std::vector<FlagManual> read_flags(const CLI::App& command) {
  std::vector<FlagManual> flags;
  const std::vector<std::string> groups = command.get_groups();
  const auto place_of = [&](const FlagManual& flag) {
    return flag.is_positional ? groups.begin() : std::ranges::find(groups, flag.group) + 1;
  };
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty()) flags.push_back(read_flag(*option));
  std::ranges::stable_sort(flags, {}, place_of);
  return flags;
}

// "--a, --b or --c".
std::string series(const std::vector<std::string>& names, std::string_view last) {
  if (names.size() == 1) return names[0];
  return fmt::format("{} {} {}", fmt::join(names.begin(), names.end() - 1, ", "), last,
                     names.back());
}

std::string sentence(std::string text) {
  if (!text.empty() && !text.ends_with('.')) text += '.';
  return text;
}

}  // namespace

ProgramManual read_manual(const CLI::App& program, const std::string& version,
                          const std::string& date) {
  ProgramManual manual = {.name = program.get_name(),
                          .description = program.get_description(),
                          .version = version,
                          .date = date,
                          .flags = read_flags(program),
                          .commands = {},
                          .text = read_manual_text(program.get_footer())};
  const std::string prefix = manual.name + ": ";
  if (manual.description.starts_with(prefix)) manual.description.erase(0, prefix.size());
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty())
      manual.commands.push_back({.name = command->get_name(),
                                 .description = command->get_description(),
                                 .flags = read_flags(*command),
                                 .text = read_manual_text(command->get_footer())});
  return manual;
}

std::string heading_of(const FlagManual& flag) {
  const std::string names = fmt::format("{}", fmt::join(flag.names, ", "));
  return flag.value.empty() || flag.is_positional ? names : names + ' ' + flag.value;
}

std::string details_of(const FlagManual& flag) {
  std::string text = sentence(flag.description);
  if (!flag.default_value.empty()) text += fmt::format(" Default: {}.", flag.default_value);
  if (flag.is_required && !flag.is_positional) text += " Required.";
  if (!flag.environment.empty())
    text += fmt::format(" The environment variable {} does the same.", flag.environment);
  if (!flag.needs.empty()) text += fmt::format(" Needs {}.", series(flag.needs, "and"));
  if (!flag.excludes.empty()) text += fmt::format(" Not with {}.", series(flag.excludes, "or"));
  return text;
}

std::string usage_of(const ProgramManual& program, const CommandManual& command) {
  std::string flags, positionals;
  for (const FlagManual& flag : command.flags) {
    if (flag.is_positional)
      positionals +=
          flag.is_required ? ' ' + flag.names.front() : fmt::format(" [{}]", flag.names.front());
    else if (flag.is_required)
      flags += fmt::format(" {} {}", flag.names.back(), flag.value);
  }
  return fmt::format("{} {}{} [OPTIONS]{}", program.name, command.name, flags, positionals);
}

std::vector<ExitStatus> exit_statuses() {
  return {{"0", "Done."},
          {"1", "Failed. A sentence on standard error says what was expected and what was found."},
          {"2", "Wrong usage. Nothing was read or written."},
          {"128 + N", "Interrupted by signal N: 130 after Ctrl-C. Unfinished files are removed."}};
}

}  // namespace heed
