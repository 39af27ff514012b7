// Arenas for reuse.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "heed/tensor/arena.h"

namespace heed {

// Short jobs, such as decoding a batch, reuse the memory of earlier ones. Thread-safe.
class ArenaPool : public std::enable_shared_from_this<ArenaPool> {
 public:
  static std::shared_ptr<ArenaPool> make() { return std::shared_ptr<ArenaPool>(new ArenaPool); }

  // An empty arena, which returns to the pool with its last reference.
  std::shared_ptr<Arena> borrow();

 private:
  ArenaPool() = default;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Arena>> spare_;  // the most recently used one last
};

}  // namespace heed
