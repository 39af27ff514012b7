#include "heed/attention/mask.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "heed/base/error.h"

namespace heed {

namespace {

// The size of an axis of (batch, heads, queries, keys); missing axes count as 1.
int64_t axis_size(const Shape& shape, int axis) {
  const int rank = shape.rank();
  if (axis >= 2) return shape[axis - 4];
  if (axis == 0) return rank >= 3 ? shape[0] : 1;
  return rank == 4 ? shape[1] : 1;
}

void check_axes(std::string_view name, const Shape& shape, int64_t heads, const Ragged& queries,
                const Ragged& keys) {
  const Shape expected{queries.sequences(), heads, queries.longest(), keys.longest()};
  bool fits = shape.rank() >= 2 && shape.rank() <= 4;
  for (int axis = 0; fits && axis < 4; ++axis) {
    const int64_t size = axis_size(shape, axis);
    fits = size == 1 || size == expected[axis];
  }
  require(
      fits,
      "attend: the {} has shape {} but ({}, {}) with leading sizes of ({}, {}) or 1 was expected",
      name, shape, expected[2], expected[3], expected[0], expected[1]);
}

void check_valid_lengths(const std::vector<int64_t>& lengths, const Ragged& queries,
                         const Ragged& keys) {
  const auto count = static_cast<int64_t>(lengths.size());
  const int64_t batch = queries.sequences();
  require(count == batch || count == batch * queries.longest(),
          "attend: {} valid lengths but {} (one per sequence) or {} (one per query) were expected",
          count, batch, batch * queries.longest());
  const int64_t per_sequence = batch == 0 ? 0 : count / batch;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t length = lengths[static_cast<size_t>(i)];
    require(length >= 0 && length <= keys.length(i / per_sequence),
            "attend: valid length {} of sequence {} is not between 0 and its {} keys", length,
            i / per_sequence, keys.length(i / per_sequence));
  }
}

}  // namespace

void check_mask(const Mask& mask, int64_t heads, const Ragged& queries, const Ragged& keys) {
  require(!mask.window || *mask.window >= 0, "attend: a window of {} but 0 or more was expected",
          mask.window.value_or(0));
  // Far enough from the largest integer that positions after it do not overflow.
  constexpr int64_t last_position = std::numeric_limits<int64_t>::max() / 2;
  require(mask.first_query >= 0 && mask.first_query <= last_position,
          "attend: the first query is at position {} but 0 to {} was expected", mask.first_query,
          last_position);
  if (!mask.valid_lengths.empty()) check_valid_lengths(mask.valid_lengths, queries, keys);
  if (mask.allowed) {
    check_axes("mask", mask.allowed->shape, heads, queries, keys);
    require(static_cast<int64_t>(mask.allowed->allowed.size()) == mask.allowed->shape.elements(),
            "attend: the mask has {} elements but shape {}", mask.allowed->allowed.size(),
            mask.allowed->shape);
  }
  if (mask.bias.present()) check_axes("bias", mask.bias.shape(), heads, queries, keys);
  if (mask.distance_bias.table.present()) {
    const Shape& table = mask.distance_bias.table.shape();
    require(table.rank() == 2 && table[0] == heads && table[1] > 0,
            "attend: the distance bias has shape {} but ({}, distances) was expected", table,
            heads);
    const int64_t origin = mask.distance_bias.origin;
    require(origin >= 0 && origin < table[1],
            "attend: the distance bias has its origin at {} but it has {} distances", origin,
            table[1]);
  }
}

std::vector<kernels::KeyRange> key_ranges(const Mask& mask, const Ragged& queries,
                                          const Ragged& keys) {
  if (!mask.causal && !mask.window && mask.valid_lengths.empty()) return {};
  const int64_t batch = queries.sequences();
  const bool per_query = static_cast<int64_t>(mask.valid_lengths.size()) != batch;
  std::vector<kernels::KeyRange> ranges;
  ranges.reserve(static_cast<size_t>(queries.tokens()));
  for (int64_t s = 0; s < batch; ++s) {
    const int64_t count = keys.length(s);
    for (int64_t i = 0; i < queries.length(s); ++i) {
      const int64_t position = mask.first_query + i;
      int64_t begin = 0, end = count;
      if (mask.causal) end = std::min(end, position + 1);
      if (mask.window) {
        begin = std::max<int64_t>(begin, position - *mask.window);
        // Compared this way so that a huge window does not overflow.
        if (*mask.window < count - position) end = std::min(end, position + *mask.window + 1);
      }
      if (!mask.valid_lengths.empty())
        end = std::min(
            end,
            mask.valid_lengths[static_cast<size_t>(per_query ? s * queries.longest() + i : s)]);
      ranges.push_back(begin < end ? kernels::KeyRange{begin, end} : kernels::KeyRange{});
    }
  }
  return ranges;
}

template <typename T>
kernels::MatrixView<T> mask_view(T* data, const Shape& shape, int64_t sequence, int64_t head) {
  const int64_t queries = axis_size(shape, 2), keys = axis_size(shape, 3);
  const int64_t s = axis_size(shape, 0) == 1 ? 0 : sequence;
  const int64_t h = axis_size(shape, 1) == 1 ? 0 : head;
  T* first = data + (s * axis_size(shape, 1) + h) * queries * keys;
  return {first, queries, keys, queries == 1 ? 0 : keys, keys == 1 ? 0 : 1};
}

template kernels::MatrixView<const uint8_t> mask_view(const uint8_t*, const Shape&, int64_t,
                                                      int64_t);
template kernels::MatrixView<const float> mask_view(const float*, const Shape&, int64_t, int64_t);
template kernels::MatrixView<const double> mask_view(const double*, const Shape&, int64_t, int64_t);
template kernels::MatrixView<float> mask_view(float*, const Shape&, int64_t, int64_t);
template kernels::MatrixView<double> mask_view(double*, const Shape&, int64_t, int64_t);

}  // namespace heed
