// The program that has started this rank: mpirun, or its daemon on another host.
#pragma once

namespace heed {

// Kills the launcher in a few seconds, if it is still there then, even if this process is gone:
// where the network is broken, launchers wait for hosts that they cannot reach. Does nothing under
// a launcher that is not Open MPI's or MPICH's, such as Slurm, which looks after its jobs itself.
void end_launcher_soon();

}  // namespace heed
