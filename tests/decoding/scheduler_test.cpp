#include "heed/decoding/scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "chain_model.h"
#include "error_of.h"

namespace heed {
namespace {

using testing::ChainModel;
using testing::error_of;

// The sentence and the kind of what became of a task.
void expect_given_up(std::future<std::vector<Hypothesis>>& outcome, ErrorKind kind,
                     const std::string& sentence) {
  try {
    outcome.get();
    ADD_FAILURE() << "it was done";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), sentence);
    EXPECT_EQ(error.kind(), kind);
  }
}

constexpr int64_t vocabulary = 9;
constexpr SentenceBounds bounds = {.start = vocabulary - 1, .end = 0};

std::shared_ptr<const ChainModel> chain_model() {
  return std::make_shared<const ChainModel>(vocabulary);
}

Request request_of(int32_t word, const SearchOptions& options = {.beam = 2, .max_length = 6}) {
  return {.source = {word, 0}, .options = std::make_shared<const SearchOptions>(options)};
}

// A task whose outcome can be waited for.
struct Awaited {
  SentenceTask task;
  std::future<std::vector<Hypothesis>> outcome;
};

Awaited awaited(Request request) {
  const auto promise = std::make_shared<std::promise<std::vector<Hypothesis>>>();
  Awaited result = {{.request = std::move(request), .done = nullptr}, promise->get_future()};
  result.task.done = [promise](std::vector<Hypothesis> found, std::exception_ptr error) {
    if (error)
      promise->set_exception(error);
    else
      promise->set_value(std::move(found));
  };
  return result;
}

void submit_one(Scheduler& scheduler, SentenceTask task) {
  std::vector<SentenceTask> tasks;
  tasks.push_back(std::move(task));
  scheduler.submit(std::move(tasks));
}

TEST(Scheduler, GivesEachCallerItsOwn) {
  const auto model = chain_model();
  for (const int threads : {1, 2, 4})
    for (const int64_t capacity : {1, 10, 1000}) {
      Scheduler scheduler(model, bounds, {.threads = threads, .capacity = capacity});
      std::vector<std::thread> callers;
      std::atomic<int> right = 0;
      for (int32_t word = 1; word < 8; ++word)
        callers.emplace_back([&, word] {
          const auto expected = search_translations(
              *model, join_sentences(std::vector<std::vector<int32_t>>{{word, 0}}), bounds,
              {.beam = 2, .max_length = 6});
          for (int i = 0; i < 20; ++i) {
            Awaited one = awaited(request_of(word));
            submit_one(scheduler, std::move(one.task));
            right += one.outcome.get()[0].ids == expected[0][0].ids;
          }
        });
      for (std::thread& caller : callers) caller.join();
      EXPECT_EQ(right, 7 * 20);
    }
}

// Callers that work while they wait, beside the threads and each other.
TEST(Scheduler, CallersMayWork) {
  const auto model = chain_model();
  for (const int threads : {1, 3}) {
    Scheduler scheduler(model, bounds, {.threads = threads, .capacity = 10});
    std::vector<std::thread> callers;
    std::atomic<int> right = 0, by_callers = 0;
    for (int32_t word = 1; word < 8; ++word)
      callers.emplace_back([&, word] {
        const auto expected = search_translations(
            *model, join_sentences(std::vector<std::vector<int32_t>>{{word, 0}}), bounds,
            {.beam = 2, .max_length = 6});
        for (int i = 0; i < 100; ++i) {
          const auto result = std::make_shared<std::promise<bool>>();
          std::future<bool> outcome = result->get_future();
          submit_one(scheduler, {.request = request_of(word),
                                 .done = [&, result, here = std::this_thread::get_id()](
                                             std::vector<Hypothesis> found, std::exception_ptr) {
                                   by_callers += std::this_thread::get_id() == here;
                                   result->set_value(found[0].ids == expected[0][0].ids);
                                 }});
          scheduler.work_until([&] {
            return outcome.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
          });
          right += outcome.get();
        }
      });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(right, 7 * 100);
    EXPECT_GT(by_callers, 0);
  }
}

// A caller with very many sentences does not keep another from its only one.
TEST(Scheduler, CallersTakeTurns) {
  Scheduler scheduler(chain_model(), bounds, {.threads = 1, .capacity = 4});
  std::atomic<int> done = 0, done_before = 0;
  std::vector<SentenceTask> many;
  for (int i = 0; i < 500; ++i)
    many.push_back({.request = request_of(1 + i % 7),
                    .done = [&](std::vector<Hypothesis>, std::exception_ptr) { ++done; }});
  scheduler.submit(std::move(many));
  Awaited one = awaited(request_of(3));
  auto tell = std::move(one.task.done);
  one.task.done = [&](std::vector<Hypothesis> found, std::exception_ptr error) {
    done_before = done.load();
    tell(std::move(found), error);
  };
  submit_one(scheduler, std::move(one.task));
  one.outcome.get();
  EXPECT_LT(done_before, 400);
}

