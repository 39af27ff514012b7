#include "heed/decoding/lane.h"

#include <gtest/gtest.h>

#include "chain_model.h"

namespace heed {
namespace {

using testing::ChainModel;

constexpr int64_t vocabulary = 9;
constexpr SentenceBounds bounds = {.start = vocabulary - 1, .end = 0};

SentenceTask task_of(
    int64_t tokens, std::function<void(bool)> done = [](bool) {}) {
  static const auto options =
      std::make_shared<const SearchOptions>(SearchOptions{.beam = 2, .max_length = 6});
  SentenceTask task = {.request = {.source = std::vector<int32_t>(static_cast<size_t>(tokens), 1),
                                   .options = options},
                       .done = nullptr};
  task.done = [done = std::move(done)](std::vector<Hypothesis> found, std::exception_ptr error) {
    done(error == nullptr && !found.empty());
  };
  return task;
}

std::list<SentenceGroup> call_of(const std::vector<int64_t>& lengths) {
  std::list<SentenceGroup> call(1);
  for (const int64_t tokens : lengths) call.front().push_back({task_of(tokens)});
  return call;
}

std::vector<size_t> lengths_of(const SentenceGroup& taken) {
  std::vector<size_t> lengths;
  for (const ScheduledSentence& sentence : taken)
    lengths.push_back(sentence.task.request.source.size());
  return lengths;
}

using Lengths = std::vector<size_t>;

TEST(WaitingSentences, CallsTakeTurns) {
  WaitingSentences waiting;
  waiting.add(call_of({3, 4, 5}));
  waiting.add(call_of({6, 7}));
  EXPECT_EQ(lengths_of(waiting.take(0, 1000, 1)), (Lengths{3, 6, 4, 7, 5}));
  EXPECT_TRUE(waiting.empty());
}

TEST(WaitingSentences, AQuarterOfTheCapacityJoinsAtATime) {
  WaitingSentences waiting;
  waiting.add(call_of({10, 10, 10, 10, 10}));
  EXPECT_EQ(lengths_of(waiting.take(0, 80, 1)), (Lengths{10, 10}));
  EXPECT_EQ(lengths_of(waiting.take(20, 80, 1)), (Lengths{10, 10}));
}

TEST(WaitingSentences, ABusySessionWaitsUntilItHasRoomForSome) {
  WaitingSentences waiting;
  waiting.add(call_of({10, 10, 10}));
  EXPECT_EQ(lengths_of(waiting.take(65, 80, 1)), Lengths{});  // fewer than a quarter is free
  EXPECT_EQ(lengths_of(waiting.take(60, 80, 1)), (Lengths{10, 10}));
  EXPECT_EQ(lengths_of(waiting.take(70, 80, 1)), Lengths{10});  // all that wait fit in
}

TEST(WaitingSentences, OneLargerThanTheCapacityGoesAlone) {
  WaitingSentences waiting;
  waiting.add(call_of({100, 1}));
  EXPECT_EQ(lengths_of(waiting.take(1, 80, 1)), Lengths{});
  EXPECT_EQ(lengths_of(waiting.take(0, 80, 1)), Lengths{100});
}

TEST(WaitingSentences, SessionsShareWhatIsLittle) {
  WaitingSentences waiting;
  waiting.add(call_of({5, 5, 5, 5}));
  EXPECT_EQ(lengths_of(waiting.take(0, 400, 2)), (Lengths{5, 5}));
}

TEST(Lane, CountsItsLoadAndWhatItsStepsCost) {
  const ChainModel model(vocabulary);
  Lane lane(model, bounds);
  int done = 0;
  SentenceGroup group;
  for (int i = 0; i < 3; ++i) group.push_back({task_of(4, [&](bool fine) { done += fine; })});
  lane.join(std::move(group));
  EXPECT_EQ(lane.load(), 12);
  EXPECT_EQ(lane.step(), 3);  // the first step has one hypothesis each
  EXPECT_EQ(lane.step(), 6);
  while (!lane.empty()) lane.step();
  EXPECT_EQ(done, 3);
  EXPECT_EQ(lane.load(), 0);
}

TEST(Lane, WhoeverIsCancelledLeaves) {
  const ChainModel model(vocabulary);
  Lane lane(model, bounds);
  std::stop_source stop;
  int fine = 0, given_up = 0;
  SentenceGroup group;
  for (int i = 0; i < 2; ++i)
    group.push_back({task_of(4, [&](bool found) { ++(found ? fine : given_up); })});
  group.front().task.stop = stop.get_token();
  lane.join(std::move(group));
  lane.step();
  stop.request_stop();
  lane.step();
  EXPECT_EQ(given_up, 1);
  EXPECT_EQ(lane.load(), 4);
  lane.give_up(error_saying("enough", ErrorKind::cancelled));
  EXPECT_EQ(given_up, 2);
  EXPECT_EQ(fine, 0);
  EXPECT_TRUE(lane.empty());
}

}  // namespace
}  // namespace heed
