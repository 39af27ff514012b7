// Ranks that watch each other, so that a run does not wait for ever for one that hangs or cannot be
// reached.
#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "heed/app/mpi/mpi_communicator.h"

namespace heed {

// While it lives, a thread of its own sends a sign of life every two seconds: rank 0 to all, all to
// rank 0. If one is not heard of for 15 seconds, `lost`, which ends the run, is called with a
// sentence that names it. A rank that computes, validates or writes is alive all the while.
class Heartbeat {
 public:
  using Lost = std::function<void(const std::string& sentence)>;

  Heartbeat(const MpiCommunicator& ranks, Lost lost);
  ~Heartbeat();  // waits for all other ranks to end theirs
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  enum class Sign : char { alive, ending };
  // Another rank that is watched.
  struct Peer {
    int rank = 0;
    Clock::time_point heard_of;
    bool ended = false;
  };

  void watch();
  void listen();
  void send(Sign sign) const;
  void complain_about_silence() const;
  bool all_have_ended() const;

  const MpiCommunicator& ranks_;
  Lost lost_;
  MPI_Comm world_ = MPI_COMM_NULL;
  std::vector<Peer> peers_;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace heed
