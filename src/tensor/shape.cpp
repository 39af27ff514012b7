#include "heed/tensor/shape.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

Shape::Shape(std::span<const int64_t> sizes) {
  require(sizes.size() <= max_rank, "shape: rank {} but at most {} axes are supported",
          sizes.size(), max_rank);
  std::copy(sizes.begin(), sizes.end(), sizes_.begin());
  rank_ = static_cast<int>(sizes.size());
  int64_t product = 1;
  for (const int64_t size : sizes) {
    require(size >= 0, "shape: {} has a negative size", *this);
    require(!__builtin_mul_overflow(product, std::max<int64_t>(size, 1), &product),
            "shape: {} is too large", *this);
  }
}

int64_t Shape::elements() const {
  int64_t product = 1;
  for (const int64_t size : sizes()) product *= size;
  return product;
}

int64_t Shape::rows() const {
  int64_t product = 1;
  for (int axis = 0; axis + 1 < rank_; ++axis) product *= sizes_[axis];
  return product;
}

Shape Shape::with_last(int64_t size) const {
  require(rank_ > 0, "shape: a single number has no last axis");
  std::array<int64_t, max_rank> changed = sizes_;
  changed[rank_ - 1] = size;
  return Shape(std::span<const int64_t>(changed.data(), static_cast<size_t>(rank_)));
}

std::string Shape::text() const { return fmt::format("({})", fmt::join(sizes(), ", ")); }

bool Shape::operator==(const Shape& other) const {
  return std::ranges::equal(sizes(), other.sizes());
}

}  // namespace heed

fmt::format_context::iterator fmt::formatter<heed::Shape>::format(const heed::Shape& shape,
                                                                  format_context& context) {
  return fmt::format_to(context.out(), "{}", shape.text());
}
