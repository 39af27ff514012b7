// What every function of the C interface does at the border: nothing is thrown across it, and a
// failure becomes a status and a sentence.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heed/api/c.h"
#include "heed/base/error.h"

namespace heed::api {

struct Failure {
  heed_status status = HEED_INTERNAL;
  std::string text = {};
  const char* constant = "";  // instead of the text, where there may be no memory for one

  const char* sentence() const { return text.empty() ? constant : text.c_str(); }
};

// Of the exception that is being handled.
Failure current_failure() noexcept;

// Makes it what heed_last_error() tells on this thread.
heed_status remember(Failure failure) noexcept;

template <typename Run>
heed_status guarded(Run&& run) noexcept {
  try {
    std::forward<Run>(run)();
    return HEED_OK;
  } catch (...) {
    return remember(current_failure());
  }
}

// Refuses NULL.
inline void require_given(const void* argument, const char* function, const char* name) {
  require(argument != nullptr, ErrorKind::usage, "{}: {} is NULL", function, name);
}

// Texts of a caller. Refuses NULL, and NULL among them; `name` is what they are called.
std::vector<std::string> texts_of(const char* const* texts, size_t count, const char* function,
                                  const char* name);

}  // namespace heed::api
