#include "heed/decoding/scheduler.h"

#include <algorithm>
#include <map>
#include <utility>

#include "heed/base/error.h"

namespace heed {

namespace {

// What a sentence takes of a session's capacity.
int64_t cost_of(const SentenceTask& task) {
  constexpr int64_t usual_hypotheses = 8;
  const SearchOptions& options = *task.request.options;
  const int64_t hypotheses = options.sampling ? options.n_best : options.beam;
  return static_cast<int64_t>(task.request.source.size()) * std::max(usual_hypotheses, hypotheses) /
         usual_hypotheses;
}

std::exception_ptr error_saying(const char* why, ErrorKind kind) {
  return std::make_exception_ptr(Error(why, kind));
}

// Why a sentence need not be translated any more; null if it must.
std::exception_ptr reason_to_stop(const SentenceTask& task) {
  if (task.stop.stop_requested())
    return error_saying("translator: the request was cancelled", ErrorKind::cancelled);
  if (task.deadline && std::chrono::steady_clock::now() >= *task.deadline)
    return error_saying("translator: the request was not done before its deadline",
                        ErrorKind::deadline);
  return nullptr;
}

}  // namespace

// One thread and its session.
class Scheduler::Worker {
 public:
  explicit Worker(Scheduler& scheduler)
      : scheduler_(scheduler), session_(*scheduler.model_, scheduler.bounds_) {}

  void run() {
    while (take_sentences()) {
      stop_sentences();
      step();
    }
    give_up(error_saying("translator: it was closed before the request was done",
                         ErrorKind::cancelled));
  }

 private:
  // Waits until there is something to do; false if the scheduler closes.
  bool take_sentences() {
    std::vector<SentenceTask> taken;
    {
      std::unique_lock lock(scheduler_.mutex_);
      scheduler_.changed_.wait(lock, [&] {
        return scheduler_.closing_ || !running_.empty() || !scheduler_.waiting_.empty();
      });
      if (scheduler_.closing_) return false;
      taken = choose_sentences();
    }
    for (SentenceTask& task : taken) join(std::move(task));
    return true;
  }

  void give_up(const std::exception_ptr& reason) {
    for (auto& [id, task] : running_) task.done({}, reason);
    running_.clear();
    load_ = 0;
  }

  // Few at a time would keep the encoder from working on many sentences at once, so that a busy
  // session waits until it has room for some, unless all that wait fit in. Where little waits, each
  // thread takes its share.
  std::vector<SentenceTask> choose_sentences() {
    std::vector<SentenceTask> taken;
    const int64_t capacity = scheduler_.options_.capacity, waiting = scheduler_.waiting_cost_;
    const int64_t free = capacity - load_;
    if (load_ > 0 && waiting > free && free < capacity / 4) return taken;
    const int64_t share = std::min(free, waiting / scheduler_.options_.threads + 1);
    int64_t cost = 0;
    while (!scheduler_.waiting_.empty()) {
      Group group = std::move(scheduler_.waiting_.front());
      const int64_t next = cost_of(group.front());
      // One that is larger than the capacity goes alone.
      const bool fits = cost == 0 ? load_ == 0 || next <= free : cost + next <= share;
      if (!fits) {
        scheduler_.waiting_.front() = std::move(group);
        break;
      }
      scheduler_.waiting_.pop_front();
      taken.push_back(std::move(group.front()));
      group.pop_front();
      if (!group.empty()) scheduler_.waiting_.push_back(std::move(group));
      cost += next;
    }
    scheduler_.waiting_cost_ -= cost;
    return taken;
  }

  void join(SentenceTask task) {
    if (const std::exception_ptr reason = reason_to_stop(task)) return task.done({}, reason);
    try {
      const Session::Id id = session_.add(task.request);
      load_ += cost_of(task);
      running_.emplace(id, std::move(task));
    } catch (...) {
      task.done({}, std::current_exception());
    }
  }

  void stop_sentences() {
    for (auto at = running_.begin(); at != running_.end();) {
      const std::exception_ptr reason = reason_to_stop(at->second);
      if (!reason) {
        ++at;
        continue;
      }
      session_.cancel(at->first);
      load_ -= cost_of(at->second);
      at->second.done({}, reason);
      at = running_.erase(at);
    }
  }

  void step() {
    try {
      session_.step();
    } catch (...) {
      give_up(std::current_exception());
    }
    for (Session::Finished& finished : session_.take_finished()) {
      const auto found = running_.find(finished.id);
      load_ -= cost_of(found->second);
      found->second.done(std::move(finished.hypotheses), finished.error);
      running_.erase(found);
    }
  }

  Scheduler& scheduler_;
  Session session_;
  std::map<Session::Id, SentenceTask> running_;
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
    for (const auto& worker : workers_) threads_.emplace_back([&] { worker->run(); });
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
    for (SentenceTask& task : group)
      task.done({}, error_saying("translator: it was closed before the request was done",
                                 ErrorKind::cancelled));
}

void Scheduler::submit(std::vector<SentenceTask> tasks) {
  if (tasks.empty()) return;
  int64_t cost = 0;
  for (const SentenceTask& task : tasks) cost += cost_of(task);
  {
    const std::lock_guard lock(mutex_);
    waiting_.emplace_back(std::make_move_iterator(tasks.begin()),
                          std::make_move_iterator(tasks.end()));
    waiting_cost_ += cost;
  }
  changed_.notify_all();
}

}  // namespace heed
