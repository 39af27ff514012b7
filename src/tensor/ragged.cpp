#include "heed/tensor/ragged.h"

#include <algorithm>
#include <cstring>

#include "heed/base/error.h"

namespace heed {

namespace {

std::byte* address(Tensor& tensor, int64_t row) {
  return with_type(tensor.type(), [&](auto zero) {
    return reinterpret_cast<std::byte*>(tensor.data<decltype(zero)>() +
                                        row * tensor.shape().columns());
  });
}

// Copies each sequence between its place among all tokens and its place in the padded tensor.
template <typename Copy>
void for_each_sequence(Tensor dense, Tensor tokens, const Ragged& layout, Copy&& copy) {
  const int64_t length = dense.shape()[1];
  const size_t row_bytes = static_cast<size_t>(dense.shape().columns()) * size_of(dense.type());
  for (int64_t s = 0; s < layout.sequences(); ++s) {
    const size_t bytes = static_cast<size_t>(layout.length(s)) * row_bytes;
    if (bytes > 0) copy(address(dense, s * length), address(tokens, layout.begin(s)), bytes);
  }
}

}  // namespace

Ragged::Ragged(const std::vector<int64_t>& lengths) {
  auto offsets = std::make_shared<std::vector<int64_t>>(1, 0);
  offsets->reserve(lengths.size() + 1);
  for (const int64_t length : lengths) {
    require(length >= 0, "ragged: sequence {} has length {}", offsets->size() - 1, length);
    int64_t next = 0;
    require(!__builtin_add_overflow(offsets->back(), length, &next),
            "ragged: the lengths add up to too many tokens");
    offsets->push_back(next);
    longest_ = std::max(longest_, length);
  }
  offsets_ = std::move(offsets);
}

Tensor pack_sequences(const Tensor& dense, const Ragged& layout) {
  require(dense.shape().rank() == 3,
          "pack_sequences: shape {} but (batch, length, width) was expected", dense.shape());
  require(dense.shape()[0] == layout.sequences() && dense.shape()[1] >= layout.longest(),
          "pack_sequences: {} sequences of up to {} tokens do not fit shape {}", layout.sequences(),
          layout.longest(), dense.shape());
  Tensor tokens = Tensor::uninitialised({layout.tokens(), dense.shape()[2]}, dense.type());
  for_each_sequence(dense, tokens, layout, [](std::byte* padded, std::byte* packed, size_t bytes) {
    std::memcpy(packed, padded, bytes);
  });
  return tokens;
}

Tensor pad_sequences(const Tensor& tokens, const Ragged& layout) {
  require(tokens.shape().rank() == 2 && tokens.shape()[0] == layout.tokens(),
          "pad_sequences: shape {} but ({}, width) was expected", tokens.shape(), layout.tokens());
  Tensor dense =
      Tensor::zeros({layout.sequences(), layout.longest(), tokens.shape()[1]}, tokens.type());
  for_each_sequence(dense, tokens, layout, [](std::byte* padded, std::byte* packed, size_t bytes) {
    std::memcpy(padded, packed, bytes);
  });
  return dense;
}

}  // namespace heed
