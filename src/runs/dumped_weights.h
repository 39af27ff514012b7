// Attention weights that another program has written: any arrays, with or without labels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/tensor/tensor.h"
#include "heed/visualisation/attention_page.h"
#include "heed/visualisation/heat_map.h"
#include "heed/weights/tensor_file.h"

namespace heed {

struct DumpedLabels {
  std::vector<std::string> queries, keys;  // none: numbers from 0
};

struct DumpedArray {
  std::string name;
  Tensor weights;                    // (batch, layers, heads, queries, keys)
  std::vector<DumpedLabels> labels;  // of each of the batch, or none
};

// An array of rank 2 to 5: the last two axes are queries and keys, the one before heads, then
// layers; the first of five is the batch. An Error says what else was found.
DumpedArray dumped_array(std::string name, const Tensor& weights);

// All arrays of a file, of which there is at least one; all have the same batch.
std::vector<DumpedArray> read_dumped_weights(const TensorFile& file);

// Labels from JSON: {"queries": ["a", "b"], "keys": […]}, or such an object under the name of each
// array. For a batch, a list of labels for each. `file` is the name for errors.
void label_dumped_weights(std::vector<DumpedArray>& arrays, std::string_view json,
                          std::string_view file);

AttentionPage dumped_page(const std::vector<DumpedArray>& arrays, std::string title);

// The maps of the first of the batch, of one layer or head if they are given, counted from 1. An
// Error if no array has such a head.
HeatMapFigure dumped_figure(const std::vector<DumpedArray>& arrays, std::string title,
                            std::optional<int64_t> layer, std::optional<int64_t> head);

}  // namespace heed
