// An array of numbers with a shape: contiguous, row-major, cheap to copy because copies share the
// numbers. As with std::shared_ptr, const concerns the handle: a function that takes a const
// Tensor& does not write to it, but a copy of it can be written to. clone() gives numbers of one's
// own.
#pragma once

#include <algorithm>
#include <cassert>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "heed/base/error.h"
#include "heed/kernels/matrix_view.h"
#include "heed/tensor/arena.h"
#include "heed/tensor/shape.h"

namespace heed {

enum class Type { float32, float64 };  // float64 is for checks: kernels run their references on it

std::string_view name_of(Type type);
size_t size_of(Type type);

template <typename T>
constexpr Type type_of() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  return std::is_same_v<T, float> ? Type::float32 : Type::float64;
}

// Calls run(float{}) or run(double{}), so that one generic lambda serves both types.
template <typename Run>
decltype(auto) with_type(Type type, Run&& run) {
  switch (type) {
    case Type::float32:
      return run(float{});
    case Type::float64:
      return run(double{});
  }
  __builtin_unreachable();
}

class Tensor {
 public:
  Tensor() = default;  // absent: no elements, no memory

  static Tensor zeros(Shape shape, Type type = Type::float32);
  static Tensor full(Shape shape, double value, Type type = Type::float32);
  static Tensor uninitialised(Shape shape, Type type = Type::float32);
  // Uninitialised, in memory that returns to the arena with the last tensor that shares it. The
  // arena stays alive that long.
  static Tensor uninitialised(Shape shape, Type type, const std::shared_ptr<Arena>& arena);
  // Existing numbers that their owner keeps alive, e.g. the pages of a file.
  static Tensor sharing(Shape shape, Type type, void* data, std::shared_ptr<void> owner) {
    return Tensor(shape, type, data, std::move(owner));
  }
  static Tensor of(Shape shape, std::initializer_list<float> values);
  template <typename T>
  static Tensor copy_of(Shape shape, std::span<const T> values);

  bool present() const { return data_ != nullptr; }
  const Shape& shape() const { return shape_; }
  Type type() const { return type_; }
  int64_t elements() const { return present() ? shape_.elements() : 0; }
  size_t bytes() const { return static_cast<size_t>(elements()) * size_of(type_); }

  template <typename T>
  T* data() {
    assert(type_ == type_of<T>());
    return static_cast<T*>(data_);
  }
  template <typename T>
  const T* data() const {
    assert(type_ == type_of<T>());
    return static_cast<const T*>(data_);
  }
  template <typename T>
  std::span<T> span() {
    return {data<T>(), static_cast<size_t>(elements())};
  }
  template <typename T>
  std::span<const T> span() const {
    return {data<T>(), static_cast<size_t>(elements())};
  }
  // The leading axes folded into rows.
  template <typename T>
  kernels::MatrixView<T> matrix() {
    return kernels::matrix(data<T>(), shape_.rows(), shape_.columns());
  }
  template <typename T>
  kernels::MatrixView<const T> matrix() const {
    return kernels::matrix(data<T>(), shape_.rows(), shape_.columns());
  }
  template <typename T>
  std::span<T> row(int64_t index) {
    return {data<T>() + index * shape_.columns(), static_cast<size_t>(shape_.columns())};
  }
  template <typename T>
  std::span<const T> row(int64_t index) const {
    return {data<T>() + index * shape_.columns(), static_cast<size_t>(shape_.columns())};
  }
  double operator[](int64_t index) const;  // one element as a double, whatever the type

  // Views: they share the numbers.
  Tensor reshape(Shape shape) const;
  Tensor slice(int64_t begin, int64_t end) const;  // [begin, end) of the first axis

  // Deep copies; absent if this is.
  Tensor clone() const;
  Tensor to(Type type) const;

  void copy_from(const Tensor& other);  // of the same shape and type
  void fill(double value);

 private:
  Tensor(Shape shape, Type type, void* data, std::shared_ptr<void> owner)
      : shape_(shape), type_(type), data_(data), owner_(std::move(owner)) {}

  Shape shape_;
  Type type_ = Type::float32;
  void* data_ = nullptr;
  std::shared_ptr<void> owner_;
};

template <typename T>
Tensor Tensor::copy_of(Shape shape, std::span<const T> values) {
  require(static_cast<size_t>(shape.elements()) == values.size(), "tensor: {} values for shape {}",
          values.size(), shape);
  Tensor result = uninitialised(shape, type_of<T>());
  std::copy(values.begin(), values.end(), result.data<T>());
  return result;
}

}  // namespace heed
