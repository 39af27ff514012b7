// A score with the parameters it learns.
#pragma once

#include <string_view>

#include "heed/attention/score.h"
#include "heed/layers/initialisation.h"
#include "heed/layers/parameter.h"

namespace heed {

struct ScoreSizes {
  int64_t query_width = 0;
  int64_t key_width = 0;
  int64_t hidden = 0;      // of the additive score; 0 for the query width
  double bandwidth = 1.0;  // initial bandwidth of the Gaussian score
};

class ScoreLayer {
 public:
  // Weights begin Xavier-uniform.
  ScoreLayer(ScoreKind kind, const ScoreSizes& sizes, Initialiser init);

  // The score for use on a tape, its parameters watched.
  Score on(Tape& tape) const;
  ScoreKind kind() const { return kind_; }

  // weight (bilinear); query.weight, key.weight, value.weight (additive); bandwidth (gaussian).
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);

 private:
  ScoreKind kind_;
  Tensor weight_;                                    // bilinear
  Tensor query_weight_, key_weight_, value_weight_;  // additive
  Tensor bandwidth_;                                 // gaussian
};

}  // namespace heed
