// What the arithmetic kernels compute, element by element.
#pragma once

#include <cstddef>
#include <span>

namespace heed::reference {

template <typename T>
void add(std::span<const T> a, std::span<const T> b, std::span<T> y) {
  for (size_t i = 0; i < y.size(); ++i) y[i] = a[i] + b[i];
}

template <typename T>
void multiply(std::span<const T> a, std::span<const T> b, std::span<T> y) {
  for (size_t i = 0; i < y.size(); ++i) y[i] = a[i] * b[i];
}

template <typename T>
void add_scaled(T scale, std::span<const T> x, std::span<T> y) {
  for (size_t i = 0; i < y.size(); ++i) y[i] += scale * x[i];
}

template <typename T>
void scale(T factor, std::span<const T> x, std::span<T> y) {
  for (size_t i = 0; i < y.size(); ++i) y[i] = factor * x[i];
}

template <typename T>
T dot(std::span<const T> a, std::span<const T> b) {
  T sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

template <typename T>
void add_to_rows(std::span<const T> x, std::span<const T> bias, std::span<T> y) {
  for (size_t i = 0; i < y.size(); ++i) y[i] = x[i] + bias[i % bias.size()];
}

template <typename T>
void sum_rows(std::span<const T> x, std::span<T> sums) {
  for (size_t i = 0; i < x.size(); ++i) sums[i % sums.size()] += x[i];
}

}  // namespace heed::reference
