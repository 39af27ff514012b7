#include "heed/autograd/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/autograd/product.h"
#include "heed/base/error.h"
#include "heed/base/round_up.h"
#include "heed/kernels/arithmetic.h"
#include "heed/kernels/cross_entropy.h"
#include "heed/kernels/r_drop.h"

namespace heed {

namespace {

void check_targets(std::span<const int32_t> targets, int64_t tokens, int64_t vocabulary,
                   const CrossEntropyOptions& options) {
  require(static_cast<int64_t>(targets.size()) == tokens, "cross_entropy: {} targets for {} tokens",
          targets.size(), tokens);
  for (const int32_t target : targets)
    require(target >= 0 && target < vocabulary,
            "cross_entropy: target {} is not in a vocabulary of {}", target, vocabulary);
  require(options.label_smoothing >= 0.0 && options.label_smoothing < 1.0,
          "cross_entropy: a label smoothing of {} but 0 <= label smoothing < 1 was expected",
          options.label_smoothing);
}

void check_r_drop(int64_t tokens, double r_drop) {
  require(std::isfinite(r_drop) && r_drop >= 0,
          "linear_cross_entropy: an R-Drop weight of {} but at least 0 was expected", r_drop);
  require(r_drop == 0 || tokens % 2 == 0,
          "linear_cross_entropy: R-Drop needs an even number of tokens but there are {}", tokens);
}

void check_weights(int64_t tokens, std::span<const float> weights) {
  require(weights.empty() || std::ssize(weights) == tokens,
          "linear_cross_entropy: {} weights for {} tokens", weights.size(), tokens);
}

Tensor one_number(Tape& tape, const kernels::CrossEntropySums& sums, Type type,
                  const CrossEntropyOptions& options) {
  if (options.negative_likelihood != nullptr)
    *options.negative_likelihood += sums.negative_likelihood;
  Tensor loss = tape.allocate({}, type);
  loss.fill(sums.loss);
  return loss;
}

Tensor scaled(Tape& tape, const Tensor& x, double factor) {
  if (factor == 1.0) return x;
  Tensor y = tape.allocate(x.shape(), x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::scale(static_cast<T>(factor), x.span<T>(), y.span<T>());
  });
  return y;
}

// Chunks of this many tokens and blocks of this many words: their scores fill a part of a
// second-level cache. Blocks are whole register tiles on every instruction set. All tokens of a
// chunk share each pass over the weight.
constexpr int64_t most_tokens = 640;
constexpr int64_t block_words = 240;

struct Inputs {
  Tensor x, weight, bias;  // the bias may be absent
  std::span<const int32_t> targets;
  std::span<const float> weights;  // or none
  double label_smoothing;
  double r_drop;

  int64_t tokens() const { return x.shape()[0]; }
  int64_t halves() const { return r_drop > 0 ? 2 : 1; }  // of the batch: two with R-Drop
  int64_t vocabulary() const { return weight.shape()[0]; }
};

// The gradients that are needed; the others are absent.
struct Gradients {
  Tensor x, weight, bias;
};

// For each chunk of tokens there are two passes over the vocabulary, block by block. The first
// computes the exponentials of the scores and the sums of the rows. The second turns them into
// gradients and propagates them at once. With R-Drop, a pass in between computes the divergences of
// the two halves.
template <typename T>
class BlockedLoss {
 public:
  // Without a second pass, all blocks share the memory of one.
  BlockedLoss(Tape& tape, const Inputs& in, Gradients* gradients)
      : in_(in), wanted_(gradients), keeps_blocks_(gradients != nullptr || in.r_drop > 0) {
    const int64_t tokens = std::min(in.tokens(), most_tokens);
    exponentials_ =
        tape.allocate({tokens, keeps_blocks_ ? in.vocabulary() : block_words}, in.x.type());
    if (wanted_) scores_gradient_ = tape.allocate({tokens, block_words}, in.x.type());
  }

  kernels::CrossEntropySums run() {
    const int64_t length = in_.tokens() / in_.halves(), most = most_tokens / in_.halves();
    const int64_t chunks = divide_up(length, most);
    kernels::CrossEntropySums sums;
    for (int64_t i = 0; i < chunks; ++i) {
      const int64_t begin = length * i / chunks, end = length * (i + 1) / chunks;
      std::vector<TokenRange> parts = {{begin, end}};
      if (in_.halves() == 2) parts.push_back({length + begin, length + end});
      sums += run_chunk(parts);
    }
    return sums;
  }

