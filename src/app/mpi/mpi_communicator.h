// Ranks that are processes started by mpirun or srun. The only place that knows MPI.
#pragma once

#include <mpi.h>

#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/communicator.h"

namespace heed {

// MPI, from its start to its end. One in a process.
class MpiSession {
 public:
  MpiSession();  // an Error if MPI cannot be used by several threads
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
};

class MpiCommunicator : public Communicator {
 public:
  MpiCommunicator();
  ~MpiCommunicator() override;
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int cores() const override { return cores_; }
  const std::string& host(int rank) const { return hosts_[static_cast<size_t>(rank)]; }

  using Communicator::exchange;
  void exchange(std::span<const OutgoingMessage> out, std::span<const IncomingMessage> in,
                Waiting waiting) override;
  void broadcast(int root, std::span<std::byte> bytes) override;
  void gather_all(std::span<std::byte> bytes, std::span<const size_t> ends) override;

  void send_letter(int to, LetterBox box, std::string text) override;
  std::optional<Letter> next_letter(LetterBox box) override;

  // Texts of all ranks, in their order.
  std::vector<std::string> gather_texts(const std::string& text);

 private:
  // On its way; its text may not move.
  struct SentLetter {
    std::string text;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  int share_of_cores();

  MPI_Comm world_ = MPI_COMM_NULL;  // our own copy: messages of others do not get mixed in
  int rank_ = 0, size_ = 1, cores_ = 1;
  std::vector<std::string> hosts_;
  std::mutex letters_mutex_;
  std::list<SentLetter> sent_letters_;
};

}  // namespace heed
