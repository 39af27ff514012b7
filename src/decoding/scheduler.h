// Threads that translate the sentences of any number of callers in shared steps.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "heed/decoding/session.h"

namespace heed {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

// A sentence, and what is to happen when it is done. `done` is called once, by one of the threads
// or by a caller who works, and does not throw. A sentence that is stopped, or not done at its
// deadline, is given up with an Error.
struct SentenceTask {
  Request request;
  std::function<void(std::vector<Hypothesis>, std::exception_ptr)> done;
  std::stop_token stop = {};
  Deadline deadline = {};
};

struct SchedulerOptions {
  int threads = 1;
  // Source tokens that a thread translates at once; sentences with very many hypotheses count more.
  // More keep the CPU busier, fewer keep it in its caches.
  int64_t capacity = 512;
};

// Each thread has a session. Sentences join one as soon as it has room for them.
class Scheduler {
 public:
  Scheduler(std::shared_ptr<const Generator> model, const SentenceBounds& bounds,
            const SchedulerOptions& options);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  // Gives up what is not done.
  ~Scheduler();

  // The sentences of one caller, which are begun in their order. Callers take turns, so that one
  // with many sentences does not keep another from its few. From any thread.
  void submit(std::vector<SentenceTask> tasks);

  // For a caller who would otherwise wait: if a thread has nothing to do, its work on what was
  // submitted is done here, without waking it. Returns when is_done says so, or earlier.
  void work_until(const std::function<bool()>& is_done);

 private:
  class Worker;
  // A task never moves, only its place in lists does: so the threads, which have nobody to throw
  // to, need no memory to hand tasks on.
  struct Sentence {
    SentenceTask task;
    Session::Id id = 0;  // in its session, once it has joined one
  };
  using Group = std::list<Sentence>;  // of one call

  void close();

  std::shared_ptr<const Generator> model_;
  SentenceBounds bounds_;
  SchedulerOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex:
  std::list<Group> waiting_;
  int64_t waiting_cost_ = 0;
  bool closing_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace heed
