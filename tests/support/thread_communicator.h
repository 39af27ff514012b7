// Ranks that are threads of one process.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "heed/base/communicator.h"
#include "heed/base/error.h"

namespace heed::testing {

// What a rank finds that waits for one that has failed.
struct AnotherRankFailed {};

// The messages that are under way.
class Post {
 public:
  using Letter = std::vector<std::byte>;

  void send(int from, int to, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    letters_[{from, to}].emplace_back(bytes.begin(), bytes.end());
    arrival_.notify_all();
  }

  void receive(int from, int to, std::span<std::byte> bytes) {
    std::unique_lock lock(mutex_);
    std::deque<Letter>& waiting = letters_[{from, to}];
    arrival_.wait(lock, [&] { return failed_ || !waiting.empty(); });
    if (waiting.empty()) throw AnotherRankFailed();
    const Letter letter = std::move(waiting.front());
    waiting.pop_front();
    require(letter.size() == bytes.size(), "{} bytes from rank {} to {} but {} were expected",
            letter.size(), from, to, bytes.size());
    std::ranges::copy(letter, bytes.begin());
  }

  void send_letter(int from, int to, LetterBox box, std::string text) {
    const std::lock_guard lock(mutex_);
    boxes_[to].add(box, {from, std::move(text)});
  }

  std::optional<heed::Letter> next_letter(int to, LetterBox box) {
    const std::lock_guard lock(mutex_);
    if (failed_) throw AnotherRankFailed();
    return boxes_[to].next(box);
  }

  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    arrival_.notify_all();
  }

  bool is_empty() const {
    return std::ranges::all_of(letters_, [](const auto& entry) { return entry.second.empty(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrival_;
  std::map<std::pair<int, int>, std::deque<Letter>> letters_;
  std::map<int, ArrivedLetters> boxes_;
  bool failed_ = false;
};

class ThreadCommunicator : public Communicator {
 public:
  ThreadCommunicator(Post& post, int rank, int size) : post_(post), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int cores() const override { return 1; }

  using Communicator::exchange;
  void exchange(std::span<const OutgoingMessage> out, std::span<const IncomingMessage> in,
                Waiting) override {
    for (const OutgoingMessage& message : out) {
      require(message.to != rank_, "rank {} sends to itself", rank_);
      post_.send(rank_, message.to, message.bytes);
      sent += message.bytes.size();
    }
    for (const IncomingMessage& message : in) post_.receive(message.from, rank_, message.bytes);
  }

  void broadcast(int root, std::span<std::byte> bytes) override {
    if (rank_ != root) return post_.receive(root, rank_, bytes);
    for (int to = 0; to < size_; ++to)
      if (to != rank_) post_.send(rank_, to, bytes);
  }

  void gather_all(std::span<std::byte> bytes, std::span<const size_t> ends) override {
    require(ends.size() == static_cast<size_t>(size_) && ends.back() == bytes.size(),
            "shares that do not add up");
    for (int root = 0; root < size_; ++root) {
      const size_t index = static_cast<size_t>(root), begin = index == 0 ? 0 : ends[index - 1];
      broadcast(root, bytes.subspan(begin, ends[index] - begin));
    }
  }

  void send_letter(int to, LetterBox box, std::string text) override {
    post_.send_letter(rank_, to, box, std::move(text));
  }
  std::optional<Letter> next_letter(LetterBox box) override {
    return post_.next_letter(rank_, box);
  }

  size_t sent = 0;  // bytes, by exchange

 private:
  Post& post_;
  int rank_, size_;
};

// Runs the job on this many ranks. The first exception of a rank is thrown here; ranks that wait
// for one that has failed end, too. An Error if a message is left over.
inline void run_ranks(int count, const std::function<void(ThreadCommunicator&)>& job) {
  Post post;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&](int rank) {
    ThreadCommunicator communicator(post, rank, count);
    try {
      job(communicator);
    } catch (const AnotherRankFailed&) {
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      post.fail();
    }
  };
  std::vector<std::thread> threads;
  for (int rank = 1; rank < count; ++rank) threads.emplace_back(run, rank);
  run(0);
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  require(post.is_empty(), "a message was sent that nobody received");
}

}  // namespace heed::testing
