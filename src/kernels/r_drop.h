// The divergence of R-Drop: how far two predictions of the same word are apart, and its gradient.
// With the probabilities p and q of two rows:
//   KL(p, q) = Σ p log(p / q),  symmetric divergence = ½ (KL(p, q) + KL(q, p)),
//   its gradient with respect to the scores of p = ½ (p (log(p / q) - KL(p, q)) + p - q).
// As in kernels/cross_entropy.h the columns come in blocks, as exponentials of the scores.
#pragma once

#include <span>

namespace heed::kernels {

// A block of columns of two predictions, row by row: probability = exponential * factor of the row.
// Probabilities below 1e-30 count as that.
template <typename T>
struct PredictionPair {
  std::span<const T> first, second;
  std::span<const T> first_factors, second_factors;

  size_t rows() const { return first_factors.size(); }
  size_t columns() const { return first.size() / rows(); }
};

inline constexpr double smallest_probability = 1e-30;

struct Divergence {
  double of_first = 0;   // from the second
  double of_second = 0;  // from the first

  double symmetric() const { return 0.5 * (of_first + of_second); }
};

// Adds the block to the divergences of its rows.
void add_divergences(const PredictionPair<float>& block, std::span<Divergence> rows);
void add_divergences(const PredictionPair<double>& block, std::span<Divergence> rows);

// Adds weight times the gradient of the symmetric divergence, once the divergences of all columns
// are known.
void add_r_drop_gradients(const PredictionPair<float>& block, std::span<const Divergence> rows,
                          float weight, std::span<float> first_gradient,
                          std::span<float> second_gradient);
void add_r_drop_gradients(const PredictionPair<double>& block, std::span<const Divergence> rows,
                          double weight, std::span<double> first_gradient,
                          std::span<double> second_gradient);

}  // namespace heed::kernels
