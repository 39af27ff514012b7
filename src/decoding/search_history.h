// The hypotheses of a search as a tree: those with a common prefix share it.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

class SearchHistory {
 public:
  static constexpr int64_t root = -1;  // the empty hypothesis

  // The attention of a step: what its rows looked at to score the next token. Of each row the
  // first `source_tokens` count, the same number at every step. Not needed where nobody wants it.
  void remember_attention(kernels::MatrixView<const float> rows, int64_t source_tokens);

  // The hypothesis `parent` with one more token, which row `row` of the last step proposed.
  int64_t extend(int64_t parent, int32_t token, int64_t row);

  std::vector<int32_t> ids(int64_t hypothesis) const;
  // (tokens, source tokens), of the hypothesis' tokens; absent if nothing was remembered.
  Tensor attention(int64_t hypothesis) const;

 private:
  struct Node {
    int64_t parent;
    int32_t token;
    int64_t attention;  // where its row begins in attention_
  };

  std::vector<int64_t> path(int64_t hypothesis) const;

  std::vector<Node> nodes_;
  std::vector<float> attention_;
  int64_t step_begin_ = 0;  // of the last step's rows in attention_
  int64_t row_size_ = 0;
};

}  // namespace heed
