// A model that stays as it is and learns low-rank adapters of its linear layers.
#pragma once

#include <vector>

#include "heed/models/adaptable_model.h"
#include "heed/models/model.h"

namespace heed {

// The scale of an adapter is alpha / rank.
struct AdapterConfig {
  int64_t rank = 8;
  double alpha = 16;
};

// Its parameters are those of the adapters: the name of a layer with ".lora_A" (down) and
// ".lora_B" (up). The whole model computes with them, too, and must outlive this one.
class AdaptedModel final : public PredictingModel {
 public:
  // Gives the model new adapters. An Error if it has no linear layers to adapt, or if the rank is
  // not less than the sizes of one.
  AdaptedModel(Model& whole, const AdapterConfig& config, uint64_t seed);

  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) override;
  Variable features(Tape& tape, const Batch& batch) const override;
  OutputLayer output_layer() const override { return whole_.output_layer(); }
  Variable loss(Tape& tape, const Batch& batch, const CrossEntropyOptions& options) const override;
  int64_t source_multiplications() const override { return whole_.source_multiplications(); }
  int64_t target_multiplications() const override { return whole_.target_multiplications(); }
  int64_t max_length() const override { return whole_.max_length(); }

 private:
  void freeze(Tape& tape) const;

  Model& whole_;
  AdaptableModel& layers_;
  std::vector<Tensor> base_;  // what does not learn
};

}  // namespace heed
