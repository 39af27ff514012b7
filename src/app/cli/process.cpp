#include "heed/app/cli/process.h"

#include <cstdint>

#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/memory_limit.h"
#include "heed/app/cli/memory_shortage.h"
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

namespace heed {

void prepare_process() {
  occupy_closed_streams();
  install_interrupt_handler();
  share_limited_memory();
  install_memory_handler();
}

}  // namespace heed
