// The top k columns of each row of scores, for decoding.
#pragma once

#include <cstdint>
#include <span>

namespace heed::kernels {

// For each row of `columns` scores x: the k columns of the highest ones, best first (the lower
// column first where they are equal), and log softmax(x) of these. `best` and `log_probabilities`
// have k elements per row, 1 <= k <= columns. A row that has no softmax (NaN, +infinity or nothing
// but -infinity in it) gets NaN.
void log_softmax_top_k(std::span<const float> x, int64_t columns, int64_t k,
                       std::span<int32_t> best, std::span<float> log_probabilities);

}  // namespace heed::kernels
