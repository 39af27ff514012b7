// Where things are in the tree and in the build. In a source of their own, so that what the
// compiler makes of the tests does not depend on it.
#pragma once

namespace heed::testing {

extern const char* const golden_folder;
extern const char* const source_folder;
extern const char* const heed_program;
extern const char* const heed_mpi_program;  // empty if MPI was not found

}  // namespace heed::testing
