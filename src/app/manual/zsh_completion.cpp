#include <fmt/format.h>

#include "heed/app/manual/completion.h"
#include "heed/app/manual/shell_words.h"

namespace heed {

namespace {

// "(a b)"; no space follows a choice that goes on.
std::string action_of_choices(const std::vector<std::string>& choices) {
  std::string whole, begun;
  for (const std::string& choice : choices)
    (choice.ends_with(':') ? begun : whole) += ' ' + with_backslashes(choice, "\\:");
  if (begun.empty()) return fmt::format("({})", whole.substr(1));
  return fmt::format("{{compadd -{}; compadd -S \"\" -{}}}", whole, begun);
}

std::string action_of(const FlagManual& flag) {
  switch (flag.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::any:
      return " ";
    case ValueKind::file:
      return "_files";
    case ValueKind::folder:
      return "_path_files -/";
    case ValueKind::choice:
      return action_of_choices(flag.choices);
  }
  return "";
}

// ":FILE:_files", as often as values may follow. Any number of them ends with the next flag. Two
// colons come before a value that may be left out.
std::string values_of(const FlagManual& flag) {
  const std::string value =
      fmt::format("{}:{}", with_backslashes(flag.value, "\\:"), action_of(flag));
  if (flag.most_values > many_values) return ":*-*:" + value;
  std::string values;
  for (int i = 0; i < flag.most_values; ++i)
    values += (flag.value_is_optional ? "::" : ":") + value;
  return values;
}

// The words that may not follow this flag: its other names, and the flags that it excludes.
std::string exclusions_of(const FlagManual& flag) {
  if (flag.names.back() == "--help" || flag.names.back() == "--version") return "(- *)";
  std::vector<std::string> excluded = flag.excludes;
  if (flag.names.size() > 1 && !flag.is_repeatable)
    excluded.insert(excluded.end(), flag.names.begin(), flag.names.end());
  return excluded.empty() ? "" : fmt::format("({})", fmt::join(excluded, " "));
}

std::string specification_of(const FlagManual& flag, int argument) {
  if (flag.is_positional) {
    const std::string number = flag.most_values > many_values ? "*" : fmt::format("{}", argument);
    return shell_quoted(
        fmt::format("{}:{}:{}", number, with_backslashes(flag.names[0], "\\:"), action_of(flag)));
  }
  const std::string about = fmt::format("[{}]", with_backslashes(flag.description, "\\[]:"));
  const std::string before = exclusions_of(flag) + (flag.is_repeatable ? "*" : "");
  std::string specifications;
  for (const std::string& name : flag.names) {
    // A long flag takes its value behind an equals sign, too.
    const bool equals = flag.most_values == 1 && name.starts_with("--");
    const std::string specification =
        fmt::format("{}{}{}{}{}", before, name, equals ? "=" : "", about, values_of(flag));
    specifications += (specifications.empty() ? "" : " ") + shell_quoted(specification);
  }
  return specifications;
}

std::string specifications_of(const std::vector<FlagManual>& flags, std::string_view indent) {
  std::string text;
  int argument = 0;
  for (const FlagManual& flag : flags) {
    argument += flag.is_positional ? 1 : 0;
    text += fmt::format(" \\\n{}{}", indent, specification_of(flag, argument));
  }
  return text;
}

}  // namespace

std::string zsh_completion(const ProgramManual& program) {
  std::string names, cases;
  for (const CommandManual& command : program.commands) {
    names += fmt::format("        {}\n", shell_quoted(with_backslashes(command.name, "\\:") + ':' +
                                                      command.description));
    cases += fmt::format("        {}) _arguments -s{} ;;\n", shell_quoted(command.name),
                         specifications_of(command.flags, "          "));
  }
  return fmt::format(R"(#compdef {0}
# zsh completion of {0}, made from its flags.
_{0}() {{
  local curcontext=$curcontext state line
  local -a commands
  local -A opt_args
  _arguments -C{1} \
    '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      commands=(
{2}      )
      _describe command commands ;;
    argument)
      case $words[1] in
{3}      esac ;;
  esac
}}
# Loaded by compinit, or sourced.
if [ "$funcstack[1]" = _{0} ]; then _{0} "$@"; else compdef _{0} {0}; fi
)",
                     program.name, specifications_of(program.flags, "    "), names, cases);
}

}  // namespace heed
