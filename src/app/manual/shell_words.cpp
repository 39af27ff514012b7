#include "heed/app/manual/shell_words.h"

namespace heed {

std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + '\'';
}

std::string with_backslashes(std::string_view text, std::string_view special) {
  std::string escaped;
  for (const char letter : text) {
    if (special.find(letter) != special.npos) escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

}  // namespace heed
