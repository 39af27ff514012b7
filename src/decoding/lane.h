// Sentences that wait for a session, and sentences that are in one.
#pragma once

#include <exception>
#include <list>

#include "heed/base/error.h"
#include "heed/decoding/sentence_task.h"
#include "heed/decoding/session.h"

namespace heed {

// A task never moves, only its place in lists does: so the threads, which have nobody to throw to,
// need no memory to hand tasks on.
struct ScheduledSentence {
  SentenceTask task;
  Session::Id id = 0;  // in its session, once it has joined one
};
using SentenceGroup = std::list<ScheduledSentence>;

// What a sentence takes of a session's capacity.
int64_t cost_of(const SentenceTask& task);

// An Error, or bad_alloc if there is no memory for the sentence.
std::exception_ptr error_saying(const char* why, ErrorKind kind) noexcept;

// The groups are those of calls, which take turns.
class WaitingSentences {
 public:
  bool empty() const { return groups_.empty(); }

  // A list with one group.
  void add(std::list<SentenceGroup>&& group) noexcept;

  // Those that join a session with this load, one of so many. Few at a time would keep the encoder
  // from working on many sentences at once, so that a busy session waits until it has room for
  // some, unless all that wait fit in. Many at a time would make the step a long one, and others
  // wait for it. Where little waits, each session takes its share.
  SentenceGroup take(int64_t load, int64_t capacity, int sessions) noexcept;

  void give_up(const std::exception_ptr& reason);

 private:
  std::list<SentenceGroup> groups_;
  int64_t cost_ = 0;
};

// A session with its sentences. Only what the session does can throw.
class Lane {
 public:
  Lane(const Generator& model, const SentenceBounds& bounds) : session_(model, bounds) {}

  bool empty() const { return running_.empty(); }
  int64_t load() const { return load_; }  // the cost of all that is running

  // Whoever need not be translated any more leaves.
  void join(SentenceGroup taken);
  // Returns how many hypotheses have grown, which tells what the step has cost.
  int64_t step();
  void give_up(const std::exception_ptr& reason);

 private:
  using Running = SentenceGroup::iterator;

  void join_first(SentenceGroup& taken);
  // Gives the next of those that are running.
  Running leave(Running sentence, std::vector<Hypothesis> found, const std::exception_ptr& error);
  void stop_sentences();

  Session session_;
  SentenceGroup running_;
  int64_t load_ = 0;
};

}  // namespace heed
