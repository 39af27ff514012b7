// Ensembles: several models predict the next token, and their probabilities are averaged.
#pragma once

#include <memory>
#include <vector>

#include "heed/models/generator.h"

namespace heed {

// The models read the same source ids and predict the same target ids. Their decoder gives the
// logarithms of the mean probabilities as logits; attention is the mean of the models that have it.
class Ensemble final : public Generator {
 public:
  explicit Ensemble(std::vector<std::shared_ptr<const Generator>> models);

  std::unique_ptr<Decoder> make_decoder() const override;
  int64_t max_length() const override;

 private:
  std::vector<std::shared_ptr<const Generator>> models_;
};

}  // namespace heed
