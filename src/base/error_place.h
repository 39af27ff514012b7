// Where an Error happened, added by those who know.
#pragma once

#include <string_view>
#include <utility>

#include "heed/base/error.h"

namespace heed {

// Runs what is about one place, such as a file or a line of it: the sentence of an Error begins
// with that. Its kind stays what it is.
template <typename Run>
decltype(auto) with_place(std::string_view place, Run&& run) {
  try {
    return std::forward<Run>(run)();
  } catch (const Error& error) {
    fail(error.kind(), "{}: {}", place, error.what());
  }
}

}  // namespace heed
