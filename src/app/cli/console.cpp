#include "heed/app/cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace heed {

namespace {

std::string_view value_of(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool has_unicode(const Environment& environment) {
  // The first variable that is set decides. If none is, assume Unicode.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view locale = value_of(environment, name);
    if (locale.empty()) continue;
    return contains(locale, "UTF-8") || contains(locale, "utf8") || contains(locale, "UTF8") ||
           contains(locale, "utf-8");
  }
  return true;
}

Ink choose_ink(bool is_terminal, const Environment& environment) {
  const std::string_view terminal = value_of(environment, "TERM");
  const bool colours_wanted = value_of(environment, "NO_COLOR").empty();
  if (is_terminal && colours_wanted && terminal != "dumb") {
    const std::string_view depth = value_of(environment, "COLORTERM");
    if (depth == "truecolor" || depth == "24bit") return Ink::truecolour;
    if (contains(terminal, "256color")) return Ink::palette;
  }
  return has_unicode(environment) ? Ink::shades : Ink::digits;
}

}  // namespace

TerminalStyle choose_style(bool is_terminal, int columns, const Environment& environment) {
  TerminalStyle style;
  style.ink = choose_ink(is_terminal, environment);
  if (is_terminal && columns > 0) style.width = columns;
  return style;
}

Console detect_console(std::ostream& out, std::ostream& err) {
  const auto columns_of = [](int descriptor) {
    winsize size = {};
    return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? static_cast<int>(size.ws_col) : 0;
  };
  const TerminalStyle style = choose_style(::isatty(STDOUT_FILENO) == 1, columns_of(STDOUT_FILENO),
                                           [](const char* name) { return std::getenv(name); });
  Console console = {out, err, style};
  console.in_is_terminal = ::isatty(STDIN_FILENO) == 1;
  console.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  console.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  console.in_bytes = known_size("-");
  if (columns_of(STDERR_FILENO) > 0) console.err_columns = columns_of(STDERR_FILENO);
  console.ask_err_columns = [columns_of] { return columns_of(STDERR_FILENO); };
  return console;
}

}  // namespace heed
