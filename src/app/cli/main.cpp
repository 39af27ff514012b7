#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/program.h"

// Debian's libhwy measures how fine its timer is whenever it is loaded, for benchmarks of its own: a tenth of
// the time until the first translation is out. Nothing here asks for it, and what a program defines comes
// before what its libraries do.
namespace hwy::platform {

// As in hwy/nanobenchmark.h. NOLINTBEGIN(readability-identifier-naming)
uint64_t TimerResolution();
uint64_t TimerResolution() { return 1; }
// NOLINTEND(readability-identifier-naming)

}  // namespace hwy::platform

int main(int count, char** arguments) {
  heed::install_interrupt_handler();
  // Nobody uses C's streams here; without them standard input says how much of it can be read at once.
  std::ios::sync_with_stdio(false);
  const heed::Console console = heed::detect_console(std::cout, std::cerr);
  return heed::run_program(std::vector<std::string>(arguments + 1, arguments + count), console);
}
