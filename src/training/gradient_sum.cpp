#include "heed/training/gradient_sum.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "heed/kernels/arithmetic.h"
#include "heed/kernels/bfloat16.h"
#include "heed/training/flat_blocks.h"

namespace heed {

namespace {

template <typename Number>
using Spans = std::vector<std::span<Number>>;

template <typename Number>
void exchange_numbers(Communicator& ranks, const std::vector<int>& to,
                      const Spans<const Number>& sent, const std::vector<int>& from,
                      const Spans<Number>& received, Waiting waiting) {
  std::vector<OutgoingMessage> out;
  std::vector<IncomingMessage> in;
  for (size_t i = 0; i < to.size(); ++i) out.push_back({to[i], std::as_bytes(sent[i])});
  for (size_t i = 0; i < from.size(); ++i)
    in.push_back({from[i], std::as_writable_bytes(received[i])});
  ranks.exchange(out, in, waiting);
}

void exchange_packed(Communicator& ranks, const std::vector<int>& to,
                     const Spans<const float>& sent, const std::vector<int>& from,
                     const Spans<float>& received, Waiting waiting) {
  std::vector<std::vector<uint16_t>> packed, arrived;
  for (const auto& numbers : sent)
    kernels::pack_bfloat16(numbers, packed.emplace_back(numbers.size()));
  for (const auto& numbers : received) arrived.emplace_back(numbers.size());
  exchange_numbers<uint16_t>(ranks, to, {packed.begin(), packed.end()}, from,
                             {arrived.begin(), arrived.end()}, waiting);
  for (size_t i = 0; i < received.size(); ++i) kernels::unpack_bfloat16(arrived[i], received[i]);
}

}  // namespace

GradientSum::GradientSum(int64_t numbers, int shards, Workers& workers, Communicator& ranks,
                         GradientPrecision precision, std::span<const Range> tables)
    : workers_(workers),
      ranks_(ranks),
      precision_(precision),
      tree_(shards, ranks.size()),
      ownership_(numbers, ranks),
      own_additions_(tree_.additions_of(ranks.rank())),
      joint_additions_(tree_.joint_additions()),
      rows_(static_cast<size_t>(shards)),
      order_(in_order_of_use(ownership_, tables)) {
  std::ranges::reverse(order_);
  int64_t others = 0;
  for (int rank = 0; rank < ranks.size(); ++rank)
    if (rank != ranks.rank())
      for (const int sum : tree_.sums_of(rank)) rows_[static_cast<size_t>(sum)] = others++;
  if (others > 0) received_ = Tensor::zeros({others, ownership_.owned()});
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const Ownership theirs(numbers, rank, ranks.size());
    for (const Ownership::Block& block : theirs.blocks()) by_owner_.push_back(block.index);
    ends_.push_back(static_cast<int64_t>(by_owner_.size()));
  }
}

GradientSum::~GradientSum() { stop_sending(); }

void GradientSum::begin(std::span<Tensor> gradients, std::span<SparseGradient> sparse,
                        std::function<void()> first) {
  stop_sending();
  gradients_ = gradients;
  sparse_ = sparse;
  sent_ = 0;
  if (!wants_settled()) return;
  ending_ = false;
  failure_ = nullptr;
  unsettled_.resize(order_.size());
  for (int64_t i = 0; i < ownership_.stripes(); ++i)
    unsettled_[static_cast<size_t>(i)] = ownership_.stripe(i).size() * shards().size();
  sender_ = std::thread([this, first = std::move(first)] { send_settled(first); });
}

void GradientSum::settle(const Range& numbers) {
  if (numbers.size() == 0) return;
  const std::lock_guard lock(mutex_);
  for (int64_t i = ownership_.stripe_with(numbers.begin);
       i <= ownership_.stripe_with(numbers.end - 1); ++i) {
    const Range stripe = ownership_.stripe(i);
    int64_t& left = unsettled_[static_cast<size_t>(i)];
    left -= std::min(numbers.end, stripe.end) - std::max(numbers.begin, stripe.begin);
    if (left == 0) changed_.notify_one();
  }
}

