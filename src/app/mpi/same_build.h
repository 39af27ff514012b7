// Ranks that compute alike.
#pragma once

#include "heed/app/mpi/mpi_communicator.h"

namespace heed {

// An Error that names the first rank whose program is another than that of rank 0, or computes with
// another instruction set: their results would differ. With `any_cpu`, all compute with the best
// set that they have in common instead.
void require_same_build(MpiCommunicator& ranks, bool any_cpu);

}  // namespace heed
