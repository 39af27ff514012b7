#include "heed/app/cli/attend.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heed/attention/attend.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

Mask make_mask(const AttendInput& input, const AttendOptions& options) {
  Mask mask;
  mask.causal = options.causal;
  mask.window = options.window;
  mask.valid_lengths = input.valid_lengths;
  mask.allowed = input.allowed;
  return mask;
}

double norm(const Tensor& tensor, int64_t begin, int64_t end) {
  double sum = 0;
  for (int64_t i = begin; i < end; ++i) sum += tensor[i] * tensor[i];
  return std::sqrt(sum);
}

double largest_row_norm(const Tensor& tensor) {
  const int64_t columns = tensor.shape().columns();
  double largest = 0;
  for (int64_t begin = 0; begin < tensor.elements(); begin += columns)
    largest = std::max(largest, norm(tensor, begin, begin + columns));
  return largest;
}

// Infinite scores have no softmax, and the kernels trust their callers: they would not notice.
void require_moderate_scores(const AttendInput& input, const AttendOptions& options,
                             const std::string& file) {
  const Type type = input.queries.type();
  const double limit = type == Type::float32 ? 1e37 : 1e300;
  require(score_bound(input, options.score) <= limit,
          "{}: numbers so large that the scores overflow {}", file, name_of(type));
}

void require_finite(const std::string& name, const Tensor& tensor, const std::string& file) {
  with_type(tensor.type(), [&](auto zero) {
    const bool finite = std::ranges::all_of(tensor.span<decltype(zero)>(),
                                            [](auto value) { return std::isfinite(value); });
    require(finite, "{}: numbers so large that {} overflows {}", file, quote(name),
            name_of(tensor.type()));
  });
}

}  // namespace

double score_bound(const AttendInput& input, ScoreKind kind) {
  const double query = largest_row_norm(input.queries);
  const double key = largest_row_norm(input.keys);
  const auto parameter = [&](size_t index) -> const Tensor& {
    return input.parameters[index].second;
  };
  const auto whole_norm = [](const Tensor& tensor) { return norm(tensor, 0, tensor.elements()); };
  switch (kind) {
    case ScoreKind::dot:
    case ScoreKind::scaled_dot:
      return query * key;
    // The score itself is at most 1, but the squares of the lengths must be finite too.
    case ScoreKind::cosine:
      return std::max({1.0, query * query, key * key});
    case ScoreKind::gaussian: {
      const double distance = query + key;
      const double bandwidth = parameter(0)[0];
      return distance * distance * std::max(1.0, 1 / (2 * bandwidth * bandwidth));
    }
    case ScoreKind::bilinear:
      return query * whole_norm(parameter(0)) * std::max(1.0, key);
    case ScoreKind::additive: {
      // |tanh| is at most 1, so the score is at most Σ |v|, which is at most √hidden ‖v‖.
      const double hidden = query * whole_norm(parameter(0)) + key * whole_norm(parameter(1));
      const auto size = static_cast<double>(parameter(2).elements());
      return std::max(hidden, std::sqrt(size) * whole_norm(parameter(2)));
    }
  }
  __builtin_unreachable();
}

AttendResult run_attend(const AttendInput& input, const AttendOptions& options,
                        const std::string& file) {
  require_moderate_scores(input, options, file);
  const bool with_gradients = input.output_gradient.present();
  AttendResult result;
  result.tape = std::make_shared<Tape>(TapeOptions{.record = with_gradients});
  std::vector<std::pair<std::string, Variable>> inputs = {
      {"queries", result.tape->watch(input.queries)},
      {"keys", result.tape->watch(input.keys)},
      {"values", result.tape->watch(input.values)}};
  std::vector<Variable> parameters;
  for (const auto& [name, tensor] : input.parameters) {
    parameters.push_back(result.tape->watch(tensor));
    inputs.emplace_back(name, parameters.back());
  }
  const int64_t heads = input.queries.shape().rank() == 4 ? 1 : options.heads;
  const Attended attended = attend({.queries = inputs[0].second,
                                    .keys = inputs[1].second,
                                    .values = inputs[2].second,
                                    .score = make_score(options.score, parameters),
                                    .mask = make_mask(input, options),
                                    .heads = heads,
                                    .want_weights = options.want_weights});
  result.output = attended.output.value();
  result.weights = attended.weights;
  require_finite("output", result.output, file);
  if (result.weights.present()) require_finite("weights", result.weights, file);
  if (!with_gradients) return result;

  result.tape->backward(attended.output, input.output_gradient);
  for (const auto& [name, variable] : inputs) {
    result.gradients.emplace_back(name + ".gradient", variable.gradient());
    require_finite(result.gradients.back().first, result.gradients.back().second, file);
  }
  return result;
}

HeatMapFigure attend_figure(const AttendInput& input, const AttendOptions& options,
                            const AttendResult& result) {
  const std::string title = fmt::format("Attention weights, {} score", name_of(options.score));
  const Shape& shape = result.weights.shape();
  // Heads of a single sequence: without the axis of size 1 they would be taken for a batch.
  const bool heads_without_batch = input.queries.shape().rank() == 2 && shape.rank() == 3;
  if (!heads_without_batch) return heat_map_figure(title, result.weights);
  return heat_map_figure(title, result.weights.reshape({1, shape[0], shape[1], shape[2]}));
}

void write_attend_example(const std::filesystem::path& path) {
  // Eight keys around a circle; query i points at key 2i. The values are the keys' numbers and
  // their squares.
  constexpr int64_t batch = 2, queries = 4, keys = 8;
  const auto angle = [](int64_t key) {
    return 2 * std::numbers::pi * static_cast<double>(key) / keys;
  };
  const auto point = [&](int64_t key, double length, float* to) {
    to[0] = static_cast<float>(length * std::cos(angle(key)));
    to[1] = static_cast<float>(length * std::sin(angle(key)));
  };
  Tensor query = Tensor::zeros({batch, queries, 2});
  Tensor key = Tensor::zeros({batch, keys, 2});
  Tensor value = Tensor::zeros({batch, keys, 2});
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < queries; ++i)
      point(2 * i, 4, query.data<float>() + (b * queries + i) * 2);
    for (int64_t j = 0; j < keys; ++j) {
      point(j, 1, key.data<float>() + (b * keys + j) * 2);
      value.data<float>()[(b * keys + j) * 2] = static_cast<float>(j);
      value.data<float>()[(b * keys + j) * 2 + 1] = static_cast<float>(j * j);
    }
  }
  TensorFileWriter writer;
  writer.add("queries", query);
  writer.add("keys", key);
  writer.add("values", value);
  writer.add_integers("valid_lengths", {batch}, {keys, 5});
  writer.add("output.gradient", Tensor::full({batch, queries, 2}, 1));
  writer.save(path);
}

}  // namespace heed
