#include "heed/decoding/lane.h"

#include <algorithm>
#include <utility>

namespace heed {

namespace {

// Why a sentence need not be translated any more; null if it must.
std::exception_ptr reason_to_stop(const SentenceTask& task) noexcept {
  if (task.stop.stop_requested())
    return error_saying("translator: the request was cancelled", ErrorKind::cancelled);
  if (task.deadline && std::chrono::steady_clock::now() >= *task.deadline)
    return error_saying("translator: the request was not done before its deadline",
                        ErrorKind::deadline);
  return nullptr;
}

}  // namespace

int64_t cost_of(const SentenceTask& task) {
  constexpr int64_t usual_hypotheses = 8;
  const SearchOptions& options = *task.request.options;
  const int64_t hypotheses = options.sampling ? options.n_best : options.beam;
  const auto tokens = std::max<int64_t>(1, static_cast<int64_t>(task.request.source.size()));
  return tokens * std::max(usual_hypotheses, hypotheses) / usual_hypotheses;
}

std::exception_ptr error_saying(const char* why, ErrorKind kind) noexcept {
  try {
    throw Error(why, kind);
  } catch (...) {
    return std::current_exception();
  }
}

void WaitingSentences::add(std::list<SentenceGroup>&& group) noexcept {
  for (const ScheduledSentence& sentence : group.front()) cost_ += cost_of(sentence.task);
  groups_.splice(groups_.end(), group);
}

SentenceGroup WaitingSentences::take(int64_t load, int64_t capacity, int sessions) noexcept {
  SentenceGroup taken;
  const int64_t free = capacity - load;
  const int64_t some = capacity / 4;
  if (load > 0 && cost_ > free && free < some) return taken;
  const int64_t share = std::min({free, some, cost_ / sessions + 1});
  int64_t cost = 0;
  while (!groups_.empty()) {
    SentenceGroup& group = groups_.front();
    const int64_t next = cost_of(group.front().task);
    // One that is larger than the capacity goes alone.
    const bool fits = cost == 0 ? load == 0 || next <= free : cost + next <= share;
    if (!fits) break;
    taken.splice(taken.end(), group, group.begin());
    if (group.empty())
      groups_.pop_front();
    else
      groups_.splice(groups_.end(), groups_, groups_.begin());
    cost += next;
  }
  cost_ -= cost;
  return taken;
}

void WaitingSentences::give_up(const std::exception_ptr& reason) {
  for (SentenceGroup& group : groups_)
    for (ScheduledSentence& sentence : group) sentence.task.done({}, reason);
  groups_.clear();
  cost_ = 0;
}

void Lane::join(SentenceGroup taken) {
  while (!taken.empty()) join_first(taken);
}

void Lane::join_first(SentenceGroup& taken) {
  ScheduledSentence& first = taken.front();
  std::exception_ptr reason = reason_to_stop(first.task);
  try {
    if (!reason) first.id = session_.add(first.task.request);
  } catch (...) {
    reason = std::current_exception();
  }
  if (reason) {
    first.task.done({}, reason);
    taken.pop_front();
  } else {
    load_ += cost_of(first.task);
    running_.splice(running_.end(), taken, taken.begin());
  }
}

Lane::Running Lane::leave(Running sentence, std::vector<Hypothesis> found,
                          const std::exception_ptr& error) {
  load_ -= cost_of(sentence->task);
  sentence->task.done(std::move(found), error);
  return running_.erase(sentence);
}

void Lane::stop_sentences() {
  for (auto at = running_.begin(); at != running_.end();) {
    const std::exception_ptr reason = reason_to_stop(at->task);
    if (!reason) {
      ++at;
      continue;
    }
    session_.cancel(at->id);
    at = leave(at, {}, reason);
  }
}

int64_t Lane::step() {
  stop_sentences();
  const int64_t rows = session_.rows();
  try {
    session_.step();
  } catch (...) {
    give_up(std::current_exception());
  }
  for (Session::Finished& finished : session_.take_finished()) {
    const auto found = std::ranges::find(running_, finished.id, &ScheduledSentence::id);
    leave(found, std::move(finished.hypotheses), finished.error);
  }
  return rows;
}

void Lane::give_up(const std::exception_ptr& reason) {
  for (ScheduledSentence& sentence : running_) sentence.task.done({}, reason);
  running_.clear();
  load_ = 0;
}

}  // namespace heed
