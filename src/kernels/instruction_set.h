// The instruction set that the kernels compute with on this machine.
#pragma once

#include <string>

namespace heed::kernels {

// As Highway calls it, e.g. "AVX2" or "AVX3_DL". Results differ in their last bits between two of
// them.
std::string instruction_set();

}  // namespace heed::kernels
