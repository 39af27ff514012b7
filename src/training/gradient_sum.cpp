#include "heed/training/gradient_sum.h"

#include "heed/kernels/arithmetic.h"
#include "heed/training/flat_blocks.h"

namespace heed {

GradientSum::GradientSum(int64_t numbers, int shards, Workers& workers, Communicator& ranks)
    : numbers_(numbers),
      workers_(workers),
      ranks_(ranks),
      tree_(shards, ranks.size()),
      own_additions_(tree_.additions_of(ranks.rank())),
      joint_additions_(tree_.joint_additions()),
      sums_(static_cast<size_t>(shards)) {
  int64_t others = 0;
  for (int rank = 0; rank < ranks.size(); ++rank)
    if (rank != ranks.rank()) others += static_cast<int64_t>(tree_.sums_of(rank).size());
  if (others > 0) received_ = Tensor::zeros({others, owned_numbers(numbers, ranks).size()});
}

double GradientSum::add(std::span<Tensor> gradients) {
  point_to_sums(gradients);
  const size_t first_shard = static_cast<size_t>(shards().begin);
  const auto add_own = [&](int64_t block) {
    const auto part = [&](int shard) {
      Tensor& gradient = gradients[static_cast<size_t>(shard) - first_shard];
      return block_of(gradient.span<float>(), block);
    };
    for (const auto& [into, from] : own_additions_)
      kernels::add_scaled(1.0f, part(from), part(into));
  };
  const Range owned_blocks = share_of(blocks_of(numbers_), ranks_);
  std::vector<double> squares(static_cast<size_t>(blocks_of(numbers_)));
  const auto add_joint = [&](int64_t index) {
    const auto part = [&](int shard) { return block_of(sums_[static_cast<size_t>(shard)], index); };
    for (const auto& [into, from] : joint_additions_)
      kernels::add_scaled(1.0f, part(from), part(into));
    squares[static_cast<size_t>(owned_blocks.begin + index)] = kernels::dot(part(0), part(0));
  };
  if (ranks_.size() == 1) {
    // At once, while the block is in the cache.
    workers_.run(blocks_of(numbers_), [&](int64_t block, int) {
      add_own(block);
      add_joint(block);
    });
  } else {
    workers_.run(blocks_of(numbers_), [&](int64_t block, int) { add_own(block); });
    exchange_sums(gradients);
    workers_.run(owned_blocks.size(), [&](int64_t index, int) { add_joint(index); });
    gather_shares<double>(ranks_, squares);
  }
  double sum = 0;
  for (const double square : squares) sum += square;
  return sum;
}

// Where the sums of each rank will be.
void GradientSum::point_to_sums(std::span<Tensor> gradients) {
  const Range owned = owned_numbers(numbers_, ranks_);
  int64_t row = 0;
  for (int rank = 0; rank < ranks_.size(); ++rank)
    for (const int sum : tree_.sums_of(rank)) {
      const auto index = static_cast<size_t>(sum);
      sums_[index] =
          rank == ranks_.rank()
              ? part_of(gradients[index - static_cast<size_t>(shards().begin)].span<float>(), owned)
              : received_.row<float>(row++);
    }
}

void GradientSum::exchange_sums(std::span<Tensor> gradients) {
  std::vector<OutgoingMessage> out;
  std::vector<IncomingMessage> in;
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    if (rank == ranks_.rank()) continue;
    for (const int sum : tree_.sums_of(ranks_.rank())) {
      Tensor& gradient = gradients[static_cast<size_t>(sum - shards().begin)];
      const Range theirs = owned_numbers(numbers_, rank, ranks_.size());
      out.push_back({rank, std::as_bytes(part_of(gradient.span<float>(), theirs))});
    }
    for (const int sum : tree_.sums_of(rank))
      in.push_back({rank, std::as_writable_bytes(sums_[static_cast<size_t>(sum)])});
  }
  std::erase_if(out, [](const OutgoingMessage& message) { return message.bytes.empty(); });
  std::erase_if(in, [](const IncomingMessage& message) { return message.bytes.empty(); });
  ranks_.exchange(out, in);
}

}  // namespace heed
