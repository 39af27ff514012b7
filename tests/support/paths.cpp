#include "paths.h"

namespace heed::testing {

const char* const golden_folder = HEED_GOLDEN;
const char* const source_folder = HEED_SOURCES;
const char* const heed_program = HEED_PROGRAM;
const char* const heed_mpi_program = HEED_MPI_PROGRAM;

}  // namespace heed::testing
