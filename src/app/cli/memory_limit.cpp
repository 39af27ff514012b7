#include "heed/app/cli/memory_limit.h"

#include <malloc.h>
#include <sys/resource.h>

namespace heed {

void share_limited_memory() {
  rlimit limit = {};
  const bool is_limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  if (is_limited) ::mallopt(M_ARENA_MAX, 1);
}

}  // namespace heed
