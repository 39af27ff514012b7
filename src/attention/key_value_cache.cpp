#include "heed/attention/key_value_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "heed/base/error.h"

namespace heed {

namespace {

std::byte* bytes_of(Tensor& tensor) {
  return with_type(tensor.type(),
                   [&](auto zero) { return reinterpret_cast<std::byte*>(tensor.data<decltype(zero)>()); });
}

const std::byte* bytes_of(const Tensor& tensor) {
  return with_type(tensor.type(), [&](auto zero) {
    return reinterpret_cast<const std::byte*>(tensor.data<decltype(zero)>());
  });
}

// Copies `rows` rows of sequence `from_sequence` to row `into_row` of sequence `into_sequence`; both
// (sequences, room, width).
void copy_rows(const Tensor& from, int64_t from_sequence, Tensor& into, int64_t into_sequence,
               int64_t into_row, int64_t rows) {
  const size_t row_bytes = static_cast<size_t>(from.shape()[2]) * size_of(from.type());
  if (rows == 0 || row_bytes == 0) return;
  std::memcpy(bytes_of(into) + static_cast<size_t>(into_sequence * into.shape()[1] + into_row) * row_bytes,
              bytes_of(from) + static_cast<size_t>(from_sequence * from.shape()[1]) * row_bytes,
              static_cast<size_t>(rows) * row_bytes);
}

Tensor with_room(const Tensor& old, int64_t room, int64_t length) {
  // Zeros, because a masked key may still be multiplied by a weight of zero, which NaN would survive.
  Tensor grown = Tensor::zeros({old.shape()[0], room, old.shape()[2]}, old.type());
  for (int64_t s = 0; s < old.shape()[0]; ++s) copy_rows(old, s, grown, s, 0, length);
  return grown;
}

// rows[i] = rows[from[i]], as far as they are used. The spare memory takes the chosen rows and leaves that of
// the others behind, so that nothing is allocated as long as sequences only leave.
void select_rows(Tensor& rows, Tensor& spare, std::span<const int64_t> from, int64_t length) {
  const auto count = static_cast<int64_t>(from.size());
  const Shape shape{count, rows.shape()[1], rows.shape()[2]};
  if (!spare.present() || spare.shape()[0] < count || spare.shape()[1] != shape[1])
    spare = Tensor::zeros(shape, rows.type());
  Tensor chosen = spare.slice(0, count);
  for (int64_t s = 0; s < count; ++s) copy_rows(rows, from[static_cast<size_t>(s)], chosen, s, 0, length);
  spare = rows;
  rows = chosen;
}

}  // namespace

KeyValueCache::KeyValueCache(int64_t sequences, int64_t key_width, int64_t value_width, Type type)
    : keys_(Tensor::uninitialised({sequences, 0, key_width}, type)),
      values_(Tensor::uninitialised({sequences, 0, value_width}, type)) {}

KeyValueCache::KeyValueCache(const KeyValueCache& other)
    : keys_(other.keys_.clone()), values_(other.values_.clone()), length_(other.length_) {}

KeyValueCache& KeyValueCache::operator=(KeyValueCache other) {
  std::swap(keys_, other.keys_);
  std::swap(values_, other.values_);
  std::swap(spare_keys_, other.spare_keys_);
  std::swap(spare_values_, other.spare_values_);
  std::swap(length_, other.length_);
  return *this;
}

void KeyValueCache::append(const Tensor& keys, const Tensor& values) {
  const int64_t rows = keys.shape().rank() == 2 ? keys.shape()[0] : -1;
  require(rows >= 0 && sequences() > 0 && rows % sequences() == 0 && keys.shape()[1] == keys_.shape()[2] &&
              values.shape() == Shape{rows, values_.shape()[2]},
          "key-value cache: keys {} and values {} do not fit {} sequences of widths {} and {}", keys.shape(),
          values.shape(), sequences(), keys_.shape()[2], values_.shape()[2]);
  require(keys.type() == keys_.type() && values.type() == keys_.type(),
          "key-value cache: keys of type {} and values of type {} do not fit one of type {}",
          name_of(keys.type()), name_of(values.type()), name_of(keys_.type()));
  const int64_t added = rows / sequences();
  if (length_ + added > keys_.shape()[1]) {
    const int64_t room = std::max<int64_t>({length_ + added, 2 * keys_.shape()[1], 16});
    keys_ = with_room(keys_, room, length_);
    values_ = with_room(values_, room, length_);
  }
  const Tensor new_keys = keys.reshape({sequences(), added, keys.shape()[1]});
  const Tensor new_values = values.reshape({sequences(), added, values.shape()[1]});
  for (int64_t s = 0; s < sequences(); ++s) {
    copy_rows(new_keys, s, keys_, s, length_, added);
    copy_rows(new_values, s, values_, s, length_, added);
  }
  length_ += added;
}

void KeyValueCache::select(std::span<const int64_t> from) {
  for (const int64_t source : from)
    require(source >= 0 && source < sequences(), "key-value cache: sequence {} of {}", source, sequences());
  select_rows(keys_, spare_keys_, from, length_);
  select_rows(values_, spare_values_, from, length_);
}

}  // namespace heed
