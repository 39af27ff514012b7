// Softmax cross-entropy with label smoothing, over the rows of a matrix of scores. With p =
// softmax(scores[r]) and y = targets[r]:
//   negative likelihood = -log p[y],  loss = (1 - smoothing) (-log p[y]) + smoothing mean_c(-log
//   p[c]), gradient of the loss = p[c] - (1 - smoothing) [c = y] - smoothing / columns.
// The scores of a large vocabulary come in blocks of columns, so that a block can be used while it
// is in the cache.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace heed::kernels {

// The loss of a batch of predictions, summed over its rows.
struct CrossEntropySums {
  double loss = 0;                 // with label smoothing
  double negative_likelihood = 0;  // -log of the probability of the targets

  CrossEntropySums& operator+=(const CrossEntropySums& other) {
    loss += other.loss;
    negative_likelihood += other.negative_likelihood;
    return *this;
  }
};

// The state of a row after the blocks of columns so far.
struct ScoreRow {
  // The highest score, or less by at most this:
  double shift = -std::numeric_limits<double>::infinity();
  static constexpr double most_above_shift = 60;  // exponentials of it are still small numbers
  double sum = 0;                                 // of exp(score - shift)
  double total = 0;                               // of the scores

  // The shift for a block with this highest score: if possible the same as before, to spare the
  // exponential.
  double shift_for(double highest) const {
    return highest <= shift + most_above_shift ? shift : highest;
  }
  void add_block(double block_shift, double block_sum, double block_total);

  double log_sum() const { return shift + std::log(sum); }
  // The loss of the row, once all of its columns are known.
  CrossEntropySums cost(double target_score, int64_t columns, double smoothing) const;
  // What turns the exponentials of a block into probabilities.
  double factor(double block_shift) const {
    return (block_shift == shift ? 1.0 : std::exp(block_shift - shift)) / sum;
  }
};

// Replaces the scores of a block, (rows, columns), by exp(score - shifts[r]), with shifts chosen
// here, and adds the block to the state of the rows.
void scores_to_exponentials(std::span<float> block, std::span<float> shifts,
                            std::span<ScoreRow> rows);
void scores_to_exponentials(std::span<double> block, std::span<double> shifts,
                            std::span<ScoreRow> rows);

// gradient = exponential * factors[r] - spread, for each row r of a block.
void exponentials_to_gradients(std::span<const float> block, std::span<const float> factors,
                               float spread, std::span<float> gradients);
void exponentials_to_gradients(std::span<const double> block, std::span<const double> factors,
                               double spread, std::span<double> gradients);

}  // namespace heed::kernels
