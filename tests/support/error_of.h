// The errors of calls.
#pragma once

#include <optional>
#include <string>

#include "heed/base/error.h"

namespace heed::testing {

// The sentence of the Error that `run` throws.
template <typename Run>
std::string error_of(Run&& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

// Its kind; none if nothing is thrown.
template <typename Run>
std::optional<ErrorKind> error_kind_of(Run&& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.kind();
  }
  return {};
}

}  // namespace heed::testing
