// Jobs under memory that fails: what must hold whichever request for memory is refused.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <tuple>

#include "heed/base/error.h"
#include "sweep_size.h"

namespace heed::testing {

// Something to do again and again, with the same result each time.
struct MemoryJob {
  std::function<void()> run;
  std::function<std::string()> result;  // of the last run, told with all the memory it wants
  // Before a run, likewise. Not before one that follows a failure: that has to go on from what the
  // failure left.
  std::function<void()> prepare = [] {};
  int64_t kept_by_threads = 0;  // pieces of memory: which thread gets what is left to chance
};

// What threads keep for their next products and attention, and what decoders do. A piece that is
// lost at every refusal would be more.
inline constexpr int64_t few_pieces = 100;

// The job of finding a text.
template <typename Find>
MemoryJob job_of(Find find) {
  const auto found = std::make_shared<std::string>();
  return {.run = [=] { *found = find(); }, .result = [=] { return *found; }};
}

class MemorySweep {
 public:
  explicit MemorySweep(MemoryJob job) : job_(std::move(job)) {
    ::signal(SIGABRT, tell_of_abort);
    // Twice, because the first run may keep something for those that follow.
    for (int i = 0; i < 2; ++i) {
      job_.prepare();
      job_.run();
    }
    expected_ = job_.result();
    job_.prepare();
    const FailingMemory counting(0, Refusal::once);
    job_.run();
  }

  void run(const SweepSize& size) {
    const int64_t requests = FailingMemory::requests();
    // What the test itself keeps of its first failures is not to be taken for a loss.
    for (const RefusedRequest& request : SweepSize{.every = 1}.of(requests)) survive(request);
    const int64_t open = open_files();
    // A thread that by chance has its first work only now keeps something, too, but not every time.
    int64_t lost = 0;
    for (int sweep = 0; sweep < 3 && (sweep == 0 || lost > job_.kept_by_threads); ++sweep) {
      const int64_t held = pieces_held();
      for (const RefusedRequest& request : size.of(requests)) survive(request);
      lost = pieces_held() - held;
    }
    std::cout << runs_ << " runs in which one of " << requests << " requests was refused, " << done_
              << " of them with all that was wanted\n";
    EXPECT_GT(runs_, done_);
    EXPECT_EQ(open_files(), open);
    EXPECT_LE(lost, job_.kept_by_threads) << "pieces of memory are lost";
  }

 private:
  // Either the job is done as ever, or it says what was wrong; and then it can be done again.
  void survive(const RefusedRequest& request) {
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, request.text());
    ::strncpy(under_way, request.text().c_str(), sizeof(under_way) - 1);
    ++runs_;
    job_.prepare();
    if (is_done(request))
      ++done_;
    else
      job_.run();
    EXPECT_TRUE(job_.result() == expected_) << "another result";
  }

  bool is_done(const RefusedRequest& request) {
    try {
      const FailingMemory failing(request.at, request.refusal);
      job_.run();
      return true;
    } catch (const std::bad_alloc&) {
    } catch (const Error& error) {
      EXPECT_TRUE(names_the_shortage(error.what())) << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "neither an Error nor bad_alloc: " << error.what();
    }
    return false;
  }

  static int64_t open_files() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  }

  // Whoever aborts the program does not tell which request it was.
  static void tell_of_abort(int) {
    std::ignore = ::write(STDERR_FILENO, under_way, ::strlen(under_way));
    ::signal(SIGABRT, SIG_DFL);
  }
  static inline char under_way[256] = {};

  MemoryJob job_;
  std::string expected_;
  int runs_ = 0;
  int done_ = 0;
};

}  // namespace heed::testing
