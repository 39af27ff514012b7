// Escapes in strings as C has them, which other formats have taken over.
#pragma once

#include <optional>
#include <string_view>

namespace heed {

// Takes what follows a backslash off the front of `text` (n and similar, x41, 101) and returns the
// byte that it stands for; nothing if C does not know it.
std::optional<char> take_c_escape(std::string_view& text);

// What follows the backslash for a byte that has a letter, such as n for a line end.
std::optional<char> c_escape_letter(char byte);

}  // namespace heed
