#include "heed/kernels/instruction_set.h"

#include <hwy/highway.h>

#include "heed/kernels/matrix_unit.h"

namespace heed::kernels {

namespace {

constexpr int64_t matrix_unit = 1;  // beside those of Highway
static_assert((HWY_TARGETS & matrix_unit) == 0);

int64_t vector_sets() { return hwy::SupportedTargets() & HWY_TARGETS; }

}  // namespace

int64_t instruction_sets() { return vector_sets() | (has_matrix_unit() ? matrix_unit : 0); }

void use_instruction_sets(int64_t sets) {
  hwy::DisableTargets(~sets);
  use_matrix_unit((sets & matrix_unit) != 0);
}

std::string instruction_set() {
  const int64_t usable = vector_sets();
  const std::string name = hwy::TargetName(usable == 0 ? HWY_STATIC_TARGET : usable & -usable);
  return has_matrix_unit() ? name + " with AMX" : name;
}

}  // namespace heed::kernels
