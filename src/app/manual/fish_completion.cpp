#include <fmt/format.h>

#include "heed/app/manual/completion.h"
#include "heed/app/manual/shell_words.h"

namespace heed {

namespace {

constexpr std::string_view conditions = R"(
# Whether the first word is this command, or none is there yet.
function __{0}_is
  set -l words (commandline -opc)
  test "$words[2]" = "$argv[1]"
end
# Whether the last flag is one of these, which take several values, or one if they are given any.
function __{0}_goes_on
  for word in (commandline -opc)[-1..2]
    string match -q -- '-?*' $word; and return (contains -- $word $argv; echo $status)
  end
  return 1
end
complete -c {0} -f
)";

std::string fish_quoted(std::string_view text) {
  return fmt::format("'{}'", with_backslashes(text, "\\'"));
}

// "-r -F": a value is required, and files are offered; "-x": a value, and nothing else.
std::string values_of(const FlagManual& flag) {
  if (flag.value_is_optional) return "";
  switch (flag.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::any:
      return " -x";
    case ValueKind::file:
      return " -r -F";
    case ValueKind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::choice:
      return fmt::format(" -x -a {}", fish_quoted(fmt::format("{}", fmt::join(flag.choices, " "))));
  }
  return "";
}

// The same for what stands without a flag before it.
std::string argument_of(const FlagManual& flag) {
  if (flag.kind == ValueKind::file) return " -F";
  const std::string values = values_of(flag);
  return values.starts_with(" -x -a") ? " -f" + values.substr(3) : " -f";
}

std::string names_of(const FlagManual& flag) {
  std::string names;
  for (const std::string& name : flag.names)
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return names;
}

std::string lines_for(const std::string& program, const std::string& command,
                      const std::vector<FlagManual>& flags) {
  const std::string is = fmt::format("__{}_is {}", program, fish_quoted(command));
  std::string lines;
  for (const FlagManual& flag : flags) {
    const std::string begin = fmt::format("complete -c {} -n ", program);
    if (flag.is_positional) {
      lines += fmt::format("{}{}{}\n", begin, fish_quoted(is), argument_of(flag));
      continue;
    }
    lines += fmt::format("{}{}{}{} -d {}\n", begin, fish_quoted(is), names_of(flag),
                         values_of(flag), fish_quoted(flag.description));
    if (flag.most_values > 1 || flag.value_is_optional)
      lines += fmt::format("{}{}{}\n", begin,
                           fish_quoted(fmt::format("{}; and __{}_goes_on {}", is, program,
                                                   fmt::join(flag.names, " "))),
                           argument_of(flag));
  }
  return lines;
}

}  // namespace

std::string fish_completion(const ProgramManual& program) {
  std::string script = fmt::format("# fish completion of {}, made from its flags.\n", program.name);
  script += fmt::format(conditions.substr(1), program.name);
  script += lines_for(program.name, "", program.flags);
  for (const CommandManual& command : program.commands)
    script += fmt::format("complete -c {0} -n {1} -a {2} -d {3}\n", program.name,
                          fish_quoted(fmt::format("__{}_is ''", program.name)),
                          fish_quoted(command.name), fish_quoted(command.description));
  for (const CommandManual& command : program.commands)
    script += lines_for(program.name, command.name, command.flags);
  return script;
}

}  // namespace heed
