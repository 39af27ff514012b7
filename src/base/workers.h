// Threads that share a list of tasks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "heed/base/error.h"

namespace heed {

// The cores of this machine that the process may use; at least 1.
int core_count();

// What start() gives, which starts threads. An Error if the system has none to give.
template <typename Start>
auto starting_threads(Start&& start) {
  try {
    return start();
  } catch (const std::system_error& refusal) {
    fail(ErrorKind::system,
         "a thread cannot be started: {} (too little memory, or too many threads)",
         refusal.code().message());
  }
}

// A fixed number of workers; the thread that calls `run` is one of them. Which worker does which
// task is not determined, so a result must not depend on it.
class Workers {
 public:
  using Task = std::function<void(int64_t task, int worker)>;

  explicit Workers(int count);  // an Error if the system gives no more threads
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  int count() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls task(i, worker) for every i in [0, tasks) and returns when all are done. The first
  // exception of a task is rethrown here, and tasks that have not started by then are skipped. Not
  // to be called from a task.
  void run(int64_t tasks, const Task& task);

 private:
  void close();
  void wait_for_work(int worker);
  void work(int worker);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begin_, end_;
  const Task* task_ = nullptr;  // what is being run
  int64_t tasks_ = 0;
  std::atomic<int64_t> next_ = 0;
  int64_t round_ = 0;  // of calls to run
  int busy_ = 0;
  bool closing_ = false;
  std::exception_ptr failure_;
};

}  // namespace heed
