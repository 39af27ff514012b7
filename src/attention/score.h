// Scores: how well a key matches a query. Softmax turns a query's scores into its weights.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "heed/autograd/tape.h"
#include "heed/kernels/attention.h"

namespace heed {

struct Dot {};        // q·k
struct ScaledDot {};  // q·k / sqrt(width)
struct Cosine {};     // q·k / (‖q‖ ‖k‖), 0 for a zero vector

// qᵀ W k: queries and keys may have different widths.
struct Bilinear {
  Variable weight;  // (query width, key width)
};

// vᵀ tanh(W_q q + W_k k), Bahdanau's score: queries and keys may have different widths.
struct Additive {
  Variable query_weight;  // (hidden, query width)
  Variable key_weight;    // (hidden, key width)
  Variable value_weight;  // (hidden)
};

// -‖q - k‖² / (2 bandwidth²): with it, attention is Nadaraya–Watson kernel regression. A watched
// bandwidth is learned.
struct Gaussian {
  Variable bandwidth;  // one number, not zero
};

using Score = std::variant<Dot, ScaledDot, Bilinear, Additive, Cosine, Gaussian>;

enum class ScoreKind {
  dot,
  scaled_dot,
  bilinear,
  additive,
  cosine,
  gaussian
};  // in the order of Score
std::string_view name_of(ScoreKind kind);
ScoreKind kind_of(const Score& score);
// The score of a kind with its parameters, in the order of its fields.
Score make_score(ScoreKind kind, std::span<const Variable> parameters);

// A score in the form the streamed kernel computes: queries and keys brought to one width, and the
// remaining parameters.
struct PreparedScore {
  Variable queries;  // (rows, width)
  Variable keys;     // (rows, width)
  kernels::ScoreForm form = kernels::ScoreForm::dot;
  double scale = 1.0;
  Variable vector = {};     // (width), of the additive form
  Variable bandwidth = {};  // of the Gaussian form
};

// queries (rows, query width), keys (rows, key width). Widths that do not match are refused.
PreparedScore prepare(const Score& score, const Variable& queries, const Variable& keys);

}  // namespace heed
