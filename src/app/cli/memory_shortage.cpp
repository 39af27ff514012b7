#include "heed/app/cli/memory_shortage.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <tuple>

#include "heed/base/files.h"

namespace heed {

namespace {

[[noreturn]] void end_program() {
  try {
    if (const std::exception_ptr cause = std::current_exception()) std::rethrow_exception(cause);
  } catch (const std::bad_alloc&) {
    remove_own_partial_files();
    std::ignore = ::write(STDERR_FILENO, memory_shortage, std::strlen(memory_shortage));
    ::_exit(1);
  } catch (...) {
    // A mistake of the program.
  }
  std::abort();
}

}  // namespace

void install_memory_handler() { std::set_terminate(end_program); }

void share_limited_memory() {
  constexpr rlim_t enough_for_an_arena = rlim_t{1} << 30;
  constexpr rlim_t most = 1024;
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const rlim_t arenas = std::clamp<rlim_t>(limit.rlim_cur / enough_for_an_arena, 1, most);
  ::mallopt(M_ARENA_MAX, static_cast<int>(arenas));
}

}  // namespace heed
