#include "heed/decoding/search_history.h"

#include <algorithm>

namespace heed {

void SearchHistory::remember_attention(kernels::MatrixView<const float> rows,
                                       int64_t source_tokens) {
  step_begin_ = static_cast<int64_t>(attention_.size());
  row_size_ = source_tokens;
  for (int64_t row = 0; row < rows.rows; ++row)
    attention_.insert(attention_.end(), rows.row(row), rows.row(row) + source_tokens);
}

int64_t SearchHistory::extend(int64_t parent, int32_t token, int64_t row) {
  nodes_.push_back({parent, token, step_begin_ + row * row_size_});
  return static_cast<int64_t>(nodes_.size()) - 1;
}

std::vector<int64_t> SearchHistory::path(int64_t hypothesis) const {
  std::vector<int64_t> found;
  for (; hypothesis != root; hypothesis = nodes_[hypothesis].parent) found.push_back(hypothesis);
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<int32_t> SearchHistory::ids(int64_t hypothesis) const {
  std::vector<int32_t> found;
  for (const int64_t node : path(hypothesis)) found.push_back(nodes_[node].token);
  return found;
}

Tensor SearchHistory::attention(int64_t hypothesis) const {
  if (row_size_ == 0) return {};
  const std::vector<int64_t> nodes = path(hypothesis);
  Tensor weights = Tensor::uninitialised({static_cast<int64_t>(nodes.size()), row_size_});
  float* to = weights.data<float>();
  for (const int64_t node : nodes)
    to = std::copy_n(attention_.data() + nodes_[node].attention, row_size_, to);
  return weights;
}

}  // namespace heed
