// A model that stays as it is and learns low-rank adapters of its linear layers.
#pragma once

#include "heed/models/adaptable_model.h"
#include "heed/training/learning_part.h"

namespace heed {

// The scale of an adapter is alpha / rank.
struct AdapterConfig {
  int64_t rank = 8;
  double alpha = 16;
};

// Its parameters are those of the adapters: the name of a layer with ".lora_A" (down) and
// ".lora_B" (up). The whole model computes with them, too, and must outlive this one.
class AdaptedModel final : public LearningPart {
 public:
  // Gives the model new adapters. An Error if it has no linear layers to adapt, or if the rank is
  // not less than the sizes of one.
  AdaptedModel(Model& whole, const AdapterConfig& config, uint64_t seed);

  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) override;

 private:
  AdaptableModel& layers_;
};

}  // namespace heed
