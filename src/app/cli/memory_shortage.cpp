#include "heed/app/cli/memory_shortage.h"

#include <unistd.h>

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

}  // namespace heed
