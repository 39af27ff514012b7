#include "heed/kernels/instruction_set.h"

#include <hwy/highway.h>

namespace heed::kernels {

int64_t instruction_sets() { return hwy::SupportedTargets() & HWY_TARGETS; }

void use_instruction_sets(int64_t sets) { hwy::DisableTargets(~sets); }

std::string instruction_set() {
  const int64_t usable = instruction_sets();
  return hwy::TargetName(usable == 0 ? HWY_STATIC_TARGET : usable & -usable);
}

}  // namespace heed::kernels
