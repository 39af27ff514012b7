#include "heed/kernels/instruction_set.h"

#include <hwy/highway.h>

namespace heed::kernels {

std::string instruction_set() {
  // The better a set, the lower its bit.
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(usable == 0 ? HWY_STATIC_TARGET : usable & -usable);
}

}  // namespace heed::kernels