// With room for long sentences only when one has ended, a short call does not wait for that.
TEST(Scheduler, ShortCallsOvertakeLongOnes) {
  Scheduler scheduler(chain_model(), bounds, {.threads = 1, .capacity = 32});
  const SearchOptions long_search = {.beam = 1, .max_length = 2000, .min_length = 1999};
  Request long_request = request_of(1, long_search);
  long_request.source = std::vector<int32_t>(30, 1);
  std::atomic<int> long_ones_done = 0;
  int done_before = -1;
  Awaited short_one = awaited(request_of(3));
  auto tell = std::move(short_one.task.done);
  short_one.task.done = [&](std::vector<Hypothesis> found, std::exception_ptr error) {
    done_before = long_ones_done;
    tell(std::move(found), error);
  };
  std::vector<SentenceTask> many;
  // The first of the long call ends at once, on the thread that then has the second.
  many.push_back(
      {.request = request_of(2), .done = [&](std::vector<Hypothesis>, std::exception_ptr) {
         submit_one(scheduler, std::move(short_one.task));
       }});
  for (int i = 0; i < 3; ++i)
    many.push_back(
        {.request = long_request,
         .done = [&](std::vector<Hypothesis>, std::exception_ptr) { ++long_ones_done; }});
  scheduler.submit(std::move(many));
  EXPECT_FALSE(short_one.outcome.get().empty());
  EXPECT_EQ(done_before, 0);
}

// However many short calls there are, a long one comes to its end.
TEST(Scheduler, ShortCallsLeaveTimeForLongOnes) {
  Scheduler scheduler(chain_model(), bounds, {.threads = 1, .capacity = 32});
  std::atomic<bool> is_done = false;
  std::promise<int> ended;
  int short_ones = 0;
  std::function<void()> submit_next = [&] {
    submit_one(scheduler,
               {.request = request_of(3), .done = [&](std::vector<Hypothesis>, std::exception_ptr) {
                  if (++short_ones < 100'000 && !is_done)
                    submit_next();
                  else
                    ended.set_value(short_ones);
                }});
  };
  std::vector<SentenceTask> many;
  for (int i = 0; i < 5; ++i) many.push_back({.request = request_of(2), .done = [](auto, auto) {}});
  many.back().done = [&](std::vector<Hypothesis>, std::exception_ptr) { is_done = true; };
  submit_next();
  scheduler.submit(std::move(many));
  EXPECT_LT(ended.get_future().get(), 100'000);
}

TEST(Scheduler, GivesUpWhatIsCancelled) {
  Scheduler scheduler(chain_model(), bounds, {});
  std::stop_source stop;
  // It would go on for long.
  Awaited endless =
      awaited(request_of(1, {.beam = 1, .max_length = 1'000'000, .min_length = 999'999}));
  endless.task.stop = stop.get_token();
  Awaited short_one = awaited(request_of(2));
  submit_one(scheduler, std::move(endless.task));
  submit_one(scheduler, std::move(short_one.task));
  EXPECT_FALSE(short_one.outcome.get().empty());
  stop.request_stop();
  expect_given_up(endless.outcome, ErrorKind::cancelled, "translator: the request was cancelled");
  Awaited never = awaited(request_of(1));
  never.task.stop = stop.get_token();
  submit_one(scheduler, std::move(never.task));
  expect_given_up(never.outcome, ErrorKind::cancelled, "translator: the request was cancelled");
}

TEST(Scheduler, GivesUpWhatIsNotDoneInTime) {
  Scheduler scheduler(chain_model(), bounds, {});
  Awaited endless =
      awaited(request_of(1, {.beam = 1, .max_length = 1'000'000, .min_length = 999'999}));
  endless.task.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  submit_one(scheduler, std::move(endless.task));
  expect_given_up(endless.outcome, ErrorKind::deadline,
                  "translator: the request was not done before its deadline");
}

TEST(Scheduler, GivesUpWhatIsLeftWhenItGoes) {
  std::vector<std::future<std::vector<Hypothesis>>> outcomes;
  {
    Scheduler scheduler(chain_model(), bounds, {.threads = 2, .capacity = 2});
    for (int i = 0; i < 10; ++i) {
      Awaited endless =
          awaited(request_of(1, {.beam = 1, .max_length = 1'000'000, .min_length = 999'999}));
      outcomes.push_back(std::move(endless.outcome));
      submit_one(scheduler, std::move(endless.task));
    }
  }
  for (auto& outcome : outcomes)
    expect_given_up(outcome, ErrorKind::cancelled,
                    "translator: it was closed before the request was done");
}

TEST(Scheduler, AnErrorEndsItsSentenceOnly) {
  Scheduler scheduler(chain_model(), bounds, {});
  Request bad = request_of(1);
  bad.prefix = {99};
  Awaited wrong = awaited(bad), right = awaited(request_of(1));
  submit_one(scheduler, std::move(wrong.task));
  submit_one(scheduler, std::move(right.task));
  EXPECT_EQ(error_of([&] { wrong.outcome.get(); }),
            "search: id 99 is in a prefix, but the vocabulary has 9");
  EXPECT_FALSE(right.outcome.get().empty());
}

TEST(Scheduler, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { Scheduler(chain_model(), bounds, {.threads = 0}); }),
            "translator: 0 threads but at least 1 was expected");
  EXPECT_EQ(error_of([] { Scheduler(chain_model(), bounds, {.capacity = 0}); }),
            "translator: batches of 0 tokens but at least 1 was expected");
}

}  // namespace
}  // namespace heed
