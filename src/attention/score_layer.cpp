#include "heed/attention/score_layer.h"

#include <vector>

#include "heed/base/error.h"

namespace heed {

ScoreLayer::ScoreLayer(ScoreKind kind, const ScoreSizes& sizes, Initialiser init) : kind_(kind) {
  const int64_t hidden = sizes.hidden == 0 ? sizes.query_width : sizes.hidden;
  switch (kind) {
    case ScoreKind::dot:
    case ScoreKind::scaled_dot:
    case ScoreKind::cosine:
      break;
    case ScoreKind::bilinear:
      weight_ = init.xavier_uniform(sizes.query_width, sizes.key_width);
      break;
    case ScoreKind::additive:
      query_weight_ = init.xavier_uniform(hidden, sizes.query_width);
      key_weight_ = init.xavier_uniform(hidden, sizes.key_width);
      value_weight_ = init.xavier_uniform(1, hidden).reshape({hidden});
      break;
    case ScoreKind::gaussian:
      require(sizes.bandwidth != 0.0, "score: a gaussian bandwidth of 0");
      bandwidth_ = Tensor::full({1}, sizes.bandwidth);
      break;
  }
}

Score ScoreLayer::on(Tape& tape) const {
  std::vector<Variable> parameters;
  for (const Tensor& parameter : {weight_, query_weight_, key_weight_, value_weight_, bandwidth_})
    if (parameter.present()) parameters.push_back(tape.watch(parameter));
  return make_score(kind_, parameters);
}

void ScoreLayer::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  if (weight_.present()) visit(dotted(prefix, "weight"), weight_);
  if (query_weight_.present()) {
    visit(dotted(prefix, "query.weight"), query_weight_);
    visit(dotted(prefix, "key.weight"), key_weight_);
    visit(dotted(prefix, "value.weight"), value_weight_);
  }
  if (bandwidth_.present()) visit(dotted(prefix, "bandwidth"), bandwidth_);
}

}  // namespace heed
