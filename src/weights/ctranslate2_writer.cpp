#include "heed/weights/ctranslate2_writer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/weights/ctranslate2_types.h"
#include "heed/weights/stored_numbers.h"

namespace heed {

namespace {

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

constexpr uint32_t version = 6;

using ctranslate2::numbered_types;

template <typename Number>
void append(std::vector<std::byte>& bytes, Number number) {
  const auto* begin = reinterpret_cast<const std::byte*>(&number);
  bytes.insert(bytes.end(), begin, begin + sizeof(number));
}

template <typename Number>
std::vector<std::byte> bytes_of_numbers(std::span<const Number> numbers) {
  const std::span<const std::byte> bytes = std::as_bytes(numbers);
  return {bytes.begin(), bytes.end()};
}

// The length includes the final NUL.
void append_text(std::vector<std::byte>& bytes, std::string_view text) {
  append(bytes, static_cast<uint16_t>(text.size() + 1));
  for (const char byte : text) bytes.push_back(static_cast<std::byte>(byte));
  bytes.push_back(std::byte{0});
}

std::vector<int64_t> sizes_of(const Tensor& tensor) {
  const std::span<const int64_t> sizes = tensor.shape().sizes();
  return {sizes.begin(), sizes.end()};
}

}  // namespace

void CTranslate2Writer::put(const std::string& name, Array array) {
  constexpr size_t longest_name = std::numeric_limits<uint16_t>::max() - 1;
  require(!name.empty() && name.size() <= longest_name, "array {} cannot have this name",
          Quoted{name});
  require(array.bytes.size() <= std::numeric_limits<uint32_t>::max(),
          "array {} has {} bytes, more than CTranslate2's format can hold", Quoted{name},
          array.bytes.size());
  require(arrays_.emplace(name, std::move(array)).second, "array {} is written twice",
          Quoted{name});
}

void CTranslate2Writer::add(const std::string& name, const Tensor& tensor, StoredType type) {
  const std::span<const float> numbers = tensor.span<float>();
  if (type == StoredType::f32)
    return put(name, {type, sizes_of(tensor), bytes_of_numbers(numbers)});
  std::vector<uint16_t> halves;
  for (const float number : numbers) {
    halves.push_back(to_half(number));
    require(std::isfinite(from_half(halves.back())),
            "array {} holds {}, which is too large for float16", Quoted{name}, number);
  }
  put(name,
      {StoredType::f16, sizes_of(tensor), bytes_of_numbers(std::span<const uint16_t>(halves))});
}

void CTranslate2Writer::add_int8(const std::string& name, const Tensor& matrix) {
  constexpr float largest_integer = 127;
  std::vector<int8_t> integers;
  std::vector<float> scales;
  const int64_t rows = matrix.shape().rows();
  for (int64_t row = 0; row < rows; ++row) {
    const std::span<const float> numbers = matrix.row<float>(row);
    float largest = 0;
    for (const float number : numbers) largest = std::max(largest, std::abs(number));
    scales.push_back(largest == 0 ? 1 : largest_integer / largest);
    for (const float number : numbers)
      integers.push_back(static_cast<int8_t>(
          std::nearbyint(std::clamp(number * scales.back(), -largest_integer, largest_integer))));
  }
  put(name,
      {StoredType::i8, sizes_of(matrix), bytes_of_numbers(std::span<const int8_t>(integers))});
  put(name + "_scale", {StoredType::f32, {rows}, bytes_of_numbers(std::span<const float>(scales))});
}

void CTranslate2Writer::add_flag(const std::string& name, bool value) {
  add_number8(name, value ? 1 : 0);
}

void CTranslate2Writer::add_number8(const std::string& name, int8_t value) {
  put(name, {StoredType::i8, {}, bytes_of_numbers(std::span<const int8_t>(&value, 1))});
}

void CTranslate2Writer::add_number16(const std::string& name, int16_t value) {
  put(name, {StoredType::i16, {}, bytes_of_numbers(std::span<const int16_t>(&value, 1))});
}

void CTranslate2Writer::add_alias(const std::string& alias, const std::string& name) {
  require(arrays_.contains(name), "array {} is missing", Quoted{name});
  require(!arrays_.contains(alias) && aliases_.emplace(alias, name).second,
          "array {} is written twice", Quoted{alias});
}

void CTranslate2Writer::save(const std::filesystem::path& path, std::string_view specification,
                             uint32_t revision) const {
  OutputFile file(path);
  std::vector<std::byte> header;
  const auto write_header = [&] {
    file.write(header);
    header.clear();
  };
  append(header, version);
  append_text(header, specification);
  append(header, revision);
  append(header, static_cast<uint32_t>(arrays_.size()));
  for (const auto& [name, array] : arrays_) {
    append_text(header, name);
    append(header, static_cast<uint8_t>(array.sizes.size()));
    for (const int64_t size : array.sizes) append(header, static_cast<uint32_t>(size));
    const auto* number = std::ranges::find(numbered_types, array.type);
    append(header, static_cast<uint8_t>(number - std::begin(numbered_types)));
    append(header, static_cast<uint32_t>(array.bytes.size()));
    write_header();
    file.write(array.bytes);
  }
  append(header, static_cast<uint32_t>(aliases_.size()));
  for (const auto& [alias, name] : aliases_) {
    append_text(header, alias);
    append_text(header, name);
  }
  write_header();
  file.commit();
}

}  // namespace heed
