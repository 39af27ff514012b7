// How far what a head attends to is from links that are given: the loss of guided alignment.
#pragma once

#include <cstdint>
#include <span>

#include "heed/autograd/tape.h"
#include "heed/tensor/ragged.h"
#include "heed/tensor/token_link.h"

namespace heed {

// What the queries of an attention and the keys that they ask look like, and one of the heads.
struct GuidedHead {
  Ragged query_layout, key_layout;
  int64_t head = 0;  // from 0
  int64_t heads = 1;
  int64_t kv_heads = 1;
};

// queries (tokens, heads × width), keys (tokens, KV heads × width), links from queries to the keys
// of their sequence, sorted -> one number: Σ over the queries i that have links of the mean over
// these links j of -log weight[i, j], where weight[i] = softmax_j(queries[i] · keys[j] / √width) is
// the attention of the head, without dropout. That is the cross-entropy between the links and the
// attention. `shares` are what the sums of the sequences are multiplied by; none: all are 1.
// Unlike `attend`, it holds the weights, but only of one head.
Variable link_loss(const Variable& queries, const Variable& keys, const GuidedHead& guided,
                   std::span<const TokenLink> links, std::span<const float> shares = {});

}  // namespace heed
