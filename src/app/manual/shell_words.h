// Words of shell scripts.
#pragma once

#include <string>
#include <string_view>

namespace heed {

// In single quotes, for bash and zsh.
std::string shell_quoted(std::string_view text);

// `text` with a backslash before each of `special`.
std::string with_backslashes(std::string_view text, std::string_view special);

}  // namespace heed
