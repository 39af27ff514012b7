#include "heed/base/workers.h"

#include <sched.h>

#include <utility>

namespace heed {

int core_count() {
  cpu_set_t usable;
  if (::sched_getaffinity(0, sizeof(usable), &usable) == 0) return CPU_COUNT(&usable);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Workers::Workers(int count) {
  require(count >= 1, "workers: {} threads but at least 1 was expected", count);
  try {
    threads_.reserve(static_cast<size_t>(count));
    for (int worker = 1; worker < count; ++worker)
      threads_.push_back(
          starting_threads([&] { return std::thread([this, worker] { wait_for_work(worker); }); }));
  } catch (...) {
    close();
    throw;
  }
}

Workers::~Workers() { close(); }

void Workers::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::run(int64_t tasks, const Task& task) {
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    tasks_ = tasks;
    next_ = 0;
    busy_ = count();
    ++round_;
  }
  begin_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  end_.wait(lock, [this] { return busy_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Workers::wait_for_work(int worker) {
  int64_t done = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return closing_ || round_ > done; });
      if (closing_) return;
      done = round_;
    }
    work(worker);
  }
}

void Workers::work(int worker) {
  for (int64_t task = next_++; task < tasks_; task = next_++) {
    try {
      (*task_)(task, worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = tasks_;
    }
  }
  const std::lock_guard lock(mutex_);
  if (--busy_ == 0) end_.notify_all();
}

}  // namespace heed
