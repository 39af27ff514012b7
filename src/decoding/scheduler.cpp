#include "heed/decoding/scheduler.h"

#include <utility>

#include "heed/base/error.h"
#include "heed/base/workers.h"

namespace heed {

namespace {

// A call whose sentences fill at most this part of a session is short.
constexpr int64_t short_calls_in_a_session = 8;

// While both kinds of calls have something to do, short ones have three quarters of the time.
constexpr int64_t share_of_short_calls = 3;

std::exception_ptr closed() noexcept {
  return error_saying("translator: it was closed before the request was done",
                      ErrorKind::cancelled);
}

}  // namespace

// Two lanes, and the thread that works on them unless a caller does.
class Scheduler::Worker {
 public:
  explicit Worker(Scheduler& scheduler)
      : scheduler_(scheduler),
        short_(*scheduler.model_, scheduler.bounds_),
        long_(*scheduler.model_, scheduler.bounds_) {}

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
    short_.give_up(closed());
    long_.give_up(closed());
  }

  // For a caller: works in place of the thread, if that has nothing to do.
  bool work_until(const std::function<bool()>& is_done, std::unique_lock<std::mutex>& lock) {
    if (state_ != State::free || scheduler_.nothing_waits()) return false;
    state_ = State::taken;
    while (has_work() && !is_done()) work(lock);
    state_ = State::free;
    return true;
  }

 private:
  bool has_short_work() const { return !short_.empty() || !scheduler_.waiting_short_.empty(); }
  bool has_long_work() const { return !long_.empty() || !scheduler_.waiting_long_.empty(); }
  bool has_work() const { return has_short_work() || has_long_work(); }

  // A step of one of the lanes. The lock is held before and after it.
  void work(std::unique_lock<std::mutex>& lock) {
    if (!has_long_work()) owed_ = 0;
    const bool long_is_due = !has_short_work() || owed_ >= share_of_short_calls * last_long_step_;
    long_is_due&& has_long_work() ? step_long(lock) : step_short(lock);
  }

  void step_short(std::unique_lock<std::mutex>& lock) {
    owed_ += step(short_, scheduler_.waiting_short_, lock);
  }

  void step_long(std::unique_lock<std::mutex>& lock) {
    last_long_step_ = step(long_, scheduler_.waiting_long_, lock);
    owed_ = 0;
  }

  int64_t step(Lane& lane, WaitingSentences& waiting, std::unique_lock<std::mutex>& lock) {
    const SchedulerOptions& options = scheduler_.options_;
    SentenceGroup taken = waiting.take(lane.load(), options.capacity, options.threads);
    lock.unlock();
    lane.join(std::move(taken));
    const int64_t rows = lane.step();
    lock.lock();
    return rows;
  }

  enum class State { free, taken };

  Scheduler& scheduler_;
  State state_ = State::taken;  // guarded by the mutex; the rest belongs to whoever has taken it
  Lane short_, long_;
  int64_t owed_ = 0;  // hypotheses that grew in the short lane since the other's last step
  int64_t last_long_step_ = 0;  // hypotheses that grew in it
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
  waiting_short_.give_up(closed());
  waiting_long_.give_up(closed());
}

void Scheduler::submit(std::vector<SentenceTask> tasks) {
  if (tasks.empty()) return;
  int64_t cost = 0;
  std::list<SentenceGroup> group(1);
  for (SentenceTask& task : tasks) {
    cost += cost_of(task);
    group.front().push_back({std::move(task)});
  }
  const bool is_short = cost * short_calls_in_a_session <= options_.capacity;
  {
    const std::lock_guard lock(mutex_);
    (is_short ? waiting_short_ : waiting_long_).add(std::move(group));
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
