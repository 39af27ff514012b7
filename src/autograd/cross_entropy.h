// The loss of a model that predicts one word out of a vocabulary.
#pragma once

#include <cstdint>
#include <span>

#include "heed/autograd/tape.h"

namespace heed {

struct CrossEntropyOptions {
  double label_smoothing =
      0.0;  // 0 <= smoothing < 1: so much of each target is spread evenly over the vocabulary
  // linear_cross_entropy only. Above 0 the second half of the tokens is the first once more, seen
  // through other dropout, and each pair costs in addition `r_drop` times half the sum of both
  // Kullback-Leibler divergences between its predictions (R-Drop, Liang et al. 2021).
  double r_drop = 0.0;
  double* negative_likelihood =
      nullptr;  // where to add Σ -log p(target), for perplexity; null for nowhere
};

// Σ over the tokens of the cross-entropy between softmax(x weightᵀ + bias) and the smoothed
// targets: x (tokens, width), weight (vocabulary, width), bias (vocabulary) or absent, targets
// (tokens) -> one number. Equals cross_entropy(linear(x, weight, bias), targets), but works on a
// few tokens at a time, while their scores are in the cache.
Variable linear_cross_entropy(const Variable& x, const Variable& weight, const Variable& bias,
                              std::span<const int32_t> targets,
                              const CrossEntropyOptions& options = {});

// The same from scores (tokens, vocabulary) that are there already.
Variable cross_entropy(const Variable& scores, std::span<const int32_t> targets,
                       const CrossEntropyOptions& options = {});

}  // namespace heed
