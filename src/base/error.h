// heed's one exception: a mistake of a caller or in a file, described in one sentence.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace heed {

// Says where, what was expected and what was found, e.g. "attend: query width 64 but key width 32".
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& sentence) : std::runtime_error(sentence) {}
};

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> sentence, Args&&... args) {
  throw Error(fmt::format(sentence, std::forward<Args>(args)...));
}

// Throws an Error with the formatted sentence unless the condition holds.
template <typename... Args>
void require(bool condition, fmt::format_string<Args...> sentence, Args&&... args) {
  if (!condition) [[unlikely]]
    fail(sentence, std::forward<Args>(args)...);
}

}  // namespace heed
