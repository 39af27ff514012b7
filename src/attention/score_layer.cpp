#include "heed/attention/score_layer.h"

#include "heed/base/error.h"
#include "heed/layers/initialisation.h"

namespace heed {

ScoreLayer::ScoreLayer(ScoreKind kind, const ScoreSizes& sizes, Rng& rng) : kind_(kind) {
  const int64_t hidden = sizes.hidden == 0 ? sizes.query_depth : sizes.hidden;
  switch (kind) {
    case ScoreKind::dot:
    case ScoreKind::scaled_dot:
    case ScoreKind::cosine:
      break;
    case ScoreKind::bilinear:
      weight_ = xavier_uniform(sizes.query_depth, sizes.key_depth, rng);
      break;
    case ScoreKind::additive:
      query_weight_ = xavier_uniform(hidden, sizes.query_depth, rng);
      key_weight_ = xavier_uniform(hidden, sizes.key_depth, rng);
      value_weight_ = xavier_uniform(1, hidden, rng).reshape({hidden});
      break;
    case ScoreKind::gaussian:
      require(sizes.width != 0.0, "score: a gaussian width of 0");
      width_ = Tensor::full({1}, sizes.width);
      break;
  }
}

Score ScoreLayer::on(Tape& tape) const {
  switch (kind_) {
    case ScoreKind::dot:
      return Dot{};
    case ScoreKind::scaled_dot:
      return ScaledDot{};
    case ScoreKind::cosine:
      return Cosine{};
    case ScoreKind::bilinear:
      return Bilinear{tape.watch(weight_)};
    case ScoreKind::additive:
      return Additive{tape.watch(query_weight_), tape.watch(key_weight_), tape.watch(value_weight_)};
    case ScoreKind::gaussian:
      return Gaussian{tape.watch(width_)};
  }
  __builtin_unreachable();
}

void ScoreLayer::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  if (weight_.present()) visit(dotted(prefix, "weight"), weight_);
  if (query_weight_.present()) {
    visit(dotted(prefix, "query.weight"), query_weight_);
    visit(dotted(prefix, "key.weight"), key_weight_);
    visit(dotted(prefix, "value.weight"), value_weight_);
  }
  if (width_.present()) visit(dotted(prefix, "width"), width_);
}

}  // namespace heed
