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

[[noreturn]] void end_program(const char* sentence) {
  remove_own_partial_files();
  std::ignore = ::write(STDERR_FILENO, sentence, std::strlen(sentence));
  ::_exit(1);
}

[[noreturn]] void on_terminate() {
  try {
    if (const std::exception_ptr cause = std::current_exception()) std::rethrow_exception(cause);
  } catch (const std::bad_alloc&) {
    end_program(memory_shortage);
  } catch (...) {
    // A mistake of the program.
  }
  std::abort();
}

// SentencePiece calls exit(-1) if it cannot go on. The program itself never exits so.
void on_exit_by_library(int status, void*) {
  constexpr int gave_up = -1;
  if (status == gave_up) end_program(library_gave_up);
}

}  // namespace

void install_memory_handler() {
  std::set_terminate(on_terminate);
  ::on_exit(on_exit_by_library, nullptr);
}

}  // namespace heed
