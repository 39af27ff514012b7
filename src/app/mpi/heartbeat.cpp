#include "heed/app/mpi/heartbeat.h"

#include <algorithm>
#include <array>

#include "heed/base/error.h"
#include "heed/base/workers.h"

namespace heed {

namespace {

using namespace std::chrono_literals;

constexpr auto between_signs = 2s;
constexpr auto longest_silence = 15s;
constexpr auto between_looks = 50ms;

// If rank 0 is lost, all others find out, but one sentence is enough: the next rank waits a little
// for the one before it to end the run.
std::chrono::milliseconds patience_of(int rank) {
  return longest_silence + std::min<std::chrono::milliseconds>(rank * 250ms, 8s);
}

}  // namespace

Heartbeat::Heartbeat(const MpiCommunicator& ranks, Lost lost)
    : ranks_(ranks), lost_(std::move(lost)) {
  MPI_Comm_dup(MPI_COMM_WORLD, &world_);
  const int last = ranks.is_first() ? ranks.size() - 1 : 0;
  for (int rank = ranks.is_first() ? 1 : 0; rank <= last; ++rank)
    peers_.push_back({.rank = rank, .heard_of = Clock::now()});
  thread_ = starting_threads([&] { return std::thread([this] { watch(); }); });
}

Heartbeat::~Heartbeat() {
  ending_ = true;
  thread_.join();
  MPI_Comm_free(&world_);
}

void Heartbeat::watch() {
  Clock::time_point last_sign = {}, last_look = Clock::now();
  for (bool said_so = false;;) {
    listen();
    const Clock::time_point now = Clock::now();
    // Whoever was stopped himself, with the whole machine perhaps, cannot tell who else is.
    if (now - last_look > between_signs)
      for (Peer& peer : peers_) peer.heard_of = now;
    last_look = now;
    complain_about_silence();
    if (ending_ && !said_so) {
      send(Sign::ending);
      said_so = true;
    } else if (!said_so && now - last_sign >= between_signs) {
      send(Sign::alive);
      last_sign = now;
    }
    if (said_so && all_have_ended()) return;
    std::this_thread::sleep_for(between_looks);
  }
}

void Heartbeat::listen() {
  for (Peer& peer : peers_)
    for (int waiting = 0;;) {
      MPI_Iprobe(peer.rank, 0, world_, &waiting, MPI_STATUS_IGNORE);
      if (waiting == 0) break;
      Sign sign = Sign::alive;
      MPI_Recv(&sign, 1, MPI_CHAR, peer.rank, 0, world_, MPI_STATUS_IGNORE);
      peer.heard_of = Clock::now();
      peer.ended = sign == Sign::ending;
    }
}

// Does not wait: nobody may be there to receive it.
void Heartbeat::send(Sign sign) const {
  static constexpr std::array signs = {Sign::alive, Sign::ending};
  for (const Peer& peer : peers_) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(&signs[static_cast<size_t>(sign)], 1, MPI_CHAR, peer.rank, 0, world_, &request);
    MPI_Request_free(&request);
  }
}

void Heartbeat::complain_about_silence() const {
  for (const Peer& peer : peers_)
    if (!peer.ended && Clock::now() - peer.heard_of > patience_of(ranks_.rank()))
      lost_(
          fmt::format("rank {} on {} has not been heard of for {} seconds: it hangs, or the "
                      "network to it is broken; the same command continues the run",
                      peer.rank, ranks_.host(peer.rank), longest_silence.count()));
}

bool Heartbeat::all_have_ended() const {
  return std::ranges::all_of(peers_, [](const Peer& peer) { return peer.ended; });
}

}  // namespace heed
