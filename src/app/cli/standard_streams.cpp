#include "heed/app/cli/standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "heed/app/cli/flag_checks.h"
#include "heed/base/files.h"

namespace heed {

namespace {

template <typename IsStandard>
void check_one(std::span<const FileFlag> flags, std::string_view problem, IsStandard is_standard) {
  const FileFlag* first = nullptr;
  for (const FileFlag& use : flags) {
    if (!is_standard(use.file)) continue;
    if (first != nullptr)
      throw CLI::ValidationError(
          std::string(use.flag),
          first->flag == use.flag
              ? fmt::format("{} only once", problem)
              : fmt::format("{} only once, and it is for {}", problem, first->flag));
    first = &use;
  }
}

}  // namespace

void occupy_closed_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // open() returns the lowest free descriptor, which is this one. It is opened in the wrong mode,
    // so that any use fails.
    if (::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

CLI::Validator file_name() {
  const auto check = [](const std::string& name) {
    return name.empty() ? refusal(name, "the name of a file") : std::string();
  };
  return {check, ""};
}

void check_one_reads_standard_input(std::span<const FileFlag> flags) {
  check_one(flags, "standard input can be read",
            [](const std::string& file) { return is_standard_input(file); });
}

void check_one_writes_standard_output(std::span<const FileFlag> flags) {
  check_one(flags, "standard output can be written",
            [](const std::string& file) { return is_standard_output(file); });
}

}  // namespace heed
