// Arenas that are used again and again.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "heed/tensor/arena.h"

namespace heed {

// What begins and ends often, such as the decoding of a batch, finds its memory where the last one
// left it. For any number of threads.
class ArenaPool : public std::enable_shared_from_this<ArenaPool> {
 public:
  static std::shared_ptr<ArenaPool> make() { return std::shared_ptr<ArenaPool>(new ArenaPool); }

  // An empty arena, which goes back to the pool with its last reference.
  std::shared_ptr<Arena> borrow();

 private:
  ArenaPool() = default;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Arena>> spare_;  // the one that was used last at the end
};

}  // namespace heed
