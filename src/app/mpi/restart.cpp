#include "heed/app/mpi/restart.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <iostream>
#include <system_error>

#include "heed/app/cli/program.h"
#include "heed/base/error.h"

namespace heed {

namespace {

std::atomic<pid_t> running = 0;
volatile sig_atomic_t was_interrupted = 0;

void pass_on(int signal) {
  was_interrupted = 1;
  if (const pid_t process = running; process > 0) ::kill(process, signal);
}

int run_once(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = 0;
  const int refusal =
      ::posix_spawnp(&process, pointers[0], nullptr, nullptr, pointers.data(), environ);
  require(refusal == 0, ErrorKind::system, "{}: cannot be started: {}", command.front(),
          std::system_category().message(refusal));
  running = process;
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  running = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A rank that was killed makes mpirun exit with 128 + signal.
bool is_loss(int code) { return code == rank_was_lost || code > 128; }

}  // namespace

int run_with_restarts(int restarts, const std::vector<std::string>& command) {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) ::signal(signal, pass_on);
  for (int left = restarts;; --left) {
    const int code = run_once(command);
    if (was_interrupted != 0 || !is_loss(code) || left == 0) return code;
    std::cerr << fmt::format("heed: the run ended with exit code {}; it is started again\n", code);
  }
}

}  // namespace heed
