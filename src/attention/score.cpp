#include "heed/attention/score.h"

#include <cmath>
#include <limits>

#include "heed/autograd/linear.h"
#include "heed/autograd/normalisation.h"
#include "heed/base/error.h"

namespace heed {

namespace {

using kernels::ScoreForm;

void require_equal_widths(std::string_view score, const Variable& queries, const Variable& keys) {
  require(queries.shape().columns() == keys.shape().columns(),
          "attend: the {} score has query width {} but key width {}", score,
          queries.shape().columns(), keys.shape().columns());
}

void require_parameter(std::string_view name, const Variable& parameter, const Variable& queries) {
  require(parameter.present(), "attend: the {} is missing", name);
  require(parameter.type() == queries.type(), "attend: the {} has type {} but the queries {}", name,
          name_of(parameter.type()), name_of(queries.type()));
}

void require_shape(std::string_view name, const Variable& parameter, const Shape& expected) {
  require(parameter.shape() == expected, "attend: the {} has shape {} but {} was expected", name,
          parameter.shape(), expected);
}

PreparedScore prepare_score(const Dot&, const Variable& queries, const Variable& keys) {
  require_equal_widths("dot", queries, keys);
  return {queries, keys};
}

PreparedScore prepare_score(const ScaledDot&, const Variable& queries, const Variable& keys) {
  require_equal_widths("scaled-dot", queries, keys);
  return {queries, keys, ScoreForm::dot,
          1.0 / std::sqrt(static_cast<double>(queries.shape().columns()))};
}

PreparedScore prepare_score(const Bilinear& score, const Variable& queries, const Variable& keys) {
  require_parameter("bilinear weight", score.weight, queries);
  require_shape("bilinear weight", score.weight,
                {queries.shape().columns(), keys.shape().columns()});
  return {matmul(queries, score.weight), keys};
}

PreparedScore prepare_score(const Additive& score, const Variable& queries, const Variable& keys) {
  require_parameter("additive value weight", score.value_weight, queries);
  require_parameter("additive query weight", score.query_weight, queries);
  require_parameter("additive key weight", score.key_weight, queries);
  require(score.value_weight.shape().rank() == 1 && score.value_weight.shape()[0] > 0,
          "attend: the additive value weight has shape {} but (hidden) was expected",
          score.value_weight.shape());
  const int64_t hidden = score.value_weight.shape()[0];
  require_shape("additive query weight", score.query_weight, {hidden, queries.shape().columns()});
  require_shape("additive key weight", score.key_weight, {hidden, keys.shape().columns()});
  return {linear(queries, score.query_weight), linear(keys, score.key_weight), ScoreForm::additive,
          1.0, score.value_weight};
}

PreparedScore prepare_score(const Cosine&, const Variable& queries, const Variable& keys) {
  require_equal_widths("cosine", queries, keys);
  return {unit_rows(queries), unit_rows(keys)};
}

PreparedScore prepare_score(const Gaussian& score, const Variable& queries, const Variable& keys) {
  require_equal_widths("gaussian", queries, keys);
  require_parameter("gaussian bandwidth", score.bandwidth, queries);
  require(score.bandwidth.value().elements() == 1,
          "attend: the gaussian bandwidth has shape {} but one number was expected",
          score.bandwidth.shape());
  const double bandwidth = score.bandwidth.value()[0];
  const double scale = 1.0 / (2.0 * bandwidth * bandwidth);
  // A narrower kernel would multiply distances of zero by infinity.
  require(scale <= std::numeric_limits<float>::max(),
          "attend: a gaussian bandwidth of {} is too narrow", bandwidth);
  return {queries, keys, ScoreForm::gaussian, scale, {}, score.bandwidth};
}

}  // namespace

std::string_view name_of(ScoreKind kind) {
  switch (kind) {
    case ScoreKind::dot:
      return "dot";
    case ScoreKind::scaled_dot:
      return "scaled-dot";
    case ScoreKind::bilinear:
      return "bilinear";
    case ScoreKind::additive:
      return "additive";
    case ScoreKind::cosine:
      return "cosine";
    case ScoreKind::gaussian:
      return "gaussian";
  }
  __builtin_unreachable();
}

Score make_score(ScoreKind kind, std::span<const Variable> parameters) {
  switch (kind) {
    case ScoreKind::dot:
      return Dot{};
    case ScoreKind::scaled_dot:
      return ScaledDot{};
    case ScoreKind::cosine:
      return Cosine{};
    case ScoreKind::bilinear:
      return Bilinear{parameters[0]};
    case ScoreKind::additive:
      return Additive{parameters[0], parameters[1], parameters[2]};
    case ScoreKind::gaussian:
      return Gaussian{parameters[0]};
  }
  __builtin_unreachable();
}

ScoreKind kind_of(const Score& score) { return static_cast<ScoreKind>(score.index()); }

PreparedScore prepare(const Score& score, const Variable& queries, const Variable& keys) {
  return std::visit([&](const auto& kind) { return prepare_score(kind, queries, keys); }, score);
}

}  // namespace heed