 private:
  // Tokens [begin, end).
  struct TokenRange {
    int64_t begin, end;
    int64_t size() const { return end - begin; }
  };

  // Tokens that are processed together, with their intermediate results.
  struct Chunk {
    std::vector<TokenRange> parts;  // one, or with R-Drop two of equal size
    std::vector<kernels::ScoreRow> rows;
    std::vector<T> target_scores;
    std::vector<T> shifts;   // of each token in each block
    std::vector<T> factors;  // likewise; turn the exponentials into probabilities
    std::vector<kernels::Divergence> divergences;

    int64_t tokens() const { return static_cast<int64_t>(rows.size()); }
    int64_t part_size() const { return parts[0].size(); }
    int64_t token(int64_t row) const { return parts[row / part_size()].begin + row % part_size(); }
  };

  // Words [begin, end).
  struct Block {
    int64_t index, begin, end;
    int64_t words() const { return end - begin; }
  };

  template <typename Run>
  void for_each_block(Run&& run) const {
    for (int64_t begin = 0, index = 0; begin < in_.vocabulary(); begin += block_words, ++index)
      run(Block{index, begin, std::min(begin + block_words, in_.vocabulary())});
  }

  kernels::CrossEntropySums run_chunk(const std::vector<TokenRange>& parts) {
    const size_t tokens = parts.size() * static_cast<size_t>(parts[0].size());
    const size_t blocks = static_cast<size_t>(divide_up(in_.vocabulary(), block_words));
    Chunk chunk = {parts,
                   std::vector<kernels::ScoreRow>(tokens),
                   std::vector<T>(tokens),
                   std::vector<T>(tokens * blocks),
                   {},
                   {}};
    for_each_block([&](const Block& block) { find_exponentials(chunk, block); });
    if (keeps_blocks_)
      for (size_t i = 0; i < chunk.shifts.size(); ++i)
        chunk.factors.push_back(static_cast<T>(chunk.rows[i % tokens].factor(chunk.shifts[i])));
    if (in_.r_drop > 0) find_divergences(chunk);
    if (wanted_) for_each_block([&](const Block& block) { send_gradients(chunk, block); });
    return cost(chunk);
  }

  kernels::CrossEntropySums cost(const Chunk& chunk) const {
    kernels::CrossEntropySums sums;
    for (size_t r = 0; r < chunk.rows.size(); ++r) {
      kernels::CrossEntropySums row =
          chunk.rows[r].cost(chunk.target_scores[r], in_.vocabulary(), in_.label_smoothing);
      row.loss *= weight(chunk, r);
      sums += row;
    }
    for (size_t r = 0; r < chunk.divergences.size(); ++r)
      sums.loss += weight(chunk, r) * (in_.r_drop * chunk.divergences[r].symmetric());
    return sums;
  }

  double weight(const Chunk& chunk, size_t row) const {
    return in_.weights.empty() ? 1.0 : in_.weights[chunk.token(static_cast<int64_t>(row))];
  }

  std::span<T> exponentials(const Chunk& chunk, const Block& block) {
    const int64_t first = keeps_blocks_ ? chunk.tokens() * block.begin : 0;
    return exponentials_.template span<T>().subspan(
        static_cast<size_t>(first), static_cast<size_t>(chunk.tokens() * block.words()));
  }

  // The shifts or factors of the block.
  template <typename Numbers>
  auto of_block(Numbers& numbers, const Chunk& chunk, const Block& block) const {
    return std::span(numbers).subspan(static_cast<size_t>(block.index * chunk.tokens()),
                                      chunk.rows.size());
  }

  // Calls run(token of the chunk, element of the block) for each token whose target is in the
  // block.
  template <typename Run>
  void for_each_target(const Chunk& chunk, const Block& block, Run&& run) const {
    for (int64_t r = 0; r < chunk.tokens(); ++r) {
      const int32_t target = in_.targets[chunk.token(r)];
      if (target >= block.begin && target < block.end)
        run(static_cast<size_t>(r), static_cast<size_t>(r * block.words() + target - block.begin));
    }
  }

  // Calls run(tokens, their rows of `numbers`) for each part of the chunk.
  template <typename Number, typename Run>
  void for_each_part(const Chunk& chunk, const Block& block, std::span<Number> numbers,
                     Run&& run) const {
    for (size_t i = 0; i < chunk.parts.size(); ++i)
      run(chunk.parts[i], kernels::matrix(numbers.data() + static_cast<int64_t>(i) *
                                                               chunk.part_size() * block.words(),
                                          chunk.part_size(), block.words()));
  }

