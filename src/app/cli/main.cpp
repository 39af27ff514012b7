#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/memory_limit.h"
#include "heed/app/cli/memory_shortage.h"
#include "heed/app/cli/output_stream.h"
#include "heed/app/cli/program.h"
#include "heed/app/cli/standard_streams.h"

// Debian's libhwy measures the resolution of its timer whenever it is loaded, for its own
// benchmarks. That takes a tenth of the time to the first translation. Nothing here needs it, and a
// program's definition takes precedence over its libraries'.
namespace hwy::platform {

// As in hwy/nanobenchmark.h. NOLINTBEGIN(readability-identifier-naming)
uint64_t TimerResolution();
uint64_t TimerResolution() { return 1; }
// NOLINTEND(readability-identifier-naming)

}  // namespace hwy::platform

int main(int count, char** arguments) {
  heed::occupy_closed_streams();
  heed::install_interrupt_handler();
  heed::share_limited_memory();
  heed::install_memory_handler();
  heed::OutputStream out("-");  // reports why a write failed, which std::cout would not
  const heed::Console console = heed::detect_console(out, std::cerr);
  return heed::run_program(std::vector<std::string>(arguments + 1, arguments + count), console);
}
