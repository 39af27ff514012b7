// What layers learn: tensors with names. Every layer exposes its parameters through
//   void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);
// in a fixed order. Saving, optimising and counting build on that. Copies of a layer share their
// parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

struct Parameter {
  std::string name;  // a dotted path, e.g. "encoder.fc1.weight"
  Tensor value;      // shares its numbers with the layer
};

// May replace the value by another of the same shape, e.g. a loaded or converted one.
using ParameterVisitor = std::function<void(const std::string& name, Tensor& value)>;

// "encoder" and "weight" -> "encoder.weight"; an empty prefix leaves the name as it is.
std::string dotted(std::string_view prefix, std::string_view name);

template <typename Layer>
std::vector<Parameter> parameters_of(Layer& layer, std::string_view prefix = {}) {
  std::vector<Parameter> parameters;
  layer.visit_parameters(prefix, [&](const std::string& name, Tensor& value) {
    parameters.push_back({name, value});
  });
  return parameters;
}

template <typename Layer>
int64_t count_parameters(Layer& layer) {
  int64_t count = 0;
  layer.visit_parameters({}, [&](const std::string&, Tensor& value) { count += value.elements(); });
  return count;
}

// Gives the layer parameters of another type, e.g. float64 for gradient checks.
template <typename Layer>
void convert_parameters(Layer& layer, Type type) {
  layer.visit_parameters({}, [&](const std::string&, Tensor& value) { value = value.to(type); });
}

}  // namespace heed
