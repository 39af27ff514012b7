#include "heed/attention/key_value_cache.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

KeyValueCache::KeyValueCache(int64_t sequences, int64_t key_width, int64_t value_width, Type type,
                             Tape* memory)
    : sequences_(sequences),
      key_width_(key_width),
      value_width_(value_width),
      type_(type),
      memory_(memory) {}

Tensor KeyValueCache::kept(const Tensor& block) const {
  if (memory_ == nullptr) return block.clone();
  Tensor copy = memory_->allocate(block.shape(), block.type());
  copy.copy_from(block);
  return copy;
}

void KeyValueCache::append(const Tensor& keys, const Tensor& values) {
  const int64_t rows = keys.shape().rank() == 2 ? keys.shape()[0] : -1;
  require(rows >= 0 && sequences_ > 0 && rows % sequences_ == 0 && keys.shape()[1] == key_width_ &&
              values.shape() == Shape{rows, value_width_},
          "key-value cache: keys {} and values {} do not fit {} sequences of widths {} and {}",
          keys.shape(), values.shape(), sequences_, key_width_, value_width_);
  require(keys.type() == type_ && values.type() == type_,
          "key-value cache: keys of type {} and values of type {} do not fit one of type {}",
          name_of(keys.type()), name_of(values.type()), name_of(type_));
  const int64_t added = rows / sequences_;
  for (int64_t token = 0; token < added; ++token) {
    Place place = {keys_.size(), {}};
    for (int64_t s = 0; s < sequences_; ++s) place.rows.push_back(s * added + token);
    places_.push_back(std::move(place));
  }
  keys_.push_back(kept(keys));
  values_.push_back(kept(values));
}

void KeyValueCache::select(std::span<const int64_t> from) {
  for (const int64_t source : from)
    require(source >= 0 && source < sequences_, "key-value cache: sequence {} of {}", source,
            sequences_);
  for (Place& place : places_) {
    std::vector<int64_t> rows;
    rows.reserve(from.size());
    for (const int64_t source : from) rows.push_back(place.rows[static_cast<size_t>(source)]);
    place.rows = std::move(rows);
  }
  sequences_ = static_cast<int64_t>(from.size());
}

Tensor KeyValueCache::gathered(const std::vector<Tensor>& blocks, int64_t width) const {
  Tensor all = Tensor::uninitialised({sequences_, length(), width}, type_);
  with_type(type_, [&](auto zero) {
    using T = decltype(zero);
    T* to = all.data<T>();
    for (size_t s = 0; s < static_cast<size_t>(sequences_); ++s)
      for (const Place& place : places_)
        to = std::copy_n(blocks[place.block].template data<T>() + place.rows[s] * width, width, to);
  });
  return all;
}

void KeyValueCache::locate(int64_t sequence, std::span<const float*> keys,
                           std::span<const float*> values) const {
  for (size_t t = 0; t < places_.size(); ++t) {
    const int64_t row = places_[t].rows[static_cast<size_t>(sequence)];
    keys[t] = std::as_const(keys_[places_[t].block]).data<float>() + row * key_width_;
    values[t] = std::as_const(values_[places_[t].block]).data<float>() + row * value_width_;
  }
}

}  // namespace heed
