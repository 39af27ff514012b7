// What a fuzz target may do with bad input.
#pragma once

#include <cstdlib>

#include "heed/base/error.h"
#include "heed/base/text.h"

// Refusals are welcome, if they can be printed.
template <typename Action>
void allow_errors(Action action) {
  try {
    action();
  } catch (const heed::Error& error) {
    if (heed::printable(error.what()) != error.what()) std::abort();
  }
}
