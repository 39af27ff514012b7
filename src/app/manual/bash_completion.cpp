#include <fmt/format.h>

#include "heed/app/manual/completion.h"
#include "heed/app/manual/shell_words.h"

namespace heed {

namespace {

// NAME stands for the program. The tables come before it.
constexpr std::string_view script = R"sh(
_NAME() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} i
  local kind='' choices='' most=0 pending=0 arguments=0
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$(_NAME_flags '')" -- "$word")
    return
  fi
  # What the words before this one leave open: values of a flag, or the next argument.
  for ((i = 2; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      =) ;;
      -?*) _NAME_takes "$command ${COMP_WORDS[i]}" && pending=$most ;;
      *) if ((pending > 0)); then ((--pending)); else ((++arguments)); fi ;;
    esac
  done
  [ "$word" != = ] || word=
  if ((pending == 0)); then _NAME_takes "$command $arguments"; fi
  case $kind:$word in
    :* | *:-*) mapfile -t COMPREPLY < <(compgen -W "$(_NAME_flags "$command")" -- "$word") ;;
    choice:*)
      mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
      [[ ${COMPREPLY[0]} != *: ]] || compopt -o nospace 2> /dev/null ;;
    file:*)
      compopt -o filenames 2> /dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    folder:*)
      compopt -o filenames 2> /dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
  esac
}
complete -F _NAME NAME
)sh";

std::string with_name(std::string_view text, const std::string& name) {
  constexpr std::string_view placeholder = "NAME";
  std::string named(text);
  for (size_t at = named.find(placeholder); at != named.npos;
       at = named.find(placeholder, at + name.size()))
    named.replace(at, placeholder.size(), name);
  return named;
}

std::string flag_names(const std::vector<FlagManual>& flags) {
  std::string names;
  for (const FlagManual& flag : flags)
    if (!flag.is_positional) names += fmt::format(" {}", fmt::join(flag.names, " "));
  return names.empty() ? "" : names.substr(1);
}

// The words that may follow a command; those of no command are the commands.
std::string table_of_flags(const ProgramManual& program) {
  std::string first = flag_names(program.flags), cases;
  for (const CommandManual& command : program.commands) {
    first += ' ' + command.name;
    cases += fmt::format("    {}) echo {} ;;\n", shell_quoted(command.name),
                         shell_quoted(flag_names(command.flags)));
  }
  return fmt::format("_{}_flags() {{\n  case $1 in\n    '') echo {} ;;\n{}  esac\n}}\n",
                     program.name, shell_quoted(first), cases);
}

std::string_view word_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::none:
      return "";
    case ValueKind::any:
      return "any";
    case ValueKind::file:
      return "file";
    case ValueKind::folder:
      return "folder";
    case ValueKind::choice:
      return "choice";
  }
  return "";
}

std::string takes(const FlagManual& flag) {
  std::string text = fmt::format("kind={} most={}", word_of(flag.kind), flag.most_values);
  if (!flag.choices.empty())
    text +=
        fmt::format(" choices={}", shell_quoted(fmt::format("{}", fmt::join(flag.choices, " "))));
  return text;
}

// What the flags of a command take, and its arguments, counted from 0.
std::string table_of_values(const ProgramManual& program) {
  std::string cases;
  for (const CommandManual& command : program.commands) {
    int arguments = 0;
    for (const FlagManual& flag : command.flags) {
      if (flag.kind == ValueKind::none) continue;
      const std::vector<std::string> names =
          flag.is_positional ? std::vector{fmt::format("{}", arguments++)} : flag.names;
      for (const std::string& name : names)
        cases +=
            fmt::format("    {}) {} ;;\n", shell_quoted(command.name + ' ' + name), takes(flag));
    }
  }
  return fmt::format("_{}_takes() {{\n  kind='' choices='' most=0\n  case $1 in\n{}  esac\n}}\n",
                     program.name, cases);
}

}  // namespace

std::string bash_completion(const ProgramManual& program) {
  return fmt::format("# bash completion of {}, made from its flags.\n", program.name) +
         table_of_flags(program) + table_of_values(program) +
         with_name(script, program.name).substr(1);
}

}  // namespace heed
