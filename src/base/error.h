// heed's one exception: a mistake of a caller or in a file, described in one sentence. People read
// the sentence; programs switch on its kind.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace heed {

enum class ErrorKind {
  usage,      // an argument or an option that cannot be: the calling program is wrong
  input,      // text, numbers or a file that cannot be used
  model,      // a model folder that is damaged, or none that heed can read
  system,     // what the system refused, such as to open a file or to give memory
  cancelled,  // the caller gave the request up
  deadline,   // the request was not done in time
};

// Says where, what was expected and what was found, e.g. "attend: query width 64 but key width 32".
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& sentence, ErrorKind kind = ErrorKind::input)
      : std::runtime_error(sentence), kind_(kind) {}

  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

template <typename... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> sentence, Args&&... args) {
  throw Error(fmt::format(sentence, std::forward<Args>(args)...), kind);
}

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> sentence, Args&&... args) {
  fail(ErrorKind::input, sentence, std::forward<Args>(args)...);
}

// Throws an Error with the formatted sentence unless the condition holds.
template <typename... Args>
void require(bool condition, ErrorKind kind, fmt::format_string<Args...> sentence, Args&&... args) {
  if (!condition) [[unlikely]]
    fail(kind, sentence, std::forward<Args>(args)...);
}

template <typename... Args>
void require(bool condition, fmt::format_string<Args...> sentence, Args&&... args) {
  if (!condition) [[unlikely]]
    fail(sentence, std::forward<Args>(args)...);
}

// Runs what is about one kind of thing only, such as a model folder: an Error about its input is
// thrown on as one of this kind. Other kinds stay what they are.
template <typename Run>
decltype(auto) with_error_kind(ErrorKind kind, Run&& run) {
  try {
    return std::forward<Run>(run)();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    throw Error(error.what(), kind);
  }
}

}  // namespace heed
