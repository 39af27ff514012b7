// `heed-mpi --restart 3 mpirun -n 4 heed-mpi train …`: the command is run again if a rank or its
// host was lost.
#pragma once

#include <string>
#include <vector>

namespace heed {

// The exit code of a run that has lost a rank; EX_TEMPFAIL of sysexits.h.
constexpr int rank_was_lost = 75;

// Runs a command, and again as long as it ends because something was lost, at most `restarts` times
// more. Returns its last exit code, or 128 + the signal that ended it. A mistake, which would be
// made again, and an interruption by a signal to this process, which is passed on, are final.
int run_with_restarts(int restarts, const std::vector<std::string>& command);

}  // namespace heed