  void find_exponentials(Chunk& chunk, const Block& block) {
    kernels::GemmOptions<T> options;
    if (in_.bias.present())
      options.bias = in_.bias.template span<T>().subspan(static_cast<size_t>(block.begin),
                                                         static_cast<size_t>(block.words()));
    const std::span<T> scores = exponentials(chunk, block);
    for_each_part(chunk, block, scores, [&](const TokenRange& tokens, kernels::MatrixView<T> rows) {
      multiply<T>(
          wanted_ != nullptr, in_.x.slice(tokens.begin, tokens.end).template matrix<T>(),
          std::as_const(in_.weight).slice(block.begin, block.end).template matrix<T>().transposed(),
          rows, options);
    });
    for_each_target(chunk, block, [&](size_t token, size_t element) {
      chunk.target_scores[token] = scores[element];
    });
    kernels::scores_to_exponentials(scores, of_block(chunk.shifts, chunk, block), chunk.rows);
  }

  kernels::PredictionPair<T> pair_of(const Chunk& chunk, const Block& block) {
    const std::span<const T> both = exponentials(chunk, block),
                             factors = of_block(chunk.factors, chunk, block);
    const size_t rows = factors.size() / 2;
    return {both.first(both.size() / 2), both.last(both.size() / 2), factors.first(rows),
            factors.last(rows)};
  }

  void find_divergences(Chunk& chunk) {
    chunk.divergences.resize(static_cast<size_t>(chunk.part_size()));
    for_each_block([&](const Block& block) {
      kernels::add_divergences(pair_of(chunk, block), chunk.divergences);
    });
  }

  void send_gradients(const Chunk& chunk, const Block& block) {
    const std::span<const T> found = exponentials(chunk, block);
    const std::span<T> gradient = scores_gradient_.template span<T>().first(found.size());
    kernels::exponentials_to_gradients(
        found, of_block(chunk.factors, chunk, block),
        static_cast<T>(in_.label_smoothing / static_cast<double>(in_.vocabulary())), gradient);
    for_each_target(chunk, block, [&](size_t, size_t element) {
      gradient[element] -= static_cast<T>(1 - in_.label_smoothing);
    });
    if (in_.r_drop > 0)
      kernels::add_r_drop_gradients(pair_of(chunk, block), chunk.divergences,
                                    static_cast<T>(in_.r_drop), gradient.first(found.size() / 2),
                                    gradient.last(found.size() / 2));
    if (!in_.weights.empty()) weigh(chunk, block, gradient);
    if (wanted_->bias.present()) {
      Tensor bias = wanted_->bias.slice(block.begin, block.end);
      kernels::sum_rows(std::span<const T>(gradient), bias.span<T>());
    }
    for_each_part(chunk, block, std::span<const T>(gradient),
                  [&](const TokenRange& tokens, kernels::MatrixView<const T> rows) {
                    send_on(tokens, block, rows);
                  });
  }

  void weigh(const Chunk& chunk, const Block& block, std::span<T> gradient) const {
    const auto words = static_cast<size_t>(block.words());
    for (size_t r = 0; r < chunk.rows.size(); ++r) {
      const std::span<T> row = gradient.subspan(r * words, words);
      kernels::scale(static_cast<T>(weight(chunk, r)), row, row);
    }
  }

  void send_on(const TokenRange& tokens, const Block& block,
               kernels::MatrixView<const T> gradient) {
    if (wanted_->x.present()) {
      Tensor x = wanted_->x.slice(tokens.begin, tokens.end);
      kernels::split_gemm(gradient, in_.weight.slice(block.begin, block.end).template matrix<T>(),
                          x.matrix<T>(), {.accumulate = block.index > 0});
    }
    if (wanted_->weight.present()) {
      Tensor weight = wanted_->weight.slice(block.begin, block.end);
      kernels::split_gemm(gradient.transposed(),
                          in_.x.slice(tokens.begin, tokens.end).template matrix<T>(),
                          weight.matrix<T>(), {.accumulate = tokens.begin > 0});
    }
  }

