// Ranks compute the same bytes only with the same program and the same instructions.
#pragma once

#include "heed/app/mpi/mpi_communicator.h"

namespace heed {

// An Error, at every rank, that names the first rank whose program or instruction set is another
// than that of rank 0.
void require_same_build(MpiCommunicator& ranks);

}  // namespace heed
