#include "heed/training/weight_arrival.h"

#include <algorithm>

#include "heed/training/flat_blocks.h"

namespace heed {

WeightArrival::WeightArrival(std::span<float> weights, Communicator& ranks,
                             std::span<const Range> tables)
    : weights_(weights),
      ranks_(ranks),
      ownership_(static_cast<int64_t>(weights.size()), ranks),
      order_(in_order_of_use(ownership_, tables)),
      arrived_(ownership_.stripes()),
      is_there_(order_.size(), true) {}

void WeightArrival::expect() {
  if (ranks_.size() == 1) return;
  needs_.clear();
  is_there_.assign(order_.size(), false);
  has_needs_ = false;
  arrived_ = 0;
}

void WeightArrival::receive(Waiting waiting, std::span<const std::vector<Range>> needs) {
  const auto note = [&](auto change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  };
  try {
    if (!is_complete() && !needs.empty()) receive_needs(needs, waiting);
    note([&] { has_needs_ = true; });
    while (!is_complete()) {
      const int64_t stripe = order_[static_cast<size_t>(arrived_)];
      receive_stripe(stripe, waiting);
      note([&] {
        is_there_[static_cast<size_t>(stripe)] = true;
        ++arrived_;
      });
    }
  } catch (...) {
    note([&] { failure_ = std::current_exception(); });
    throw;
  }
}

// The parts that a rank owns of what another one needs go in one message.
void WeightArrival::receive_needs(std::span<const std::vector<Range>> needs, Waiting waiting) {
  const std::vector<Range>& mine = needs[static_cast<size_t>(ranks_.rank())];
  std::vector<std::vector<float>> sent, received;
  std::vector<std::vector<Range>> parts;
  std::vector<OutgoingMessage> out;
  std::vector<IncomingMessage> in;
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    if (rank == ranks_.rank()) continue;
    std::vector<float>& numbers = sent.emplace_back();
    for (const Range& part :
         ownership_.parts_within(needs[static_cast<size_t>(rank)], ranks_.rank())) {
      const std::span<const float> from = part_of(weights_, part);
      numbers.insert(numbers.end(), from.begin(), from.end());
    }
    if (!numbers.empty()) out.push_back({rank, std::as_bytes(std::span(numbers))});
    parts.push_back(ownership_.parts_within(mine, rank));
    int64_t size = 0;
    for (const Range& part : parts.back()) size += part.size();
    received.emplace_back(static_cast<size_t>(size));
    if (size > 0) in.push_back({rank, std::as_writable_bytes(std::span(received.back()))});
  }
  ranks_.exchange(out, in, waiting);
  for (size_t i = 0; i < parts.size(); ++i) {
    int64_t begin = 0;
    for (const Range& part : parts[i]) {
      const std::span<const float> from(received[i]);
      std::ranges::copy(part_of(from, {begin, begin + part.size()}),
                        part_of(weights_, part).begin());
      begin += part.size();
    }
  }
  needs_ = mine;
}

// What this rank has needed is being read already, so that only the rest is written.
void WeightArrival::receive_stripe(int64_t stripe, Waiting waiting) {
  const Range whole = ownership_.stripe(stripe), own = ownership_.part(stripe, ranks_.rank());
  const auto first = std::ranges::upper_bound(needs_, whole.begin, {}, &Range::end);
  const bool straight = first == needs_.end() || first->begin >= whole.end;
  std::vector<float> beside(straight ? 0 : static_cast<size_t>(whole.size()));
  std::vector<OutgoingMessage> out;
  std::vector<IncomingMessage> in;
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    if (rank == ranks_.rank()) continue;
    const Range theirs = ownership_.part(stripe, rank);
    if (own.size() > 0) out.push_back({rank, std::as_bytes(part_of(weights_, own))});
    if (theirs.size() == 0) continue;
    const Range place = {theirs.begin - whole.begin, theirs.end - whole.begin};
    in.push_back({rank, std::as_writable_bytes(straight ? part_of(weights_, theirs)
                                                        : part_of(std::span(beside), place))});
  }
  if (!out.empty() || !in.empty()) ranks_.exchange(out, in, waiting);
  if (straight) return;
  put(part_of(std::span<const float>(beside), {0, own.begin - whole.begin}),
      {whole.begin, own.begin});
  put(part_of(std::span<const float>(beside), {own.end - whole.begin, whole.size()}),
      {own.end, whole.end});
}

// Copies what arrived around what was needed.
void WeightArrival::put(std::span<const float> arrived, const Range& numbers) {
  int64_t begin = numbers.begin;
  const auto copy_to = [&](int64_t end) {
    if (begin >= end) return;
    std::ranges::copy(part_of(arrived, {begin - numbers.begin, end - numbers.begin}),
                      part_of(weights_, {begin, end}).begin());
  };
  auto need = std::ranges::upper_bound(needs_, numbers.begin, {}, &Range::end);
  for (; need != needs_.end() && need->begin < numbers.end; ++need) {
    copy_to(need->begin);
    begin = std::max(begin, need->end);
  }
  copy_to(numbers.end);
}

void WeightArrival::wait_until(const auto& is_there) {
  if (is_complete()) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || is_there(); });
  if (failure_) std::rethrow_exception(failure_);
}

void WeightArrival::wait_for(const Range& numbers) {
  if (numbers.size() == 0) return;
  wait_until([&] {
    for (int64_t i = ownership_.stripe_with(numbers.begin);
         i <= ownership_.stripe_with(numbers.end - 1); ++i)
      if (!is_there_[static_cast<size_t>(i)]) return false;
    return true;
  });
}

void WeightArrival::wait_for_needs() {
  wait_until([&] { return has_needs_; });
}

}  // namespace heed
