// Opens malicious files in a child process, which may crash and has little memory.
#pragma once

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <new>
#include <string>

#include "heed/base/error.h"

namespace heed::testing {

// From here on, the process gets no more than this many bytes. The sanitizers reserve terabytes of
// addresses and cannot be limited.
inline void limit_memory([[maybe_unused]] size_t more) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t limit = pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE)) + more;
  const rlimit both = {limit, limit};
  ::setrlimit(RLIMIT_AS, &both);
#endif
}

// The sentence of the Error that `run` throws with no more than `memory` bytes of its own, or in
// parentheses what else happened.
template <typename Run>
std::string error_in_child(size_t memory, Run&& run) {
  int ends[2];
  if (::pipe(ends) != 0) return "(no pipe)";
  const pid_t child = ::fork();
  if (child == 0) {
    std::string said = "(nothing was thrown)";
    try {
      limit_memory(memory);
      run();
    } catch (const Error& error) {
      said = error.what();
    } catch (const std::bad_alloc&) {
      said = "(too much memory was asked for)";
    } catch (const std::exception& error) {
      said = fmt::format("(not an Error: {})", error.what());
    }
    std::ignore = ::write(ends[1], said.data(), said.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string said;
  char buffer[4096];
  for (ssize_t count; (count = ::read(ends[0], buffer, sizeof(buffer))) > 0;)
    said.append(buffer, static_cast<size_t>(count));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? fmt::format("(ended by signal {})", WTERMSIG(status)) : said;
}

}  // namespace heed::testing
