// The program as a separate process, which can be killed and whose memory can be measured.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "paths.h"

namespace heed::testing {

struct ProcessFiles {
  std::string in = "/dev/null", out = "/dev/null", err = "/dev/null";
};

class ProgramProcess {
 public:
  // Runs the program with these arguments, and with these variables beside those of the test.
  explicit ProgramProcess(const std::vector<std::string>& arguments, const ProcessFiles& files = {},
                          const std::map<std::string, std::string>& environment = {},
                          const std::string& program = heed_program) {
    std::vector<std::string> words = {program}, variables;
    words.insert(words.end(), arguments.begin(), arguments.end());
    for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
    for (char** next = environ; *next != nullptr; ++next) variables.emplace_back(*next);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    const int written = O_WRONLY | O_CREAT | O_TRUNC;
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, files.in.c_str(), O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, files.out.c_str(), written, 0666);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, files.err.c_str(), written, 0666);
    if (::posix_spawnp(&process_, program.c_str(), &actions, nullptr, pointers_to(words).data(),
                       pointers_to(variables).data()) != 0)
      process_ = -1;
    ::posix_spawn_file_actions_destroy(&actions);
  }
  ProgramProcess(const ProgramProcess&) = delete;
  ProgramProcess& operator=(const ProgramProcess&) = delete;
  ~ProgramProcess() {
    if (process_ > 0) kill();
  }

  pid_t id() const { return process_; }

  bool runs() const {
    siginfo_t ended = {};
    ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT);
    return ended.si_pid == 0;
  }

  // The exit code, or 128 + the signal that ended it.
  int wait() {
    if (process_ < 0) return 127;
    int status = 0;
    ::wait4(std::exchange(process_, -1), &status, 0, &usage_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  int kill(int signal = SIGKILL) {
    ::kill(process_, signal);
    return wait();
  }

  // Its peak memory in bytes. Only after its end.
  size_t peak_memory() const { return static_cast<size_t>(usage_.ru_maxrss) << 10; }

 private:
  static std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
  }

  pid_t process_ = -1;
  rusage usage_ = {};
};

}  // namespace heed::testing
