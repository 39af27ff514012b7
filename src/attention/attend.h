// Attention: each query's output is the sum of the values, weighted by how well their keys match
// the query.
#pragma once

#include <optional>

#include "heed/attention/mask.h"
#include "heed/attention/score.h"
#include "heed/autograd/tape.h"
#include "heed/tensor/ragged.h"

namespace heed {

// What `attend` takes. Dense arrays have one of the shapes
//   (length, heads × width), (batch, length, heads × width) or (batch, heads, length, width),
// ragged ones (tokens, heads × width) with the layout of their sequences. Queries, keys and values
// agree in rank, batch and head count (but see kv_heads); keys and values in length. With several
// heads, each sees its own part of the width.
struct Attention {
  Variable queries = {};
  Variable keys = {};
  Variable values = {};
  Score score = ScaledDot{};
  Mask mask = {};
  int64_t heads = 1;     // for arrays with four axes, leave it at 1: their head axis counts
  int64_t kv_heads = 0;  // heads of keys and values, shared by groups of query heads; 0 for
                         // as many as `heads`
  double dropout = 0.0;  // on the weights, when the tape is training
  bool want_weights = false;
  std::optional<Ragged> query_layout = {};  // both or none
  std::optional<Ragged> key_layout = {};
};

struct Attended {
  Variable output;  // the shape of the queries, with the width of the values
  // The attention weights, if wanted: the axes (batch, heads, queries, keys), without the batch
  // axis for two-axis inputs and without the head axis for one head that has none of its own. For
  // ragged batches always all four, with the lengths of the longest sequences and zeros beyond each
  // sequence's end.
  Tensor weights;
};

// output[i] = Σ_j weight[i, j] values[j], weight[i] = dropout(softmax_j(score(queries[i], keys[j])
// + bias)) over the keys that the mask lets query i see. Streamed: never holds a (queries × keys)
// matrix unless the weights are wanted.
Attended attend(const Attention& attention);

}  // namespace heed
