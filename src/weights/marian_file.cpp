#include "heed/weights/marian_file.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/kernels/int8_gemm.h"
#include "heed/weights/byte_cursor.h"
#include "heed/weights/npy_array.h"
#include "heed/weights/stored_numbers.h"
#include "heed/weights/zip_file.h"

namespace heed {

namespace {

constexpr uint64_t binary_version = 1, encrypted_version = 2;

// What the binary file says of an array before its numbers.
struct BinaryHeader {
  uint64_t name_length = 0, type = 0, shape_length = 0, data_length = 0;
  std::string name = {};
  std::vector<int64_t> sizes = {};
};

// Marian's numbers for types. Those of Bergamot's fork differ for the same thing. Matrices in the
// order of an instruction set's registers have numbers of their own.
MarianType marian_type(uint64_t number, const std::string& file, std::string_view array) {
  constexpr std::pair<uint64_t, MarianType> known[] = {
      {0x404, MarianType::float32},   {0x402, MarianType::float16},
      {0x101, MarianType::int8},      {0x10001, MarianType::intgemm8},
      {0x4101, MarianType::intgemm8}, {0x10002, MarianType::intgemm16},
      {0x4102, MarianType::intgemm16}};
  for (const auto& [id, type] : known)
    if (id == number) return type;
  fail(
      "{}: array {} has type 0x{:x}, which heed does not read (float32, float16, intgemm8 and "
      "intgemm16 without the order of an instruction set's registers)",
      file, Quoted{array}, number);
}

size_t bytes_per_number(MarianType type) {
  switch (type) {
    case MarianType::float32:
      return 4;
    case MarianType::float16:
    case MarianType::intgemm16:
      return 2;
    case MarianType::int8:
    case MarianType::intgemm8:
      return 1;
  }
  __builtin_unreachable();
}

bool has_multiplier(MarianType type) {
  return type == MarianType::intgemm8 || type == MarianType::intgemm16;
}

// Tables of words are stored as they are, and other matrices of integers transposed.
bool is_table(std::string_view name) { return name.find("Wemb") != name.npos; }

Shape checked_shape(std::span<const int64_t> sizes, const std::string& file,
                    std::string_view array) {
  int64_t elements = 1;
  bool fits = sizes.size() <= Shape::max_rank;
  for (const int64_t size : sizes)
    fits = fits && size >= 0 && !__builtin_mul_overflow(elements, size, &elements);
  require(fits, "{}: array {} has the shape ({}), which cannot be", file, Quoted{array},
          fmt::join(sizes, ", "));
  return Shape(sizes);
}

Tensor transposed(const Tensor& matrix) {
  const int64_t rows = matrix.shape()[0], columns = matrix.shape()[1];
  Tensor result = Tensor::uninitialised({columns, rows});
  const float* from = matrix.data<float>();
  float* to = result.data<float>();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * columns + c];
  return result;
}

}  // namespace

bool MarianFile::is_marian(std::span<const std::byte> bytes) {
  uint64_t version = 0;
  if (bytes.size() >= sizeof(version)) std::memcpy(&version, bytes.data(), sizeof(version));
  return begins_like_zip(bytes) || version == binary_version || version == encrypted_version;
}

MarianFile MarianFile::open(const std::filesystem::path& path) {
  MarianFile file(path.string());
  file.mapped_.emplace(path);
  file.read_bytes(std::as_const(*file.mapped_).bytes());
  return file;
}

MarianFile MarianFile::of(std::string bytes, std::string file) {
  MarianFile found(std::move(file));
  found.kept_.push_back(std::move(bytes));
  found.read_bytes(std::as_bytes(std::span(std::as_const(found.kept_.front()))));
  return found;
}

MarianFile MarianFile::parse(std::span<const std::byte> bytes, std::string file) {
  MarianFile found(std::move(file));
  found.read_bytes(bytes);
  return found;
}

void MarianFile::read_bytes(std::span<const std::byte> bytes) {
  if (begins_like_zip(bytes))
    read_archive(bytes);
  else
    read_binary(bytes);
}

void MarianFile::add(const std::string& name, const Item& item) {
  size_ += item.bytes.size();
  require(items_.emplace(name, item).second, "{}: has the array {} twice", file_, Quoted{name});
}

void MarianFile::read_archive(std::span<const std::byte> bytes) {
  const ZipFile archive = ZipFile::parse(bytes, file_);
  for (const std::string& name : archive.names()) {
    constexpr std::string_view ending = ".npy";
    require(name.ends_with(ending), "{}: the file {} in it is not an array of numpy", file_,
            Quoted{name});
    const std::string array = name.substr(0, name.size() - ending.size());
    const std::string place = fmt::format("{}: array {}", file_, quote(array));
    const std::string front = archive.read_front(name, NpyHeader::most_bytes);
    const NpyHeader header =
        parse_npy_header(std::as_bytes(std::span(front)), archive.size(name), place);
    const Shape shape = checked_shape(header.sizes, file_, array);
    const bool is_text = header.type == StoredType::i8 || header.type == StoredType::u8;
    require(is_text || header.type == StoredType::f32 || header.type == StoredType::f16,
            "{}: array {} has type {} but F32 was expected", file_, Quoted{array},
            name_of(header.type));
    kept_.push_back(archive.read(name));
    add(array, {.type = is_text                          ? MarianType::int8
                        : header.type == StoredType::f32 ? MarianType::float32
                                                         : MarianType::float16,
                .shape = shape,
                .bytes = std::as_bytes(std::span(kept_.back())).subspan(header.data_begin)});
  }
}

