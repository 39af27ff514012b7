#include "heed/training/flat_parameters.h"

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
  size_t next = 0;
  const std::vector<Parameter> homes = parts();
  model.visit_parameters({}, [&](const std::string&, Tensor& value) {
    Tensor home = homes[next++].value;
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

}  // namespace heed
