// One thread for what takes long and is not translating, so that requests do not wait for it.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace heed {

class BackgroundWork {
 public:
  explicit BackgroundWork(size_t most_waiting);
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;
  // What has not begun by then is not done.
  ~BackgroundWork();

  // False if too much is waiting. The task does not throw.
  bool add(std::function<void()> task);

 private:
  void run();

  size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace heed
