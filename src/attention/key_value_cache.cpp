#include "heed/attention/key_value_cache.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"

namespace heed {

namespace {

// Enough that the rows of a step mostly are neighbours.
constexpr int64_t places_per_block = 128;

}  // namespace

KeyValueCache::KeyValueCache(const CacheSizes& sizes, int64_t sequences) : sizes_(sizes) {
  require(sizes.layers >= 1 && sizes.key_width >= 1 && sizes.value_width >= 0,
          "key-value cache: {} layers of keys of width {} and values of width {}", sizes.layers,
          sizes.key_width, sizes.value_width);
  add(sequences);
}

int64_t KeyValueCache::length(int64_t sequence) const {
  return static_cast<int64_t>(places_[static_cast<size_t>(sequence)].size());
}

int64_t KeyValueCache::longest() const {
  int64_t longest = 0;
  for (int64_t s = 0; s < sequences(); ++s) longest = std::max(longest, length(s));
  return longest;
}

void KeyValueCache::add(int64_t sequences) {
  places_.resize(places_.size() + static_cast<size_t>(sequences));
}

void KeyValueCache::select(std::span<const int64_t> from) {
  std::vector<int64_t> left(places_.size(), 0);  // copies that are still to be made of each
  for (const int64_t source : from) {
    require(source >= 0 && source < sequences(), "key-value cache: sequence {} of {}", source,
            sequences());
    ++left[static_cast<size_t>(source)];
  }
  for (size_t s = 0; s < places_.size(); ++s)
    if (left[s] == 0) give_back(places_[s]);
  std::vector<std::vector<Place>> selected;
  selected.reserve(from.size());
  for (const int64_t source : from) {
    std::vector<Place>& places = places_[static_cast<size_t>(source)];
    if (--left[static_cast<size_t>(source)] == 0) {
      selected.push_back(std::move(places));
      continue;
    }
    for (const Place place : places) ++users_[static_cast<size_t>(place)];
    selected.push_back(places);
  }
  places_ = std::move(selected);
  added_ = {};
}

void KeyValueCache::give_back(std::span<const Place> places) {
  for (const Place place : places)
    if (--users_[static_cast<size_t>(place)] == 0) free_.push_back(place);
}

KeyValueCache::Place KeyValueCache::take_place() {
  if (free_.empty()) {
    const size_t floats = static_cast<size_t>(places_per_block * sizes_.layers *
                                              (sizes_.key_width + sizes_.value_width));
    blocks_.push_back(std::make_unique_for_overwrite<float[]>(floats));
    const auto first = static_cast<Place>(users_.size());
    users_.resize(users_.size() + places_per_block, 0);
    // The lowest first.
    for (Place i = places_per_block; i > 0; --i) free_.push_back(first + i - 1);
  }
  const Place place = free_.back();
  free_.pop_back();
  users_[static_cast<size_t>(place)] = 1;
  return place;
}

void KeyValueCache::grow(const Ragged& added) {
  require(added.sequences() == sequences(), "key-value cache: tokens for {} sequences of {}",
          added.sequences(), sequences());
  for (size_t s = 0; s < places_.size(); ++s)
    for (int64_t i = 0; i < added.length(static_cast<int64_t>(s)); ++i)
      places_[s].push_back(take_place());
  added_ = added;
}

std::vector<int64_t> KeyValueCache::first_positions() const {
  std::vector<int64_t> first;
  for (int64_t s = 0; s < added_.sequences(); ++s) first.push_back(length(s) - added_.length(s));
  return first;
}

// A block holds the keys of its places in the first layer, then their values, then the next layer.
float* KeyValueCache::keys_at(int64_t layer, Place place) const {
  const int64_t width = sizes_.key_width + sizes_.value_width;
  return blocks_[static_cast<size_t>(place / places_per_block)].get() +
         layer * places_per_block * width + place % places_per_block * sizes_.key_width;
}

float* KeyValueCache::values_at(int64_t layer, Place place) const {
  const int64_t width = sizes_.key_width + sizes_.value_width;
  return blocks_[static_cast<size_t>(place / places_per_block)].get() +
         layer * places_per_block * width + places_per_block * sizes_.key_width +
         place % places_per_block * sizes_.value_width;
}

void KeyValueCache::store(int64_t layer, const Tensor& keys, const Tensor& values) {
  require(keys.shape() == Shape{added_.tokens(), sizes_.key_width} &&
              values.shape() == Shape{added_.tokens(), sizes_.value_width},
          "key-value cache: keys {} and values {} do not fit {} tokens of widths {} and {}",
          keys.shape(), values.shape(), added_.tokens(), sizes_.key_width, sizes_.value_width);
  require(keys.type() == Type::float32 && values.type() == Type::float32,
          "key-value cache: keys of type {} and values of type {} but float32 was expected",
          name_of(keys.type()), name_of(values.type()));
  const float *key = keys.data<float>(), *value = values.data<float>();
  for (size_t s = 0; s < places_.size(); ++s) {
    const auto count = static_cast<size_t>(added_.length(static_cast<int64_t>(s)));
    for (const Place place : std::span(places_[s]).last(count)) {
      std::copy_n(key, sizes_.key_width, keys_at(layer, place));
      std::copy_n(value, sizes_.value_width, values_at(layer, place));
      key += sizes_.key_width;
      value += sizes_.value_width;
    }
  }
}

void KeyValueCache::locate(int64_t layer, int64_t sequence, std::span<const float*> keys,
                           std::span<const float*> values) const {
  const std::vector<Place>& places = places_[static_cast<size_t>(sequence)];
  for (size_t t = 0; t < keys.size(); ++t) {
    keys[t] = keys_at(layer, places[t]);
    values[t] = values_at(layer, places[t]);
  }
}

}  // namespace heed