  Inputs in_;
  Gradients* wanted_;
  bool keeps_blocks_;
  Tensor exponentials_;     // of a chunk, block after block
  Tensor scores_gradient_;  // of a block
};

template <typename T>
Variable recorded_loss(const Variable& x, const Variable& weight, const Variable& bias,
                       const Inputs& in, const CrossEntropyOptions& options) {
  Tape& tape = x.tape();
  Gradients gradients;
  // The first block of words writes the gradient of x, the first chunk of tokens that of the
  // weight.
  if (x.needs_gradient()) gradients.x = tape.allocate(x.shape(), x.type());
  if (weight.needs_gradient())
    gradients.weight = in.tokens() > 0 ? tape.allocate(weight.shape(), weight.type())
                                       : tape.allocate_zeros(weight.shape(), weight.type());
  if (bias.needs_gradient()) gradients.bias = tape.allocate_zeros(bias.shape(), bias.type());
  const kernels::CrossEntropySums sums = BlockedLoss<T>(tape, in, &gradients).run();
  return tape.record(one_number(tape, sums, x.type(), options), {x, weight, bias},
                     [x = x.without_value(), weight, bias, gradients](const Tensor& dloss) {
                       const auto send = [&](const Variable& input, const Tensor& gradient) {
                         if (gradient.present())
                           input.add_gradient(scaled(input.tape(), gradient, dloss[0]));
                       };
                       send(x, gradients.x);
                       send(weight, gradients.weight);
                       send(bias, gradients.bias);
                     });
}

// Replaces scores (tokens, vocabulary) by their gradients.
template <typename T>
kernels::CrossEntropySums gradient_in_place(Tensor& scores, std::span<const int32_t> targets,
                                            double smoothing) {
  const int64_t vocabulary = scores.shape().columns();
  const std::span<T> all = scores.span<T>();
  std::vector<T> target_scores, shifts(targets.size());
  std::vector<kernels::ScoreRow> rows(targets.size());
  const auto element = [&](size_t r) -> T& {
    return all[r * static_cast<size_t>(vocabulary) + static_cast<size_t>(targets[r])];
  };
  for (size_t r = 0; r < targets.size(); ++r) target_scores.push_back(element(r));
  kernels::scores_to_exponentials(all, shifts, rows);
  kernels::CrossEntropySums sums;
  std::vector<T> factors;
  for (size_t r = 0; r < targets.size(); ++r) {
    sums += rows[r].cost(target_scores[r], vocabulary, smoothing);
    factors.push_back(static_cast<T>(rows[r].factor(shifts[r])));
  }
  kernels::exponentials_to_gradients(all, std::span<const T>(factors),
                                     static_cast<T>(smoothing / static_cast<double>(vocabulary)),
                                     all);
  for (size_t r = 0; r < targets.size(); ++r) element(r) -= static_cast<T>(1 - smoothing);
  return sums;
}

}  // namespace

Variable linear_cross_entropy(const Variable& x, const Variable& weight, const Variable& bias,
                              std::span<const int32_t> targets,
                              const CrossEntropyOptions& options) {
  require(weight.shape().rank() == 2 && x.shape().rank() == 2 && x.shape()[1] == weight.shape()[1],
          "linear_cross_entropy: input {} does not fit weight {}", x.shape(), weight.shape());
  require(!bias.present() || bias.shape() == Shape{weight.shape()[0]},
          "linear_cross_entropy: bias {} does not fit weight {}", bias.shape(), weight.shape());
  check_targets(targets, x.shape()[0], weight.shape()[0], options);
  Tape& tape = x.tape();
  check_r_drop(x.shape()[0], options.r_drop);
  check_weights(x.shape()[0], options.weights);
  const Inputs in = {x.value(),       weight.value(),          bias.value(),  targets,
                     options.weights, options.label_smoothing, options.r_drop};
  return with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    if (tape.recording()) return recorded_loss<T>(x, weight, bias, in, options);
    return tape.constant(
        one_number(tape, BlockedLoss<T>(tape, in, nullptr).run(), x.type(), options));
  });
}

Variable cross_entropy(const Variable& scores, std::span<const int32_t> targets,
                       const CrossEntropyOptions& options) {
  require(scores.shape().rank() == 2,
          "cross_entropy: scores {} but (tokens, vocabulary) was expected", scores.shape());
  const int64_t vocabulary = scores.shape()[1];
  check_targets(targets, scores.shape()[0], vocabulary, options);
  Tape& tape = scores.tape();
  Tensor gradient = tape.allocate(scores.shape(), scores.type());
  gradient.copy_from(scores.value());
  const kernels::CrossEntropySums sums = with_type(scores.type(), [&](auto zero) {
    using T = decltype(zero);
    return gradient_in_place<T>(gradient, targets, options.label_smoothing);
  });
  return tape.record(one_number(tape, sums, scores.type(), options), {scores},
                     [scores = scores.without_value(), gradient](const Tensor& dloss) {
                       scores.add_gradient(scaled(scores.tape(), gradient, dloss[0]));
                     });
}

}  // namespace heed
