#include "heed/tensor/arena_pool.h"

#include <new>
#include <utility>

namespace heed {

std::shared_ptr<Arena> ArenaPool::borrow() {
  std::unique_ptr<Arena> arena;
  {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      arena = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (!arena) arena = std::make_unique<Arena>();
  return {arena.release(), [pool = shared_from_this()](Arena* given_back) {
            std::unique_ptr<Arena> spare(given_back);
            spare->reset();
            try {
              const std::lock_guard lock(pool->mutex_);
              pool->spare_.push_back(std::move(spare));
            } catch (const std::bad_alloc&) {
              // If memory is that short, drop the arena.
            }
          }};
}

}  // namespace heed
