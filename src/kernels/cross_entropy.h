// Softmax cross-entropy with label smoothing, over the rows of a matrix of scores.
#pragma once

#include <cstdint>
#include <span>

namespace heed::kernels {

// What a batch of predictions cost, summed over its rows.
struct CrossEntropySums {
  double loss = 0;                 // with label smoothing
  double negative_likelihood = 0;  // -log of the probability of the targets

  CrossEntropySums& operator+=(const CrossEntropySums& other) {
    loss += other.loss;
    negative_likelihood += other.negative_likelihood;
    return *this;
  }
};

// With p = softmax(scores[r]) and y = targets[r]:
//   negative likelihood = -log p[y],  loss = (1 - smoothing) (-log p[y]) + smoothing mean_c(-log p[c]).
// Replaces each row of scores (`columns` elements) by the gradient of its loss,
//   p[c] - (1 - smoothing) [c = y] - smoothing / columns.
CrossEntropySums cross_entropy_with_gradient(std::span<float> scores, std::span<const int32_t> targets,
                                             int64_t columns, double smoothing);
CrossEntropySums cross_entropy_with_gradient(std::span<double> scores, std::span<const int32_t> targets,
                                             int64_t columns, double smoothing);

// The sums alone; leaves the scores as they are.
CrossEntropySums cross_entropy(std::span<const float> scores, std::span<const int32_t> targets,
                               int64_t columns, double smoothing);
CrossEntropySums cross_entropy(std::span<const double> scores, std::span<const int32_t> targets,
                               int64_t columns, double smoothing);

}  // namespace heed::kernels
