// Tasks that the first rank deals to whoever is free, and whose results it takes in their order.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "heed/base/communicator.h"

namespace heed {

struct SharedWork {
  // At rank 0: the next task, or nothing at the end. It may wait, so it is asked only if `is_ready`
  // says that it will not, or if there is nothing else to do.
  std::function<std::optional<std::string>()> next;
  std::function<bool()> is_ready = [] { return true; };
  // At every rank, several tasks at a time.
  std::function<std::string(const std::string& task)> work;
  // At rank 0: the result of a task, after those of all tasks before it.
  std::function<void(const std::string& result)> take;
};

// Returns at every rank when all tasks are done. What `work` throws at a rank is thrown there; that
// others then wait for it in vain is up to the caller.
//
// Each rank has as many tasks as `hands`: with two, one is under way while the next one travels.
// Few tasks are ahead of the one whose result is taken next, so memory is bounded.
void share_work(Communicator& ranks, const SharedWork& work, int hands = 2);

}  // namespace heed
