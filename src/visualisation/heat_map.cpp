#include "heed/visualisation/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/round_up.h"
#include "heed/base/text.h"

namespace heed {

namespace {

double block_mean(const Tensor& weights, int64_t first_row, int64_t rows, int64_t first_column,
                  int64_t columns) {
  double sum = 0;
  for (int64_t row = first_row; row < first_row + rows; ++row)
    for (int64_t column = first_column; column < first_column + columns; ++column)
      sum += weights[row * weights.shape()[1] + column];
  return sum / static_cast<double>(rows * columns);
}

void check_labels(const char* kind, const std::vector<std::string>& labels, int64_t count) {
  require(labels.empty() || static_cast<int64_t>(labels.size()) == count,
          "heat map: {} {} labels but {} {}", labels.size(), kind, count,
          std::string_view(kind) == "key" ? "keys" : "queries");
}

}  // namespace

HeatMapFigure heat_map_figure(const std::string& title, const Tensor& weights) {
  const Shape& shape = weights.shape();
  const int rank = shape.rank();
  require(rank >= 2 && rank <= 4, "heat map: weights of shape {} but 2, 3 or 4 axes were expected",
          shape.text());
  const int64_t heads = rank == 4 ? shape[1] : 1;
  const int64_t batch = rank >= 3 ? shape[0] : 1;
  const Tensor matrices = weights.reshape({batch * heads, shape[-2], shape[-1]});
  HeatMapFigure figure{title, {}};
  for (int64_t map = 0; map < batch * heads; ++map) {
    std::string name;
    if (batch > 1) name = fmt::format("Batch {}", map / heads);
    if (heads > 1) name += fmt::format("{} {}", name.empty() ? "Head" : ", head", map % heads);
    const Tensor matrix = matrices.slice(map, map + 1).reshape({shape[-2], shape[-1]});
    figure.maps.push_back({name, matrix, {}, {}});
  }
  return figure;
}

void check_figure(const HeatMapFigure& figure) {
  for (const HeatMap& map : figure.maps) {
    const Shape& shape = map.weights.shape();
    require(map.weights.present() && shape.rank() == 2,
            "heat map: shape {} but (queries, keys) was expected", shape.text());
    check_labels("query", map.query_labels, shape[0]);
    check_labels("key", map.key_labels, shape[1]);
    for (int64_t i = 0; i < map.weights.elements(); ++i)
      require(std::isfinite(map.weights[i]), "heat map: weight {} at ({}, {}) is not finite",
              map.weights[i], i / shape[1], i % shape[1]);
  }
}

Blocks::Blocks(int64_t count, int64_t most)
    : size(std::max<int64_t>(1, divide_up(count, most))), number(divide_up(count, size)) {}

double ValueRange::unit(double value) const {
  // Halved first, because the difference of two finite numbers may be infinite.
  const double share = (value / 2 - low / 2) / (high / 2 - low / 2);
  return share > 0 ? std::min(share, 1.0) : 0.0;
}

PooledMap pool(const Tensor& weights, int64_t max_rows, int64_t max_columns) {
  const int64_t queries = weights.shape()[0];
  const int64_t keys = weights.shape()[1];
  const Blocks rows(queries, max_rows);
  const Blocks columns(keys, max_columns);
  PooledMap pooled{rows.number, columns.number, rows.size, columns.size, {}};
  pooled.means.reserve(static_cast<size_t>(rows.number * columns.number));
  for (int64_t query = 0; query < queries; query += rows.size)
    for (int64_t key = 0; key < keys; key += columns.size)
      pooled.means.push_back(block_mean(weights, query, std::min(rows.size, queries - query), key,
                                        std::min(columns.size, keys - key)));
  return pooled;
}

ValueRange range_of(std::span<const PooledMap> maps) {
  ValueRange range{0, 0};
  for (const PooledMap& map : maps)
    for (const double mean : map.means) {
      range.low = std::min(range.low, mean);
      range.high = std::max(range.high, mean);
    }
  if (range.low == range.high) range.high = range.low + 1;
  return range;
}

double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

std::vector<std::string> figure_notes(const HeatMapFigure& figure,
                                      std::span<const PooledMap> drawn) {
  const auto factors = [](const PooledMap& map) {
    return std::pair(map.queries_per_row, map.keys_per_column);
  };
  const bool all_alike =
      std::ranges::adjacent_find(drawn, std::ranges::not_equal_to(), factors) == drawn.end();
  std::vector<std::string> notes;
  for (size_t i = 0; i < drawn.size(); ++i) {
    const auto [queries, keys] = factors(drawn[i]);
    if (queries == 1 && keys == 1) continue;
    const std::string where = all_alike ? "" : fmt::format(" of {}", quote(figure.maps[i].title));
    notes.push_back(
        fmt::format("Each cell{} is the mean of {} × {} weights.", where, queries, keys));
    if (all_alike) break;
  }
  if (drawn.size() < figure.maps.size())
    notes.push_back(
        fmt::format("These are the first {} of {} maps.", drawn.size(), figure.maps.size()));
  return notes;
}

}  // namespace heed
