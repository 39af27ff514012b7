#include "heed/visualisation/packed_values.h"

#include <libdeflate.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>

#include "heed/base/error.h"

namespace heed {

namespace {

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < group.size() ? static_cast<uint8_t>(group[i]) : 0U);
    for (size_t i = 0; i < 4; ++i)
      text += i <= group.size() ? letters[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::string compressed(std::string_view bytes) {
  constexpr int level = 7;
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string result(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()), '\0');
  result.resize(libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(),
                                         result.data(), result.size()));
  return result;
}

double largest_size(std::span<const float> values) {
  double largest = 0;
  for (const float value : values) {
    require(std::isfinite(value), "attention page: a value of {} but finite ones were expected",
            value);
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return largest;
}

}  // namespace

PackedValues pack_values(const Tensor& values, const Packing& packing) {
  const Shape& shape = values.shape();
  require(shape.rank() == 4,
          "attention page: values of shape {} but (layers, heads, queries, keys) was expected",
          shape.text());
  const int64_t heads = shape[0] * shape[1], queries = shape[2], keys = shape[3];
  require(!packing.causal || queries == keys,
          "attention page: {} queries and {} keys, but a causal part has as many of both", queries,
          keys);
  const double most = packing.is_signed ? 127 : 255;
  PackedValues packed{.is_signed = packing.is_signed, .scales = {}, .data = {}};
  std::string bytes;
  for (int64_t head = 0; head < heads; ++head) {
    const Tensor matrix = values.reshape({heads, queries, keys})
                              .slice(head, head + 1)
                              .reshape({queries, keys})
                              .to(Type::float32);
    const double scale = largest_size(matrix.span<float>());
    packed.scales.push_back(scale);
    for (int64_t query = 0; query < queries; ++query) {
      const std::span<const float> row =
          matrix.row<float>(query).first(static_cast<size_t>(packing.causal ? query + 1 : keys));
      for (const float value : row)
        bytes += static_cast<char>(scale == 0 ? 0 : std::lround(value / scale * most));
    }
  }
  packed.data = base64(compressed(bytes));
  return packed;
}

}  // namespace heed
