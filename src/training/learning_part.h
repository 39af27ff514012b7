// A model of which only a part learns. The rest stays as it is, bit for bit, and costs neither
// gradients nor moments.
#pragma once

#include <vector>

#include "heed/models/model.h"

namespace heed {

// Computes what the whole model computes, which must outlive it. What learns is what
// visit_parameters shows.
class LearningPart : public PredictingModel {
 public:
  Variable features(Tape& tape, const Batch& batch) const final {
    freeze(tape);
    return whole_.features(tape, batch);
  }
  Variable loss(Tape& tape, const Batch& batch, const CrossEntropyOptions& options) const final {
    freeze(tape);
    return whole_.loss(tape, batch, options);
  }
  OutputLayer output_layer() const final { return whole_.output_layer(); }
  void visit_look_ups(const Batch& batch, const LookUpVisitor& visit) const final {
    whole_.visit_look_ups(batch, visit);
  }
  int64_t source_multiplications() const final { return whole_.source_multiplications(); }
  int64_t target_multiplications() const final { return whole_.target_multiplications(); }
  int64_t max_length() const final { return whole_.max_length(); }

 protected:
  explicit LearningPart(PredictingModel& whole) : whole_(whole) {}

  PredictingModel& whole() const { return whole_; }
  void add_frozen(const Tensor& value) { frozen_.push_back(value); }

 private:
  void freeze(Tape& tape) const {
    for (const Tensor& value : frozen_) tape.collect_gradient(value, Tensor());
  }

  PredictingModel& whole_;
  std::vector<Tensor> frozen_;
};

}  // namespace heed
