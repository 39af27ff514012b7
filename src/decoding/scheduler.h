// Threads that translate the sentences of any number of callers in shared steps.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "heed/decoding/lane.h"
#include "heed/decoding/sentence_task.h"

namespace heed {

struct SchedulerOptions {
  int threads = 1;
  // Source tokens that a thread translates at once; sentences with very many hypotheses count more.
  // More keep the CPU busier, fewer keep it in its caches.
  int64_t capacity = 512;
};

// Each thread has two sessions. Sentences join one as soon as it has room for them: those of calls
// with little to do the one for short calls, which goes first, so that nobody waits for a long text
// of another; those of long calls the other one, which always has its share of the time.
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

  bool nothing_waits() const { return waiting_short_.empty() && waiting_long_.empty(); }
  void close();

  std::shared_ptr<const Generator> model_;
  SentenceBounds bounds_;
  SchedulerOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex:
  WaitingSentences waiting_short_, waiting_long_;
  bool closing_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace heed
