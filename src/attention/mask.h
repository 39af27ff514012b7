// Masks: which keys a query may see, and what is added to their scores.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "heed/autograd/tape.h"
#include "heed/kernels/attention.h"
#include "heed/tensor/ragged.h"

namespace heed {

// An arbitrary mask; true (1) = may attend. Axes of size 1 are broadcast. The axes are (queries,
// keys), (batch, queries, keys) or (batch, heads, queries, keys); for ragged batches `queries` and
// `keys` are the lengths of the longest sequences.
struct BooleanMask {
  Shape shape;
  std::vector<uint8_t> allowed;
};

// A learned or given number for each distance between a key and a query: added to the score of key
// j for query i is table[head, j - i + origin], the index clamped to the table. ALiBi and relative
// positions work this way.
struct DistanceBias {
  Variable table;  // (heads, distances)
  int64_t origin = 0;
};

// All conditions apply together. A query without any visible key gives zeros and zero gradients.
struct Mask {
  bool causal = false;                 // query i sees the keys up to its own position
  std::optional<int64_t> window = {};  // query i sees the keys from i - window to i + window
  std::vector<int64_t> valid_lengths =
      {};  // keys from this index on are hidden: one per sequence, or one per query of each
           // sequence (batch × queries, row by row); empty for no limit
  std::shared_ptr<const BooleanMask> allowed = nullptr;
  Variable bias = {};  // added to the scores; axes as in BooleanMask
  DistanceBias distance_bias = {};
  // The position of the first query among the keys, when decoding step by step.
  int64_t first_query = 0;
};

// The keys [begin, end) that each query of each sequence may see by causality, window and valid
// lengths, sequence after sequence; empty when every query sees every key.
std::vector<kernels::KeyRange> key_ranges(const Mask& mask, const Ragged& queries,
                                          const Ragged& keys);

// Refuses masks whose sizes do not fit the batch, naming the mask and both sizes.
void check_mask(const Mask& mask, int64_t heads, const Ragged& queries, const Ragged& keys);

// The (queries, keys) part of an array with the axes of BooleanMask that belongs to one sequence
// and head.
template <typename T>
kernels::MatrixView<T> mask_view(T* data, const Shape& shape, int64_t sequence, int64_t head);

extern template kernels::MatrixView<const uint8_t> mask_view(const uint8_t*, const Shape&, int64_t,
                                                             int64_t);
extern template kernels::MatrixView<const float> mask_view(const float*, const Shape&, int64_t,
                                                           int64_t);
extern template kernels::MatrixView<const double> mask_view(const double*, const Shape&, int64_t,
                                                            int64_t);
extern template kernels::MatrixView<float> mask_view(float*, const Shape&, int64_t, int64_t);
extern template kernels::MatrixView<double> mask_view(double*, const Shape&, int64_t, int64_t);

}  // namespace heed
