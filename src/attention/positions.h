// Positions: attention by itself does not know the order of its keys. Sinusoidal and learned
// positions are added to the tokens, at the input or at every layer; rotary ones rotate queries and
// keys; distance biases are added to the scores.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "heed/attention/mask.h"
#include "heed/autograd/tape.h"
#include "heed/tensor/ragged.h"

namespace heed {

enum class PositionKind { none, sinusoidal, learned, rotary, alibi, relative };
enum class PositionPlacement { input, every_layer };  // of the kinds that are added to the tokens

enum class SinusoidOrder {
  interleaved,  // sin, cos, sin, cos, … as in the paper
  sines_first,  // all sines, then all cosines, as in MarianMT folders
};

// The position of the first token of each sequence: the same for all, or one for each.
class FirstPositions {
 public:
  FirstPositions(int64_t all = 0) : all_(all) {}
  FirstPositions(std::vector<int64_t> each) : each_(std::move(each)) {}

  int64_t operator[](int64_t sequence) const {
    return each_.empty() ? all_ : each_[static_cast<size_t>(sequence)];
  }

 private:
  int64_t all_ = 0;
  std::vector<int64_t> each_;
};

// The exponent e of the wave lengths 10000^e of the pairs i = 0, 1, …
enum class SinusoidSpacing {
  paper,          // 2i / width: the last stays below 1
  tensor2tensor,  // i / (width / 2 - 1), from 0 to 1, as in Tensor2Tensor and Marian
};

// (positions, width): sin and cos of position / 10000^e; the positions count from `first` on.
// Tensor2Tensor's spacing needs an even width of at least 4.
Tensor sinusoidal_positions(int64_t positions, int64_t width,
                            SinusoidOrder order = SinusoidOrder::interleaved,
                            Type type = Type::float32, int64_t first = 0,
                            SinusoidSpacing spacing = SinusoidSpacing::paper);

// x (tokens, width) plus row (first + index in its sequence) of a table (positions, width).
// Sequences longer than the table are refused. If the table is watched, it receives gradients:
// learned positions.
Variable add_positions(const Variable& x, const Ragged& layout, const Variable& table,
                       const FirstPositions& first = {});

// Rotary positions: each pair of elements (2i, 2i + 1) of each head turns by the angle position /
// base^(2i / width), so that the dot product of a query and a key depends on their distance alone.
// x (tokens, heads × width), width even.
Variable rotate(const Variable& x, const Ragged& layout, int64_t heads,
                const FirstPositions& first = {}, double base = 10000.0);

// ALiBi: -slope |key - query|, with the slopes 2^(-8/heads), 2^(-16/heads), … of its paper (for
// head counts that are not a power of two, the slopes of the next lower power and then every other
// one of the next higher). `max_distance` is the largest distance.
DistanceBias alibi(Tape& tape, int64_t heads, int64_t max_distance, Type type = Type::float32);

// Relative positions: one learned number per head and distance, (heads, 2 max_distance + 1); larger
// distances share the last.
DistanceBias relative_bias(const Variable& table);

}  // namespace heed
