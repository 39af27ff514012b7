// The instruction set that the kernels compute with on this machine.
#pragma once

#include <cstdint>
#include <string>

namespace heed::kernels {

// As Highway calls it, e.g. "AVX2" or "AVX3_DL with AMX". Results differ in their last bits between
// two of them.
std::string instruction_set();

// Those that the kernels could compute with here, one bit for each.
int64_t instruction_sets();
// From now on, they compute with the best of these that there is here. While no kernel runs.
void use_instruction_sets(int64_t sets);

}  // namespace heed::kernels
