// A unit of the machine that multiplies matrices of bfloat16: Intel's AMX.
#pragma once

#include <hwy/base.h>

// Whether there are kernels for it here.
#if HWY_ARCH_X86_64 && defined(__linux__)
#define HEED_KERNELS_HAVE_AMX 1
#else
#define HEED_KERNELS_HAVE_AMX 0
#endif

namespace heed::kernels {

// Whether this machine has the unit, and the kernels may use it.
bool has_matrix_unit();
// From now on, if there is one. While no kernel runs.
void use_matrix_unit(bool use);

}  // namespace heed::kernels