// Runs beside the workers, until all stripes are sent or `add` takes over.
void GradientSum::send_settled(const std::function<void()>& first) {
  try {
    if (first) first();
    for (; sent_ < order_.size(); ++sent_) {
      const int64_t stripe = order_[sent_];
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock,
                      [&] { return ending_ || unsettled_[static_cast<size_t>(stripe)] == 0; });
        if (ending_) return;
      }
      const Range numbers = ownership_.stripe(stripe);
      for (int64_t begin = numbers.begin; begin < numbers.end; begin += block_size)
        add_own(begin / block_size);
      exchange_sums({&stripe, 1}, Waiting::beside_work);
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void GradientSum::stop_sending() {
  if (!sender_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  sender_.join();
}

double GradientSum::add() {
  stop_sending();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (precision_ == GradientPrecision::bfloat16)
    for (SparseGradient& gradient : sparse_) kernels::round_to_bfloat16(gradient.values());
  const std::vector<Ownership::Block>& owned = ownership_.blocks();
  std::vector<double> squares(static_cast<size_t>(blocks_of(ownership_.numbers())));
  const auto finish = [&](const Ownership::Block& block) {
    squares[static_cast<size_t>(block.index)] = add_joint(block);
  };
  if (ranks_.size() == 1) {
    // At once, while the block is in the cache.
    workers_.run(std::ssize(squares), [&](int64_t block, int) {
      add_own(block);
      finish(owned[static_cast<size_t>(block)]);
    });
  } else {
    exchange_rest();
    workers_.run(std::ssize(owned), [&](int64_t i, int) { finish(owned[static_cast<size_t>(i)]); });
    gather_squares(squares);
  }
  double sum = 0;
  for (const double square : squares) sum += square;
  return sum;
}

// What has not left beside the backward passes, and what is sparse.
void GradientSum::exchange_rest() {
  const std::span<const int64_t> stripes = std::span(order_).subspan(sent_);
  std::vector<int64_t> blocks;
  for (const int64_t stripe : stripes) {
    const Range numbers = ownership_.stripe(stripe);
    for (int64_t begin = numbers.begin; begin < numbers.end; begin += block_size)
      blocks.push_back(begin / block_size);
  }
  workers_.run(std::ssize(blocks),
               [&](int64_t i, int) { add_own(blocks[static_cast<size_t>(i)]); });
  exchange_sums(stripes, Waiting::busily);
  if (!sparse_.empty()) exchange_sparse();
}

// The rest of the sum of a block that this rank owns, when everything is there; its square.
double GradientSum::add_joint(const Ownership::Block& block) {
  for (const auto& [into, from] : joint_additions_) add(part(from, block), part(into, block));
  const std::span<float> sum = part(0, block);
  const int64_t begin = block.numbers.begin;
  for (size_t shard = 0; shard < sparse_.size(); ++shard)
    sparse_of(static_cast<int64_t>(shard))
        .visit_within(block.numbers, [&](const Range& within, std::span<const float> values) {
          add(values, part_of(sum, {within.begin - begin, within.end - begin}));
        });
  return kernels::dot(sum, sum);
}

void GradientSum::add_own(int64_t block) {
  const auto first_shard = static_cast<size_t>(shards().begin);
  const auto part = [&](int shard) {
    Tensor& gradient = gradients_[static_cast<size_t>(shard) - first_shard];
    return block_of(gradient.span<float>(), block);
  };
  if (precision_ == GradientPrecision::bfloat16)
    for (Tensor& gradient : gradients_)
      kernels::round_to_bfloat16(block_of(gradient.span<float>(), block));
  for (const auto& [into, from] : own_additions_) add(part(from), part(into));
}

void GradientSum::add(std::span<const float> from, std::span<float> into) const {
  kernels::add_scaled(1.0f, from, into);
  if (precision_ == GradientPrecision::bfloat16) kernels::round_to_bfloat16(into);
}

// Of the sum that begins with a shard, wherever it is.
std::span<float> GradientSum::part(int shard, const Ownership::Block& block) {
  const Range mine = shards();
  if (shard >= mine.begin && shard < mine.end)
    return part_of(gradients_[static_cast<size_t>(shard - mine.begin)].span<float>(),
                   block.numbers);
  return part_of(received_.row<float>(rows_[static_cast<size_t>(shard)]), block.stored);
}

const SparseGradient& GradientSum::sparse_of(int64_t shard) const {
  const Range mine = shards();
  const bool own = shard >= mine.begin && shard < mine.end;
  return (own ? std::span<const SparseGradient>(sparse_)
              : others_sparse_)[static_cast<size_t>(shard)];
}

void GradientSum::exchange(const std::vector<int>& to, const Spans<const float>& sent,
                           const std::vector<int>& from, const Spans<float>& received,
                           Waiting waiting) const {
  if (precision_ == GradientPrecision::float32)
    exchange_numbers(ranks_, to, sent, from, received, waiting);
  else
    exchange_packed(ranks_, to, sent, from, received, waiting);
}

void GradientSum::exchange_sums(std::span<const int64_t> stripes, Waiting waiting) {
  Spans<const float> sent;
  Spans<float> received;
  std::vector<int> to, from;
  for (const int64_t stripe : stripes)
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      if (rank == ranks_.rank()) continue;
      const Range theirs = ownership_.part(stripe, rank), stored = ownership_.stored(stripe);
      if (theirs.size() > 0)
        for (const int sum : tree_.sums_of(ranks_.rank())) {
          Tensor& gradient = gradients_[static_cast<size_t>(sum - shards().begin)];
          sent.emplace_back(part_of(gradient.span<float>(), theirs));
          to.push_back(rank);
        }
      if (stored.size() > 0)
        for (const int sum : tree_.sums_of(rank)) {
          const auto row = received_.row<float>(rows_[static_cast<size_t>(sum)]);
          received.push_back(part_of(row, stored));
          from.push_back(rank);
        }
    }
  exchange(to, sent, from, received, waiting);
}

// Every rank knows the stretches of all shards, and so the sizes of all messages.
void GradientSum::exchange_sparse() {
  std::deque<std::vector<float>> packed;
  Spans<const float> sent;
  Spans<float> received;
  std::vector<int> to, from;
  others_sparse_.resize(sparse_.size());
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    if (rank == ranks_.rank()) continue;
    const Range mine = shards(), theirs = shards_of(rank);
    for (auto shard = static_cast<size_t>(mine.begin); static_cast<int64_t>(shard) < mine.end;
         ++shard) {
      std::vector<float>& numbers = packed.emplace_back();
      for (const Range& part : ownership_.parts_within(sparse_[shard].stretches(), rank))
        sparse_[shard].visit_within(part, [&](const Range&, std::span<const float> values) {
          numbers.insert(numbers.end(), values.begin(), values.end());
        });
      if (numbers.empty()) continue;
      sent.emplace_back(numbers);
      to.push_back(rank);
    }
    for (auto shard = static_cast<size_t>(theirs.begin); static_cast<int64_t>(shard) < theirs.end;
         ++shard) {
      SparseGradient& gradient = others_sparse_[shard];
      gradient.begin(ownership_.parts_within(sparse_[shard].stretches(), ranks_.rank()));
      if (gradient.values().empty()) continue;
      received.push_back(gradient.values());
      from.push_back(rank);
    }
  }
  if (!sent.empty() || !received.empty()) exchange(to, sent, from, received, Waiting::busily);
}

// Each rank knows those of its blocks.
void GradientSum::gather_squares(std::span<double> squares) {
  std::vector<double> sorted;
  for (const int64_t block : by_owner_) sorted.push_back(squares[static_cast<size_t>(block)]);
  std::vector<size_t> ends;
  for (const int64_t end : ends_) ends.push_back(static_cast<size_t>(end) * sizeof(double));
  ranks_.gather_all(std::as_writable_bytes(std::span(sorted)), ends);
  for (size_t i = 0; i < sorted.size(); ++i) squares[static_cast<size_t>(by_owner_[i])] = sorted[i];
}

}  // namespace heed
