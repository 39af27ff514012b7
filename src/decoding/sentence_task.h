// A sentence to translate, and what is to happen when it is done.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "heed/decoding/hypothesis.h"
#include "heed/decoding/sentence_search.h"

namespace heed {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

// `done` is called once, by one of the scheduler's threads or by a caller who works, and does not
// throw. A sentence that is stopped, or not done at its deadline, is given up with an Error.
struct SentenceTask {
  Request request;
  std::function<void(std::vector<Hypothesis>, std::exception_ptr)> done;
  std::stop_token stop = {};
  Deadline deadline = {};
};

}  // namespace heed
