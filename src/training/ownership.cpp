#include "heed/training/ownership.h"

#include <algorithm>

#include "heed/base/round_up.h"
#include "heed/training/flat_blocks.h"

namespace heed {

namespace {

// 4 MB of float32: long enough that messages cost their bytes, short enough that the first of them
// leaves early.
constexpr int64_t usual_stripe = 64;  // blocks

}  // namespace

Ownership::Ownership(int64_t numbers, int rank, int ranks)
    : numbers_(numbers),
      rank_(rank),
      ranks_(ranks),
      stripe_blocks_(round_up(usual_stripe, static_cast<int64_t>(ranks))),
      stripes_(divide_up(heed::blocks_of(numbers), stripe_blocks_)) {
  for (int64_t index = 0; index < stripes_; ++index) {
    const Range mine = part(index, rank);
    stored_.push_back({owned_, owned_ + mine.size()});
    for (int64_t begin = mine.begin; begin < mine.end; begin += block_size) {
      const int64_t end = std::min(begin + block_size, mine.end);
      const int64_t place = owned_ + begin - mine.begin;
      blocks_.push_back({begin / block_size, {begin, end}, {place, place + end - begin}});
    }
    owned_ += mine.size();
  }
}

int64_t Ownership::stripe_with(int64_t number) const {
  return number / (stripe_blocks_ * block_size);
}

Range Ownership::stripe(int64_t index) const {
  const int64_t size = stripe_blocks_ * block_size;
  return {index * size, std::min((index + 1) * size, numbers_)};
}

Range Ownership::part(int64_t stripe, int rank) const {
  const Range whole = this->stripe(stripe);
  const Range blocks = share_of(heed::blocks_of(whole.size()), rank, ranks_);
  return {std::min(whole.begin + blocks.begin * block_size, whole.end),
          std::min(whole.begin + blocks.end * block_size, whole.end)};
}

std::vector<Range> Ownership::parts_within(std::span<const Range> stretches, int rank) const {
  std::vector<Range> parts;
  for (const Range& stretch : stretches) {
    if (stretch.size() == 0) continue;
    for (int64_t i = stripe_with(stretch.begin); i <= stripe_with(stretch.end - 1); ++i) {
      const Range theirs = part(i, rank);
      const Range common = {std::max(stretch.begin, theirs.begin),
                            std::min(stretch.end, theirs.end)};
      if (common.begin < common.end) parts.push_back(common);
    }
  }
  return parts;
}

Range Ownership::stored(int64_t stripe) const { return stored_[static_cast<size_t>(stripe)]; }

void Ownership::gather(Communicator& ranks, std::span<float> whole, const Range& stripes,
                       Waiting waiting) const {
  std::vector<OutgoingMessage> out;
  std::vector<IncomingMessage> in;
  for (int64_t index = stripes.begin; index < stripes.end; ++index) {
    const Range mine = part(index, rank_);
    for (int rank = 0; rank < ranks_; ++rank) {
      if (rank == rank_) continue;
      const Range theirs = part(index, rank);
      if (mine.size() > 0) out.push_back({rank, std::as_bytes(part_of(whole, mine))});
      if (theirs.size() > 0) in.push_back({rank, std::as_writable_bytes(part_of(whole, theirs))});
    }
  }
  if (!out.empty() || !in.empty()) ranks.exchange(out, in, waiting);
}

void Ownership::take(std::span<const float> whole, std::span<float> owned) const {
  for (const Block& block : blocks_)
    std::ranges::copy(part_of(whole, block.numbers), part_of(owned, block.stored).begin());
}

void Ownership::put_back(std::span<const float> owned, std::span<float> whole) const {
  for (const Block& block : blocks_)
    std::ranges::copy(part_of(owned, block.stored), part_of(whole, block.numbers).begin());
}

void Ownership::scatter(Communicator& ranks, std::span<const float> whole,
                        std::span<float> owned) const {
  std::vector<OutgoingMessage> out;
  std::vector<IncomingMessage> in;
  for (int64_t index = 0; index < stripes_; ++index) {
    if (ranks.is_first()) {
      for (int rank = 1; rank < ranks_; ++rank)
        if (const Range theirs = part(index, rank); theirs.size() > 0)
          out.push_back({rank, std::as_bytes(part_of(whole, theirs))});
    } else if (stored(index).size() > 0) {
      in.push_back({0, std::as_writable_bytes(part_of(owned, stored(index)))});
    }
  }
  if (ranks.is_first()) take(whole, owned);
  ranks.exchange(out, in);
}

std::vector<int64_t> in_order_of_use(const Ownership& ownership, std::span<const Range> tables) {
  std::vector<int64_t> order, last;
  for (int64_t index = 0; index < ownership.stripes(); ++index) {
    const Range stripe = ownership.stripe(index);
    const bool within = std::ranges::any_of(tables, [&](const Range& table) {
      return stripe.begin >= table.begin && stripe.end <= table.end;
    });
    (within ? last : order).push_back(index);
  }
  order.insert(order.end(), last.begin(), last.end());
  return order;
}

}  // namespace heed
