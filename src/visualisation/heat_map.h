// Matrices of attention weights as figures, independent of the output format.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

struct HeatMap {
  std::string title;
  Tensor weights;  // (queries, keys), finite
  // One per query, or none: the queries are then numbered from 0.
  std::vector<std::string> query_labels;
  std::vector<std::string> key_labels;
};

struct HeatMapFigure {
  std::string title;
  std::vector<HeatMap> maps;
};

// The maps of weights of shape (queries, keys), (batch, queries, keys) or (batch, heads, queries,
// keys). The titles say which is which.
HeatMapFigure heat_map_figure(const std::string& title, const Tensor& weights);

// An Error unless each map has a finite matrix and matching labels.
void check_figure(const HeatMapFigure& figure);

// Blocks of equal size that cover `count` items, no more of them than `most`. The last may be
// shorter.
struct Blocks {
  Blocks(int64_t count, int64_t most);

  int64_t size;
  int64_t number;
};

// A map reduced to at most this many rows and columns by averaging blocks.
struct PooledMap {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t queries_per_row = 1;
  int64_t keys_per_column = 1;
  std::vector<double> means;  // (rows, columns)

  double mean(int64_t row, int64_t column) const { return means[row * columns + column]; }
};

PooledMap pool(const Tensor& weights, int64_t max_rows, int64_t max_columns);

// The values at the ends of a colour scale.
struct ValueRange {
  double low = 0;
  double high = 1;

  double unit(double value) const;  // where the value lies in the range, in [0, 1]
};

// From 0 (or the smallest value, if negative) to the largest; one range for all maps, so that they
// can be compared.
ValueRange range_of(std::span<const PooledMap> maps);

// 1, 2 or 5 times a power of ten, not smaller than `least`, which is positive.
double round_step(double least);

// Notes for a drawing of the figure's first maps: that cells are means of several weights, or that
// maps are left out. One sentence each.
std::vector<std::string> figure_notes(const HeatMapFigure& figure,
                                      std::span<const PooledMap> drawn);

}  // namespace heed
