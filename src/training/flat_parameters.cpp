#include "heed/training/flat_parameters.h"

#include <algorithm>

#include "heed/base/round_up.h"

namespace heed {

FlatParameters::FlatParameters(ParameterModel& model) {
  // Whole cache lines for each, so that no two share one.
  constexpr int64_t line = 16;
  int64_t size = 0;
  model.visit_parameters({}, [&](const std::string& name, Tensor& value) {
    places_.push_back({name, value.shape(), size});
    size += round_up(value.elements(), line);
  });
  values_ = Tensor::zeros({size});
  parts_ = parts_of(values_);
  size_t next = 0;
  model.visit_parameters({}, [&](const std::string&, Tensor& value) {
    Tensor home = parts_[next++].value;
    home.copy_from(value);
    value = home;
  });
}

std::vector<Parameter> FlatParameters::parts_of(const Tensor& flat) const {
  std::vector<Parameter> parts;
  parts.reserve(places_.size());
  for (const Place& place : places_)
    parts.push_back(
        {place.name,
         flat.slice(place.begin, place.begin + place.shape.elements()).reshape(place.shape)});
  return parts;
}

Range FlatParameters::range_of(size_t part) const {
  const bool is_last = part + 1 == places_.size();
  return {places_[part].begin, is_last ? size() : places_[part + 1].begin};
}

size_t FlatParameters::part_at(int64_t begin) const {
  const auto found = std::ranges::lower_bound(places_, begin, {}, &Place::begin);
  return static_cast<size_t>(found - places_.begin());
}

}  // namespace heed
