// The table of embeddings: a vector for each id of a vocabulary.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "heed/autograd/embedding.h"
#include "heed/layers/initialisation.h"
#include "heed/layers/parameter.h"

namespace heed {

struct EmbeddingOptions {
  bool scaled = false;     // multiply by sqrt(width), as Transformers do
  double deviation = 1.0;  // of the embeddings at first
};

// Initialised from a normal distribution. If embeddings are scaled, the table's deviation is that
// of the embeddings / sqrt(width).
class Embedding {
 public:
  Embedding(int64_t vocabulary, int64_t width, Initialiser init, EmbeddingOptions options = {});

  // table[ids], scaled if the options say so: ids (tokens) -> (tokens, width).
  Variable operator()(Tape& tape, std::span<const int32_t> ids) const;
  // x tableᵀ: (..., width) -> (..., vocabulary). The same table read the other way, as the output
  // layer of a model with tied embeddings; never scaled.
  Variable project(const Variable& x) const;
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);  // weight

  const Tensor& table() const { return table_; }  // (vocabulary, width)
  int64_t vocabulary() const { return table_.shape()[0]; }
  int64_t width() const { return table_.shape()[1]; }
  double scale() const { return scale_; }

 private:
  Tensor table_;  // (vocabulary, width)
  double scale_;
};

}  // namespace heed