void MarianFile::read_binary(std::span<const std::byte> bytes) {
  ByteCursor cursor(bytes, file_);
  const auto version = cursor.number<uint64_t>("the version");
  require(version != encrypted_version, "{}: the model is encrypted, which heed does not read",
          file_);
  require(version == binary_version, "{}: version {} of Marian's binary form but {} was expected",
          file_, version, binary_version);
  const auto count = cursor.number<uint64_t>("the number of arrays");
  constexpr uint64_t header_bytes = 4 * sizeof(uint64_t);
  require(count <= cursor.left() / header_bytes, "{}: {} arrays do not fit into {} bytes", file_,
          count, bytes.size());
  std::vector<BinaryHeader> headers(static_cast<size_t>(count));
  for (BinaryHeader& header : headers) {
    header.name_length = cursor.number<uint64_t>("the length of a name");
    header.type = cursor.number<uint64_t>("a type");
    header.shape_length = cursor.number<uint64_t>("the length of a shape");
    header.data_length = cursor.number<uint64_t>("the length of an array");
  }
  for (BinaryHeader& header : headers) {
    const std::span<const std::byte> name = cursor.take(header.name_length, "a name");
    header.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
    require(!header.name.empty() && header.name.find('\0') == header.name.size() - 1,
            "{}: the name {} does not end with its only zero", file_, Quoted{header.name});
    header.name.pop_back();
  }
  for (BinaryHeader& header : headers) {
    require(header.shape_length <= Shape::max_rank, "{}: array {} has {} axes but at most {}",
            file_, Quoted{header.name}, header.shape_length, Shape::max_rank);
    for (uint64_t i = 0; i < header.shape_length; ++i)
      header.sizes.push_back(cursor.number<int32_t>("a shape"));
  }
  cursor.take(cursor.number<uint64_t>("the offset of the numbers"), "what is before the numbers");
  for (const BinaryHeader& header : headers) {
    const std::span<const std::byte> data =
        cursor.take(header.data_length, fmt::format("array {}", Quoted{header.name}));
    const MarianType type = marian_type(header.type, file_, header.name);
    const Shape shape = checked_shape(header.sizes, file_, header.name);
    const uint64_t needed = static_cast<uint64_t>(shape.elements()) > data.size()
                                ? UINT64_MAX
                                : static_cast<uint64_t>(shape.elements()) * bytes_per_number(type) +
                                      (has_multiplier(type) ? sizeof(float) : 0);
    require(needed <= data.size(), "{}: array {} has {} bytes, too few for its shape {}", file_,
            Quoted{header.name}, data.size(), shape);
    add(header.name, {type, shape, data.first(static_cast<size_t>(needed))});
  }
}

std::vector<std::string> MarianFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, item] : items_) names.push_back(name);
  return names;
}

const MarianFile::Item& MarianFile::item(std::string_view name) const {
  const auto found = items_.find(name);
  require(found != items_.end(), "{}: array {} is missing", file_, Quoted{name});
  return found->second;
}

Shape MarianFile::shape(std::string_view name) const { return item(name).shape; }
MarianType MarianFile::type(std::string_view name) const { return item(name).type; }

std::string MarianFile::text(std::string_view name) const {
  const Item& found = item(name);
  require(found.type == MarianType::int8, "{}: array {} is not text", file_, Quoted{name});
  std::string text(reinterpret_cast<const char*>(found.bytes.data()), found.bytes.size());
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

// In the order of the file.
Tensor MarianFile::unpacked(std::string_view name, const Item& item) const {
  Tensor values = Tensor::uninitialised(item.shape);
  const std::span<float> to = values.span<float>();
  const auto identity = [](auto value) { return value; };
  const std::span<const std::byte> numbers =
      item.bytes.first(to.size() * bytes_per_number(item.type));
  float multiplier = 1;
  if (has_multiplier(item.type)) {
    std::memcpy(&multiplier, item.bytes.data() + numbers.size(), sizeof(float));
    require(std::isfinite(multiplier) && multiplier > 0,
            "{}: array {} has the multiplier {}, but it must be above 0", file_, Quoted{name},
            multiplier);
  }
  switch (item.type) {
    case MarianType::float32:
      convert_numbers<float>(numbers, to, identity);
      break;
    case MarianType::float16:
      convert_numbers<uint16_t>(numbers, to, from_half);
      break;
    case MarianType::intgemm8: {
      // A step with as many digits as heed's own, so that preparing the weights finds the same
      // integers.
      const float step = kernels::Int8Scale::of_largest(127 / multiplier).step;
      convert_numbers<int8_t>(numbers, to,
                              [&](int8_t value) { return static_cast<float>(value) * step; });
      break;
    }
    case MarianType::intgemm16:
      convert_numbers<int16_t>(
          numbers, to, [&](int16_t value) { return static_cast<float>(value) / multiplier; });
      break;
    case MarianType::int8:
      fail("{}: array {} is text, but numbers were expected", file_, Quoted{name});
  }
  for (const float number : to)
    require(std::isfinite(number), "{}: array {} holds {} but finite numbers were expected", file_,
            Quoted{name}, number);
  return values;
}

Tensor MarianFile::read(std::string_view name) const {
  const Item& found = item(name);
  Tensor values = unpacked(name, found);
  if (!has_multiplier(found.type) || is_table(name) || found.shape.rank() != 2) return values;
  return transposed(values.reshape({found.shape[1], found.shape[0]}));
}

Tensor MarianFile::read_rows(std::string_view name) const {
  const Item& found = item(name);
  require(found.shape.rank() == 2, "{}: array {} has the shape {} but 2 axes were expected", file_,
          Quoted{name}, found.shape);
  Tensor values = unpacked(name, found);
  if (is_table(name)) return values;
  if (has_multiplier(found.type)) return values.reshape({found.shape[1], found.shape[0]});
  return transposed(values);
}

}  // namespace heed
