// What the activation kernels compute, element by element.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>

#include "heed/kernels/activation.h"

namespace heed::reference {

template <typename T>
T sigmoid(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

// Φ(x), through erfc, which stays accurate far below zero.
template <typename T>
T normal_distribution(T x) {
  return std::erfc(-x / std::numbers::sqrt2_v<T>) / T(2);
}

template <typename T>
T normal_density(T x) {
  return std::exp(-x * x / T(2)) * std::numbers::inv_sqrtpi_v<T> / std::numbers::sqrt2_v<T>;
}

template <typename T>
T activated(kernels::Activation kind, T x) {
  // gelu and swish tend to 0 at -infinity, where their formulas read -infinity times 0.
  const T finite = x < std::numeric_limits<T>::lowest() ? std::numeric_limits<T>::lowest() : x;
  switch (kind) {
    case kernels::Activation::identity:
      return x;
    case kernels::Activation::relu:
      return x < T(0) ? T(0) : x;
    case kernels::Activation::tanh:
      return std::tanh(x);
    case kernels::Activation::sigmoid:
      return sigmoid(x);
    case kernels::Activation::gelu:
      return finite * normal_distribution(finite);
    case kernels::Activation::swish:
      return finite * sigmoid(finite);
  }
  return x;
}

// f'(x); relu has none at 0 and takes 0 there.
template <typename T>
T slope(kernels::Activation kind, T x) {
  // Beyond this the densities are 0, and x times them would be infinity times 0.
  const T limit = std::numeric_limits<T>::max();
  const T finite = x < -limit ? -limit : x > limit ? limit : x;
  switch (kind) {
    case kernels::Activation::identity:
      return T(1);
    case kernels::Activation::relu:
      return x > T(0) ? T(1) : T(0);
    case kernels::Activation::tanh:
      return T(1) - std::tanh(x) * std::tanh(x);
    case kernels::Activation::sigmoid:
      return sigmoid(x) * sigmoid(-x);
    case kernels::Activation::gelu:
      return normal_distribution(finite) + finite * normal_density(finite);
    case kernels::Activation::swish:
      return sigmoid(finite) * (T(1) + finite * sigmoid(-finite));
  }
  return T(1);
}

template <typename T>
void exp(std::span<const T> x, std::span<T> y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] = std::exp(x[i]);
}

template <typename T>
void activate(kernels::Activation kind, std::span<const T> x, std::span<T> y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] = activated(kind, x[i]);
}

template <typename T>
void activate_backward(kernels::Activation kind, std::span<const T> x, std::span<const T> dy,
                       std::span<T> dx) {
  for (size_t i = 0; i < x.size(); ++i) dx[i] = dy[i] * slope(kind, x[i]);
}

}  // namespace heed::reference
