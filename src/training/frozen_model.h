// A model of which only some parameters learn.
#pragma once

#include <set>
#include <span>
#include <string>

#include "heed/training/learning_part.h"

namespace heed {

// The names that belong to one of the parts. A part is "embeddings", or a stretch of dotted names,
// such as "encoder", "decoder.layers.3" or "self_attn"; "encoder:0-3" is of these layers alone; a
// comma joins several. An Error lists the parts that there are.
std::set<std::string> names_in_parts(std::span<const std::string> names,
                                     std::span<const std::string> parts);

class FrozenModel final : public LearningPart {
 public:
  // An Error if there is no such part, or if nothing is left to learn.
  FrozenModel(PredictingModel& whole, std::span<const std::string> parts);

  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) override;

 private:
  std::set<std::string> frozen_;  // their names
};

}  // namespace heed
