#include "heed/app/mpi/launcher.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>

#include "heed/base/descriptor.h"

namespace heed {

namespace {

constexpr unsigned grace_seconds = 5;

bool is_launcher(pid_t process) {
  static constexpr std::array<std::string_view, 8> names = {
      "mpirun",  "mpiexec", "orterun",       "orted",
      "prterun", "prted",   "mpiexec.hydra", "hydra_pmi_proxy"};
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(process) + "/comm"), name);
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void end_launcher_soon() {
  const pid_t launcher = ::getppid();
  if (!is_launcher(launcher)) return;
  // Unlike a number, it cannot come to mean another process.
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, launcher, 0)));
  if (!handle.is_open() || ::fork() != 0) return;
  // The launcher kills its children and waits for their outputs to close. Only what may be called
  // after a fork among threads.
  ::setsid();
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(stream);
  ::sleep(grace_seconds);
  ::syscall(SYS_pidfd_send_signal, handle.number(), SIGKILL, nullptr, 0);
  ::_exit(0);
}

}  // namespace heed
