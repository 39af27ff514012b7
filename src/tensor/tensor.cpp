#include "heed/tensor/tensor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace heed {

namespace {

size_t bytes_of(const Shape& shape, Type type) {
  size_t bytes = 0;
  require(!__builtin_mul_overflow(static_cast<size_t>(shape.elements()), size_of(type), &bytes) &&
              bytes <= SIZE_MAX / 2,
          "tensor: shape {} of {} does not fit the address space", shape, name_of(type));
  return bytes;
}

}  // namespace

std::string_view name_of(Type type) {
  switch (type) {
    case Type::float32:
      return "float32";
    case Type::float64:
      return "float64";
  }
  __builtin_unreachable();
}

size_t size_of(Type type) {
  switch (type) {
    case Type::float32:
      return sizeof(float);
    case Type::float64:
      return sizeof(double);
  }
  __builtin_unreachable();
}

Tensor Tensor::uninitialised(Shape shape, Type type) {
  std::shared_ptr<std::byte> memory = allocate_memory(bytes_of(shape, type));
  std::byte* data = memory.get();
  return Tensor(shape, type, data, std::move(memory));
}

Tensor Tensor::uninitialised(Shape shape, Type type, const std::shared_ptr<Arena>& arena) {
  const size_t bytes = bytes_of(shape, type);
  void* memory = arena->allocate(bytes);
  // A plain capture would be const like the parameter, so that moving the function copies it.
  auto release = [arena = arena, bytes](void* released) { arena->release(released, bytes); };
  return Tensor(shape, type, memory, std::shared_ptr<void>(memory, std::move(release)));
}

Tensor Tensor::zeros(Shape shape, Type type) {
  Tensor result = uninitialised(shape, type);
  std::memset(result.data_, 0, result.bytes());
  return result;
}

Tensor Tensor::full(Shape shape, double value, Type type) {
  Tensor result = uninitialised(shape, type);
  result.fill(value);
  return result;
}

Tensor Tensor::of(Shape shape, std::initializer_list<float> values) {
  return copy_of(shape, std::span<const float>(values.begin(), values.size()));
}

double Tensor::operator[](int64_t index) const {
  assert(index >= 0 && index < elements());
  return with_type(type_,
                   [&](auto zero) { return static_cast<double>(data<decltype(zero)>()[index]); });
}

Tensor Tensor::reshape(Shape shape) const {
  require(shape.elements() == elements(), "reshape: {} has {} elements but {} has {}", shape_,
          elements(), shape, shape.elements());
  return Tensor(shape, type_, data_, owner_);
}

Tensor Tensor::slice(int64_t begin, int64_t end) const {
  require(shape_.rank() > 0 && begin >= 0 && begin <= end && end <= shape_[0],
          "slice: [{}, {}) of shape {}", begin, end, shape_);
  std::array<int64_t, Shape::max_rank> sizes{};
  std::ranges::copy(shape_.sizes(), sizes.begin());
  sizes[0] = end - begin;
  const Shape shape(std::span<const int64_t>(sizes.data(), static_cast<size_t>(shape_.rank())));
  const int64_t stride = shape_[0] == 0 ? 0 : elements() / shape_[0];
  auto* first =
      static_cast<std::byte*>(data_) + static_cast<size_t>(begin * stride) * size_of(type_);
  return Tensor(shape, type_, first, owner_);
}

Tensor Tensor::clone() const {
  if (!present()) return {};
  Tensor result = uninitialised(shape_, type_);
  result.copy_from(*this);
  return result;
}

Tensor Tensor::to(Type type) const {
  if (type == type_ || !present()) return clone();
  Tensor result = uninitialised(shape_, type);
  with_type(type_, [&](auto from) {
    with_type(type, [&](auto into) {
      using Into = decltype(into);
      std::ranges::transform(span<decltype(from)>(), result.data<Into>(),
                             [](auto x) { return static_cast<Into>(x); });
    });
  });
  return result;
}

void Tensor::copy_from(const Tensor& other) {
  require(present() && other.present(), "copy: an absent tensor holds no numbers");
  require(shape_ == other.shape_ && type_ == other.type_, "copy: {} of {} into {} of {}",
          other.shape_, name_of(other.type_), shape_, name_of(type_));
  // Both may be views of the same numbers.
  std::memmove(data_, other.data_, bytes());
}

void Tensor::fill(double value) {
  with_type(type_, [&](auto zero) {
    std::ranges::fill(span<decltype(zero)>(), static_cast<decltype(zero)>(value));
  });
}

}  // namespace heed
