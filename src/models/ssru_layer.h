// What a decoder layer has instead of self-attention where its past is one cell for each token: the
// simpler simple recurrent unit (Kim et al., 2019).
#pragma once

#include <string_view>

#include "heed/attention/key_value_cache.h"
#include "heed/layers/linear.h"

namespace heed {

// ssru(W x, W_f x + b_f): see autograd/ssru.h. x (tokens, width) -> the same shape.
class SsruLayer {
 public:
  SsruLayer(int64_t width, Initialiser init);

  // Each token sees those before it in its sequence.
  Variable operator()(const Variable& x, const Ragged& layout) const;

  // x (tokens, width): the new tokens that the cache has grown by. The cache keeps the cell of each
  // token, so that hypotheses are copied as with keys and values.
  Variable step(const Variable& x, KeyValueCache& cache, int64_t layer) const;
  CacheSizes cache_sizes(int64_t layers) const;

  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);
  void visit_linears(std::string_view prefix, const LinearVisitor& visit);
  SsruLayer prepared(Preparation how) const;  // see Linear

 private:
  Linear candidates_, gates_;
};

}  // namespace heed
