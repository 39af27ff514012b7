// Processes that work on one job, in the words of MPI: each has a rank, and they send each other
// bytes. Nothing here computes, so that a result can depend on numbers and their order alone.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heed/base/share.h"
#include "heed/base/workers.h"

namespace heed {

struct OutgoingMessage {
  int to = 0;
  std::span<const std::byte> bytes;
};

struct IncomingMessage {
  int from = 0;
  std::span<std::byte> bytes;  // as long as what was sent
};

// A message that comes when it comes.
struct Letter {
  int from = 0;
  std::string text;
};

// What a letter is about. Letters of different boxes do not wait for each other.
enum class LetterBox { tasks, results };

// How to wait for messages: so that they go as fast as they can, or so that whoever computes beside
// it is hardly disturbed.
enum class Waiting { busily, beside_work };

// Every rank calls the same functions in the same order, from one thread at a time; except for
// letters.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;  // from 0
  virtual int size() const = 0;
  bool is_first() const { return rank() == 0; }
  virtual int cores() const = 0;  // that this rank should use; at least 1

  // Sends and receives all of these, and returns when that is done. Messages from one rank to
  // another arrive in the order of the lists. No rank sends to itself.
  virtual void exchange(std::span<const OutgoingMessage> out, std::span<const IncomingMessage> in,
                        Waiting waiting) = 0;
  void exchange(std::span<const OutgoingMessage> out, std::span<const IncomingMessage> in) {
    exchange(out, in, Waiting::busily);
  }

  // What `root` has comes to all others.
  virtual void broadcast(int root, std::span<std::byte> bytes) = 0;

  // Rank r has the bytes from ends[r - 1] to ends[r], where the first begin at 0; all of them come
  // to everyone.
  virtual void gather_all(std::span<std::byte> bytes, std::span<const size_t> ends) = 0;

  // Letters may be sent at any time, by any thread, even to the sender itself. Those from one rank
  // to another stay in order. Nobody waits: not the sender, and whoever looks gets what is there.
  virtual void send_letter(int to, LetterBox box, std::string text) = 0;
  virtual std::optional<Letter> next_letter(LetterBox box) = 0;
};

// Letters that have arrived. Can be used by any thread.
class ArrivedLetters {
 public:
  void add(LetterBox box, Letter letter);
  std::optional<Letter> next(LetterBox box);

 private:
  std::mutex mutex_;
  std::map<LetterBox, std::deque<Letter>> boxes_;
};

// One process, which has nobody to talk to.
class SoloCommunicator : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  int cores() const override { return core_count(); }
  using Communicator::exchange;
  void exchange(std::span<const OutgoingMessage>, std::span<const IncomingMessage>,
                Waiting) override {}
  void broadcast(int, std::span<std::byte>) override {}
  void gather_all(std::span<std::byte>, std::span<const size_t>) override {}
  void send_letter(int, LetterBox box, std::string text) override {
    letters_.add(box, {0, std::move(text)});
  }
  std::optional<Letter> next_letter(LetterBox box) override { return letters_.next(box); }

 private:
  ArrivedLetters letters_;
};

// The one that every process can use.
Communicator& alone();

// The value of rank 0.
template <typename Value>
Value of_first(Communicator& ranks, Value value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  ranks.broadcast(0, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

// The text of rank 0.
std::string text_of_first(Communicator& ranks, std::string text);

// Whether it holds at every rank.
bool holds_everywhere(Communicator& ranks, bool here);

// The share of a list that a rank works on.
inline Range share_of(int64_t elements, const Communicator& ranks) {
  return share_of(elements, ranks.rank(), ranks.size());
}

// Completes a list of which each rank knows its share.
template <typename Element>
void gather_shares(Communicator& ranks, std::span<Element> list) {
  static_assert(std::is_trivially_copyable_v<Element>);
  if (ranks.size() == 1) return;
  std::vector<size_t> ends;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const Range share = share_of(static_cast<int64_t>(list.size()), rank, ranks.size());
    ends.push_back(static_cast<size_t>(share.end) * sizeof(Element));
  }
  ranks.gather_all(std::as_writable_bytes(list), ends);
}

}  // namespace heed
