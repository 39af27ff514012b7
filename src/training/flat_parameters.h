// All parameters of a model in one flat array, so that reduction, optimiser, EMA and checkpoints
// are loops over one span.
#pragma once

#include <string>
#include <vector>

#include "heed/base/share.h"
#include "heed/models/model.h"

namespace heed {

class FlatParameters {
 public:
  // Moves the model's parameters into the array: from now on the model computes with what stands
  // there.
  explicit FlatParameters(ParameterModel& model);

  const Tensor& array() const { return values_; }  // (size)
  int64_t size() const { return values_.elements(); }

  // The parameters, or the parts of another array of the same size, e.g. of gradients, under their
  // names.
  const std::vector<Parameter>& parts() const { return parts_; }
  std::vector<Parameter> parts_of(const Tensor& flat) const;
  size_t count() const { return places_.size(); }
  // The numbers of a part, with the gap behind it.
  Range range_of(size_t part) const;
  size_t part_at(int64_t begin) const;  // the part that begins at this number
  Tensor zeros_like() const { return Tensor::zeros({size()}); }

 private:
  struct Place {
    std::string name;
    Shape shape;
    int64_t begin;
  };
  Tensor values_;
  std::vector<Place> places_;
  std::vector<Parameter> parts_;
};

}  // namespace heed
