#include "heed/base/work_queue.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "heed/base/workers.h"

namespace heed {

namespace {

// An empty letter means that there is no more work.
struct Numbered {
  int64_t number = 0;
  std::string text;
};

std::string letter_of(int64_t number, const std::string& text) {
  std::string letter(sizeof(number), '\0');
  std::memcpy(letter.data(), &number, sizeof(number));
  return letter + text;
}

Numbered numbered_in(const std::string& letter) {
  Numbered found;
  std::memcpy(&found.number, letter.data(), sizeof(found.number));
  found.text = letter.substr(sizeof(found.number));
  return found;
}

void wait_a_little() { std::this_thread::sleep_for(std::chrono::microseconds(500)); }

// The threads of a rank that work.
class Hands {
 public:
  Hands(Communicator& ranks, const SharedWork& work, int count) : ranks_(ranks), work_(work) {
    try {
      for (int i = 0; i < count; ++i)
        threads_.push_back(starting_threads([&] { return std::thread([this] { run(); }); }));
    } catch (...) {
      stop();
      throw;
    }
  }
  ~Hands() { stop(); }
  Hands(const Hands&) = delete;
  Hands& operator=(const Hands&) = delete;

  bool failed() const { return failed_; }

  // Until there is no more work.
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void run() {
    try {
      while (!failed_) {
        const std::optional<Letter> letter = ranks_.next_letter(LetterBox::tasks);
        if (letter && letter->text.empty()) return;
        if (letter)
          answer(numbered_in(letter->text));
        else
          wait_a_little();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      failed_ = true;
    }
  }

  void answer(const Numbered& task) {
    ranks_.send_letter(0, LetterBox::results, letter_of(task.number, work_.work(task.text)));
  }

  void stop() {
    failed_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  Communicator& ranks_;
  const SharedWork& work_;
  std::vector<std::thread> threads_;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

// At rank 0.
class Dealer {
 public:
  Dealer(Communicator& ranks, const SharedWork& work, int hands)
      : ranks_(ranks),
        work_(work),
        hands_(hands),
        farthest_(int64_t{8} * hands * ranks.size()),
        busy_(static_cast<size_t>(ranks.size())) {}

  // One round. False if all is done.
  bool deal_and_take() {
    bool moved = deal();
    if (receive()) moved = true;
    if (take()) moved = true;
    if (ended_ && taken_ == dealt_) return false;
    if (!moved) wait_a_little();
    return true;
  }

  void end() {
    for (int rank = 0; rank < ranks_.size(); ++rank)
      for (int hand = 0; hand < hands_; ++hand) ranks_.send_letter(rank, LetterBox::tasks, "");
  }

 private:
  // A task for whoever has the fewest.
  bool deal() {
    if (ended_ || dealt_ - taken_ >= farthest_) return false;
    const auto idlest = std::min_element(busy_.begin(), busy_.end());
    if (*idlest == hands_ || (dealt_ > taken_ && !work_.is_ready())) return false;
    const std::optional<std::string> task = work_.next();
    if (!task) {
      ended_ = true;
      return true;
    }
    ranks_.send_letter(static_cast<int>(idlest - busy_.begin()), LetterBox::tasks,
                       letter_of(dealt_++, *task));
    ++*idlest;
    return true;
  }

  bool receive() {
    const std::optional<Letter> letter = ranks_.next_letter(LetterBox::results);
    if (!letter) return false;
    --busy_[static_cast<size_t>(letter->from)];
    Numbered result = numbered_in(letter->text);
    done_[result.number] = std::move(result.text);
    return true;
  }

  bool take() {
    const auto next = done_.find(taken_);
    if (next == done_.end()) return false;
    work_.take(next->second);
    done_.erase(next);
    ++taken_;
    return true;
  }

  Communicator& ranks_;
  const SharedWork& work_;
  int hands_;
  int64_t farthest_;
  std::vector<int> busy_;  // hands of each rank
  int64_t dealt_ = 0, taken_ = 0;
  bool ended_ = false;
  std::map<int64_t, std::string> done_;  // but not taken
};

}  // namespace

void share_work(Communicator& ranks, const SharedWork& work, int hands) {
  Hands here(ranks, work, hands);
  if (ranks.is_first()) {
    Dealer dealer(ranks, work, hands);
    while (!here.failed() && dealer.deal_and_take()) {
    }
    if (!here.failed()) dealer.end();
  }
  here.join();
}

}  // namespace heed
