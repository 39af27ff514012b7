// The sizes of a tensor.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace heed {

// Up to six sizes, none negative, whose product fits 63 bits.
class Shape {
 public:
  static constexpr int max_rank = 6;

  Shape() = default;  // rank 0: one element
  Shape(std::initializer_list<int64_t> sizes) : Shape(std::span(sizes.begin(), sizes.size())) {}
  explicit Shape(std::span<const int64_t> sizes);

  int rank() const { return rank_; }
  int64_t operator[](int axis) const {
    return sizes_[axis < 0 ? axis + rank_ : axis];
  }  // -1 is the last axis
  int64_t elements() const;

  // The tensor as a matrix, with its leading axes folded into one: (rows, columns).
  int64_t columns() const { return rank_ == 0 ? 1 : sizes_[rank_ - 1]; }
  int64_t rows() const;

  Shape with_last(int64_t size) const;  // the same leading axes, another last one

  std::span<const int64_t> sizes() const { return {sizes_.data(), static_cast<size_t>(rank_)}; }
  std::string text() const;  // "(2, 3, 4)"

  bool operator==(const Shape& other) const;

 private:
  std::array<int64_t, max_rank> sizes_{};
  int rank_ = 0;
};

}  // namespace heed

// For errors: `require(fits, "op: shape {}", shape)` builds the text only if it fails.
template <>
struct fmt::formatter<heed::Shape> {
  static constexpr auto parse(format_parse_context& context) { return context.begin(); }
  static format_context::iterator format(const heed::Shape& shape, format_context& context);
};
