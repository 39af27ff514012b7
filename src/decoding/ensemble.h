// Ensembles: several models predict the next token, and their probabilities are averaged.
#pragma once

#include <memory>
#include <vector>

#include "heed/models/model.h"

namespace heed {

// The models read the same source ids and predict the same target ids.
class Ensemble final : public Model {
 public:
  explicit Ensemble(std::vector<std::unique_ptr<Model>> models);

  // The logits are the logarithms of the mean probabilities; attention is the mean over the models
  // that have it.
  std::unique_ptr<Decoder> decode(const TokenBatch& source,
                                  const DecoderOptions& options = {}) const override;
  void make_ready(Precision precision) override;
  int64_t context_length() const override;
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) override;
  int64_t source_multiplications() const override;
  int64_t target_multiplications() const override;

  // An ensemble is not trained: it has no features of its own.
  Variable features(Tape& tape, const Batch& batch) const override;
  OutputLayer output_layer() const override;

 private:
  std::vector<std::unique_ptr<Model>> models_;
};

}  // namespace heed
