// The loss of a model that predicts one word out of a vocabulary.
#pragma once

#include <cstdint>
#include <span>

#include "heed/autograd/tape.h"

namespace heed {

struct CrossEntropyOptions {
  double label_smoothing =
      0.0;  // 0 <= x < 1: this share of each target is spread evenly over the vocabulary
  // linear_cross_entropy only. The weight of R-Drop (Liang et al., 2021). Above 0, the second half
  // of the tokens repeats the first with different dropout, and each pair adds `r_drop` times half
  // the sum of both Kullback–Leibler divergences between its predictions to the loss.
  double r_drop = 0.0;
  // linear_cross_entropy only. What the loss of each token is multiplied by; none: all are 1.
  std::span<const float> weights = {};
  // Receives the sum of Σ -log p(target), for perplexity; may be null.
  double* negative_likelihood = nullptr;
};

// Σ over the tokens of the cross-entropy between softmax(x weightᵀ + bias) and the smoothed
// targets: x (tokens, width), weight (vocabulary, width), bias (vocabulary) or absent, targets
// (tokens) -> one number. Equals cross_entropy(linear(x, weight, bias), targets), but processes a
// few tokens at a time, while their scores are in the cache.
Variable linear_cross_entropy(const Variable& x, const Variable& weight, const Variable& bias,
                              std::span<const int32_t> targets,
                              const CrossEntropyOptions& options = {});

// The same from given scores (tokens, vocabulary).
Variable cross_entropy(const Variable& scores, std::span<const int32_t> targets,
                       const CrossEntropyOptions& options = {});

}  // namespace heed
