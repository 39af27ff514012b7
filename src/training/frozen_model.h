// A model of which only some parameters learn. The others stay as they are, bit for bit, and cost
// neither gradients nor moments.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "heed/models/model.h"

namespace heed {

// The names that belong to one of the parts. A part is "embeddings", or a stretch of dotted names,
// such as "encoder", "decoder.layers.3" or "self_attn"; "encoder:0-3" is of these layers alone; a
// comma joins several. An Error lists the parts that there are.
std::set<std::string> names_in_parts(std::span<const std::string> names,
                                     std::span<const std::string> parts);

// Shows only what learns. The whole model must outlive it.
class FrozenModel final : public PredictingModel {
 public:
  // An Error if there is no such part, or if nothing is left to learn.
  FrozenModel(PredictingModel& whole, std::span<const std::string> parts);

  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) override;
  Variable features(Tape& tape, const Batch& batch) const override;
  OutputLayer output_layer() const override { return whole_.output_layer(); }
  Variable loss(Tape& tape, const Batch& batch, const CrossEntropyOptions& options) const override;
  int64_t source_multiplications() const override { return whole_.source_multiplications(); }
  int64_t target_multiplications() const override { return whole_.target_multiplications(); }
  int64_t max_length() const override { return whole_.max_length(); }

 private:
  void freeze(Tape& tape) const;

  PredictingModel& whole_;
  std::set<std::string> frozen_;
  std::vector<Tensor> values_;  // of what is frozen
};

}  // namespace heed
