// What `heed attend` reads from its file: arrays that fit each other and the options, or an error
// in one sentence.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/attention/mask.h"
#include "heed/attention/score.h"
#include "heed/tensor/tensor.h"
#include "heed/weights/tensor_file.h"

namespace heed {

struct AttendOptions {
  ScoreKind score = ScoreKind::scaled_dot;
  bool causal = false;
  std::optional<int64_t> window = {};
  int64_t heads = 1;
  bool want_weights = true;
  double memory_limit = 1e12;  // bytes; larger inputs are refused before anything is allocated
};

struct AttendInput {
  Tensor queries, keys, values;
  // The score's parameters by the names they have in the file, in the order in which the score
  // takes them.
  std::vector<std::pair<std::string, Tensor>> parameters;
  std::vector<int64_t> valid_lengths;  // one per sequence or one per query; empty for no limit
  std::shared_ptr<const BooleanMask> allowed;  // null for no mask
  Tensor output_gradient;                      // absent if the file has none
  std::vector<std::string> unused;             // arrays of the file that are not used
};

// Reads, in float64 if the queries are, otherwise in float32:
//   queries, keys, values   (length, width), (batch, length, width)
//                           or (batch, heads, length, width)
//   score.*                 the parameters of the chosen score, for the width of one head
//   valid_lengths           I64 (batch) or (batch, queries), from 0 to the number of keys; optional
//   mask                    BOOL (queries, keys), also with the leading sizes; optional
//   output.gradient         the shape of the output; optional
AttendInput read_attend_input(const TensorFile& file, const AttendOptions& options);

}  // namespace heed
