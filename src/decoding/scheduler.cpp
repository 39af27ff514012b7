#include "heed/decoding/scheduler.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/workers.h"

namespace heed {

namespace {

// What a sentence takes of a session's capacity.
int64_t cost_of(const SentenceTask& task) {
  constexpr int64_t usual_hypotheses = 8;
  const SearchOptions& options = *task.request.options;
  const int64_t hypotheses = options.sampling ? options.n_best : options.beam;
  const auto tokens = std::max<int64_t>(1, static_cast<int64_t>(task.request.source.size()));
  return tokens * std::max(usual_hypotheses, hypotheses) / usual_hypotheses;
}

// Or bad_alloc, if there is no memory for the sentence.
std::exception_ptr error_saying(const char* why, ErrorKind kind) noexcept {
  try {
    throw Error(why, kind);
  } catch (...) {
    return std::current_exception();
  }
}

// Why a sentence need not be translated any more; null if it must.
std::exception_ptr reason_to_stop(const SentenceTask& task) noexcept {
  if (task.stop.stop_requested())
    return error_saying("translator: the request was cancelled", ErrorKind::cancelled);
  if (task.deadline && std::chrono::steady_clock::now() >= *task.deadline)
    return error_saying("translator: the request was not done before its deadline",
                        ErrorKind::deadline);
  return nullptr;
}

}  // namespace

// A session, and the thread that works on it unless a caller does. Only what the session does can
// throw.
class Scheduler::Worker {
 public:
  explicit Worker(Scheduler& scheduler)
      : scheduler_(scheduler), session_(*scheduler.model_, scheduler.bounds_) {}

  // For its own thread: works until the scheduler closes.
  void run() {
    for (std::unique_lock lock(scheduler_.mutex_);;) {
      state_ = State::free;
      scheduler_.changed_.wait(
          lock, [&] { return scheduler_.closing_ || (state_ == State::free && has_work()); });
      if (scheduler_.closing_) break;
      state_ = State::taken;
      work(lock);
    }
    give_up(error_saying("translator: it was closed before the request was done",
                         ErrorKind::cancelled));
  }

  // For a caller: works in place of the thread, if that has nothing to do.
  bool work_until(const std::function<bool()>& is_done, std::unique_lock<std::mutex>& lock) {
    if (state_ != State::free || scheduler_.waiting_.empty()) return false;
    state_ = State::taken;
    while (has_work() && !is_done()) work(lock);
    state_ = State::free;
    return true;
  }

 private:
  bool has_work() const { return !running_.empty() || !scheduler_.waiting_.empty(); }

  // A step. The lock is held before and after it.
  void work(std::unique_lock<std::mutex>& lock) {
    Group taken = choose_sentences();
    lock.unlock();
    while (!taken.empty()) join(taken);
    stop_sentences();
    step();
    lock.lock();
  }

  void give_up(const std::exception_ptr& reason) {
    for (Sentence& sentence : running_) sentence.task.done({}, reason);
    running_.clear();
    load_ = 0;
  }

  // Few at a time would keep the encoder from working on many sentences at once, so that a busy
  // session waits until it has room for some, unless all that wait fit in. Where little waits, each
  // thread takes its share.
  Group choose_sentences() {
    Group taken;
    const int64_t capacity = scheduler_.options_.capacity, waiting = scheduler_.waiting_cost_;
    const int64_t free = capacity - load_;
    if (load_ > 0 && waiting > free && free < capacity / 4) return taken;
    const int64_t share = std::min(free, waiting / scheduler_.options_.threads + 1);
    int64_t cost = 0;
    std::list<Group>& groups = scheduler_.waiting_;
    while (!groups.empty()) {
      Group& group = groups.front();
      const int64_t next = cost_of(group.front().task);
      // One that is larger than the capacity goes alone.
      const bool fits = cost == 0 ? load_ == 0 || next <= free : cost + next <= share;
      if (!fits) break;
      taken.splice(taken.end(), group, group.begin());
      if (group.empty())
        groups.pop_front();
      else
        groups.splice(groups.end(), groups, groups.begin());
      cost += next;
    }
    scheduler_.waiting_cost_ -= cost;
    return taken;
  }

  // The first of the sentences that were taken.
  void join(Group& taken) {
    Sentence& first = taken.front();
    std::exception_ptr reason = reason_to_stop(first.task);
    try {
      if (!reason) first.id = session_.add(first.task.request);
    } catch (...) {
      reason = std::current_exception();
    }
    if (reason) {
      first.task.done({}, reason);
      taken.pop_front();
    } else {
      load_ += cost_of(first.task);
      running_.splice(running_.end(), taken, taken.begin());
    }
  }

  using Running = Group::iterator;

  // Gives the next of those that are running.
  Running leave(Running sentence, std::vector<Hypothesis> found, const std::exception_ptr& error) {
    load_ -= cost_of(sentence->task);
    sentence->task.done(std::move(found), error);
    return running_.erase(sentence);
  }

  void stop_sentences() {
    for (auto at = running_.begin(); at != running_.end();) {
      const std::exception_ptr reason = reason_to_stop(at->task);
      if (!reason) {
        ++at;
        continue;
      }
      session_.cancel(at->id);
      at = leave(at, {}, reason);
    }
  }

  void step() {
    try {
      session_.step();
    } catch (...) {
      give_up(std::current_exception());
    }
    for (Session::Finished& finished : session_.take_finished()) {
      const auto found = std::ranges::find(running_, finished.id, &Sentence::id);
      leave(found, std::move(finished.hypotheses), finished.error);
    }
  }

  enum class State { free, taken };

  Scheduler& scheduler_;
  State state_ = State::taken;  // guarded by the mutex; the rest belongs to whoever has taken it
  Session session_;
  Group running_;
  int64_t load_ = 0;  // the cost of all that is running
};

Scheduler::Scheduler(std::shared_ptr<const Generator> model, const SentenceBounds& bounds,
                     const SchedulerOptions& options)
    : model_(std::move(model)), bounds_(bounds), options_(options) {
  require(options.threads >= 1, ErrorKind::usage,
          "translator: {} threads but at least 1 was expected", options.threads);
  require(options.capacity >= 1, ErrorKind::usage,
          "translator: batches of {} tokens but at least 1 was expected", options.capacity);
  for (int i = 0; i < options.threads; ++i) workers_.push_back(std::make_unique<Worker>(*this));
  try {
    threads_.reserve(workers_.size());
    for (const auto& worker : workers_)
      threads_.push_back(starting_threads([&] { return std::thread([&] { worker->run(); }); }));
  } catch (...) {
    close();
    throw;
  }
}

Scheduler::~Scheduler() { close(); }

void Scheduler::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  for (Group& group : waiting_)
    for (Sentence& sentence : group)
      sentence.task.done({}, error_saying("translator: it was closed before the request was done",
                                          ErrorKind::cancelled));
}

void Scheduler::submit(std::vector<SentenceTask> tasks) {
  if (tasks.empty()) return;
  int64_t cost = 0;
  std::list<Group> group(1);
  for (SentenceTask& task : tasks) {
    cost += cost_of(task);
    group.front().push_back({std::move(task)});
  }
  {
    const std::lock_guard lock(mutex_);
    waiting_.splice(waiting_.end(), group);
    waiting_cost_ += cost;
  }
  changed_.notify_all();
}

void Scheduler::work_until(const std::function<bool()>& is_done) {
  std::unique_lock lock(mutex_);
  for (const auto& worker : workers_)
    if (worker->work_until(is_done, lock)) break;
  lock.unlock();
  changed_.notify_all();
}

}  // namespace heed
