#include "heed/weights/npz_writer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "heed/base/checksum.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/weights/stored_numbers.h"

namespace heed {

namespace {

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

constexpr uint64_t largest_file = std::numeric_limits<uint32_t>::max();
constexpr uint16_t zip_version = 20;
constexpr size_t text_block = 256;

template <typename Number>
void append(std::string& to, Number number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

std::vector<std::byte> bytes_of(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

// Numpy's: with spaces so that the numbers begin at a multiple of 16.
std::string npy_header(std::string_view type, const Shape& shape) {
  constexpr size_t before = 10, alignment = 16;
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
                  fmt::join(shape.sizes(), ", "), shape.rank() == 1 ? "," : "");
  text.append(alignment - 1 - (before + text.size()) % alignment, ' ');
  text += '\n';
  std::string header = "\x93NUMPY";
  append(header, uint8_t{1});
  append(header, uint8_t{0});
  append(header, static_cast<uint16_t>(text.size()));
  return header + text;
}

// What the archive says of a part, in front of it and in its directory.
std::string about(const std::string& name, uint32_t sum, uint32_t size) {
  std::string text;
  append(text, zip_version);
  for (int i = 0; i < 4; ++i) append(text, uint16_t{0});  // flags, stored as it is, time, date
  append(text, sum);
  append(text, size);
  append(text, size);
  append(text, static_cast<uint16_t>(name.size()));
  append(text, uint16_t{0});
  return text;
}

}  // namespace

void NpzWriter::put(const std::string& name, std::string_view type, const Shape& shape,
                    std::vector<std::byte> bytes) {
  Array array{npy_header(type, shape), std::move(bytes)};
  require(arrays_.emplace(name, std::move(array)).second, "array {} is written twice",
          Quoted{name});
}

void NpzWriter::add(const std::string& name, const Tensor& tensor, StoredType type) {
  const std::span<const float> numbers = tensor.span<float>();
  if (type == StoredType::f32)
    return put(name, "<f4", tensor.shape(), bytes_of(std::as_bytes(numbers)));
  std::vector<uint16_t> halves;
  for (const float number : numbers) {
    halves.push_back(to_half(number));
    require(std::isfinite(from_half(halves.back())),
            "array {} holds {}, which is too large for float16", Quoted{name}, number);
  }
  put(name, "<f2", tensor.shape(), bytes_of(std::as_bytes(std::span(halves))));
}

void NpzWriter::add_text(const std::string& name, std::string_view text) {
  std::vector<std::byte> bytes = bytes_of(std::as_bytes(std::span(text)));
  bytes.resize((text.size() + text_block) / text_block * text_block);
  const Shape shape{static_cast<int64_t>(bytes.size())};
  put(name, "<i1", shape, std::move(bytes));
}

void NpzWriter::save(const std::filesystem::path& path) const {
  OutputFile file(path);
  std::string directory;
  uint64_t offset = 0;
  for (const auto& [array, content] : arrays_) {
    const std::string name = array + ".npy";
    const uint64_t size = content.header.size() + content.bytes.size();
    constexpr uint64_t most_around = 1024;
    require(offset + size + directory.size() + most_around <= largest_file,
            "{}: takes more than the {} bytes that Marian's npz files can have", path.string(),
            largest_file);
    const uint32_t sum =
        checksum(content.bytes, checksum(std::as_bytes(std::span(content.header))));
    const std::string said = about(name, sum, static_cast<uint32_t>(size));
    const std::string front = "PK\x03\x04" + said + name;
    file.write(front);
    file.write(content.header);
    file.write(content.bytes);
    directory += "PK\x01\x02";
    append(directory, zip_version);
    directory += said;
    for (int i = 0; i < 5; ++i) append(directory, uint16_t{0});  // no comment, no attributes
    append(directory, static_cast<uint32_t>(offset));
    directory += name;
    offset += front.size() + size;
  }
  std::string end = directory + "PK\x05\x06";
  append(end, uint32_t{0});
  for (int i = 0; i < 2; ++i) append(end, static_cast<uint16_t>(arrays_.size()));
  append(end, static_cast<uint32_t>(directory.size()));
  append(end, static_cast<uint32_t>(offset));
  append(end, uint16_t{0});
  file.write(end);
  file.commit();
}

}  // namespace heed
