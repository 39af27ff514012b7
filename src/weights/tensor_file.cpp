#include "heed/weights/tensor_file.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/weights/stored_numbers.h"

namespace heed {

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

constexpr size_t length_bytes = 8;

// The header's text, after its length has been checked against the format's limit and the file.
std::string_view header_json(std::span<const std::byte> bytes, std::string_view file) {
  require(bytes.size() >= length_bytes, "{}: {} bytes long but a safetensors file has at least {}",
          file, bytes.size(), length_bytes);
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), length_bytes);
  require(length <= uint64_t{SafetensorsHeader::max_length},
          "{}: header of {} bytes but at most {} are allowed", file, length,
          SafetensorsHeader::max_length);
  require(length <= bytes.size() - length_bytes,
          "{}: header of {} bytes but only {} follow its length", file, length,
          bytes.size() - length_bytes);
  return {reinterpret_cast<const char*>(bytes.data()) + length_bytes, static_cast<size_t>(length)};
}

void write_header(OutputFile& file, std::string_view header, const std::filesystem::path& path) {
  const uint64_t length = header.size();
  require(length <= uint64_t{SafetensorsHeader::max_length},
          "{}: header of {} bytes but at most {} are allowed", path.string(), length,
          SafetensorsHeader::max_length);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(header);
}

template <typename Stored, typename Wanted>
void convert(std::span<const std::byte> bytes, std::span<Wanted> values) {
  if constexpr (std::is_same_v<Stored, Wanted>) {
    assert(bytes.size() == values.size_bytes());
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  } else {
    convert_numbers<Stored>(bytes, values, [](Stored value) { return value; });
  }
}

bool represents(Type wanted, StoredType type) {
  if (type == StoredType::f64) return wanted == Type::float64;
  return type == StoredType::f32 || type == StoredType::f16 || type == StoredType::bf16;
}

template <typename Float>
void convert_floats(StoredType type, std::span<const std::byte> bytes, std::span<Float> values) {
  if (type == StoredType::f32) return convert<float>(bytes, values);
  if (type == StoredType::f16) return convert_numbers<uint16_t>(bytes, values, from_half);
  if (type == StoredType::bf16) return convert_numbers<uint16_t>(bytes, values, from_bfloat16);
  assert(type == StoredType::f64);
  convert<double>(bytes, values);
}

bool holds_integers(StoredType type) {
  using enum StoredType;
  return type == i64 || type == i32 || type == i16 || type == i8 || type == u32 || type == u16 ||
         type == u8;
}

void convert_integers(StoredType type, std::span<const std::byte> bytes,
                      std::span<int64_t> values) {
  if (type == StoredType::i64) return convert<int64_t>(bytes, values);
  if (type == StoredType::i32) return convert<int32_t>(bytes, values);
  if (type == StoredType::i16) return convert<int16_t>(bytes, values);
  if (type == StoredType::i8) return convert<int8_t>(bytes, values);
  if (type == StoredType::u32) return convert<uint32_t>(bytes, values);
  if (type == StoredType::u16) return convert<uint16_t>(bytes, values);
  assert(type == StoredType::u8);
  convert<uint8_t>(bytes, values);
}

// Without a branch per number, because models have many.
template <typename Float>
bool all_finite(std::span<const Float> values) {
  using Bits = std::conditional_t<sizeof(Float) == 4, uint32_t, uint64_t>;
  // The exponent of infinity and NaN has every bit set, so adding one overflows into the sign.
  constexpr Bits exponent = std::bit_cast<Bits>(std::numeric_limits<Float>::infinity());
  constexpr Bits lowest = exponent & (~exponent + 1);
  Bits overrun = 0;
  for (const Float value : values) overrun |= (std::bit_cast<Bits>(value) & exponent) + lowest;
  return overrun >> (8 * sizeof(Bits) - 1) == 0;
}

std::string list_names(const std::vector<std::string>& names) {
  constexpr size_t shown = 12;
  if (names.empty()) return "nothing";
  std::string list;
  for (size_t i = 0; i < std::min(shown, names.size()); ++i)
    list += (i > 0 ? ", " : "") + quote(names[i]);
  if (names.size() > shown) list += fmt::format(" and {} more", names.size() - shown);
  return list;
}

}  // namespace

TensorFile::TensorFile(std::shared_ptr<MappedFile> mapped, std::span<const std::byte> bytes,
                       std::string file)
    : mapped_(std::move(mapped)), file_(std::move(file)) {
  const std::string_view json = header_json(bytes, file_);
  data_ = bytes.subspan(length_bytes + json.size());
  header_ = parse_safetensors_header(json, static_cast<int64_t>(data_.size()), file_);
}

TensorFile TensorFile::open(const std::filesystem::path& path) {
  auto mapped = std::make_shared<MappedFile>(path);
  const std::span<const std::byte> bytes = mapped->bytes();
  return TensorFile(std::move(mapped), bytes, path.string());
}

TensorFile TensorFile::parse(std::span<const std::byte> bytes, std::string file) {
  return TensorFile(nullptr, bytes, std::move(file));
}

std::vector<std::string> TensorFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, array] : header_.arrays) names.push_back(name);
  return names;
}

const StoredArray& TensorFile::entry(std::string_view name) const {
  const auto found = header_.arrays.find(name);
  if (found == header_.arrays.end())
    fail("{}: array {} is missing; the file holds {}", file_, quote(name), list_names(names()));
  return found->second;
}

Shape TensorFile::shape(std::string_view name) const {
  const StoredArray& array = entry(name);
  if (array.sizes.size() > Shape::max_rank)
    fail("{}: array {} has {} axes but at most {} are supported", file_, quote(name),
         array.sizes.size(), Shape::max_rank);
  return Shape(std::span(array.sizes));
}

std::span<const std::byte> TensorFile::bytes_of(const StoredArray& array) const {
  return data_.subspan(static_cast<size_t>(array.begin),
                       static_cast<size_t>(array.end - array.begin));
}

void TensorFile::fail_type(std::string_view name, std::string_view expected) const {
  fail("{}: array {} has type {} but {} was expected", file_, quote(name),
       name_of(entry(name).type), expected);
}

Tensor TensorFile::read(std::string_view name, Type wanted) const {
  const StoredArray& array = entry(name);
  if (!represents(wanted, array.type)) fail_type(name, wanted == Type::float32 ? "F32" : "F64");
  Tensor tensor = Tensor::uninitialised(shape(name), wanted);
  with_type(wanted, [&](auto zero) {
    using Float = decltype(zero);
    convert_floats<Float>(array.type, bytes_of(array), tensor.span<Float>());
  });
  return tensor;
}

void TensorFile::check_finite(std::string_view name, const Tensor& tensor) const {
  with_type(tensor.type(), [&](auto zero) {
    const auto values = tensor.span<decltype(zero)>();
    if (all_finite(values)) return;
    const auto found =
        std::ranges::find_if_not(values, [](auto value) { return std::isfinite(value); });
    const std::string place = index_text(tensor.shape(), found - values.begin());
    fail("{}: array {} holds {} at {} but finite numbers were expected", file_, quote(name), *found,
         place);
  });
}

Tensor TensorFile::read_finite(std::string_view name, Type wanted) const {
  Tensor tensor = read(name, wanted);
  check_finite(name, tensor);
  return tensor;
}

Tensor TensorFile::map_finite(std::string_view name) const {
  const StoredArray& array = entry(name);
  const std::span<const std::byte> bytes = bytes_of(array);
  const bool aligned = reinterpret_cast<uintptr_t>(bytes.data()) % alignof(float) == 0;
  if (mapped_ == nullptr || array.type != StoredType::f32 || !aligned || bytes.empty())
    return read_finite(name, Type::float32);
  std::byte* start = mapped_->bytes().data() + (bytes.data() - mapped_->bytes().data());
  Tensor tensor = Tensor::sharing(shape(name), Type::float32, start, mapped_);
  check_finite(name, tensor);
  return tensor;
}

std::span<const int8_t> TensorFile::int8_values(std::string_view name) const {
  const StoredArray& array = entry(name);
  if (array.type != StoredType::i8) fail_type(name, "I8");
  const std::span<const std::byte> bytes = bytes_of(array);
  return {reinterpret_cast<const int8_t*>(bytes.data()), bytes.size()};
}

std::vector<int64_t> TensorFile::read_integers(std::string_view name) const {
  const StoredArray& array = entry(name);
  if (!holds_integers(array.type)) fail_type(name, "I64");
  const std::span<const std::byte> bytes = bytes_of(array);
  std::vector<int64_t> values(bytes.size() * 8 / static_cast<size_t>(bits_of(array.type)));
  convert_integers(array.type, bytes, values);
  return values;
}

std::vector<uint8_t> TensorFile::read_booleans(std::string_view name) const {
  const StoredArray& array = entry(name);
  if (array.type != StoredType::boolean) fail_type(name, "BOOL");
  const std::span<const std::byte> bytes = bytes_of(array);
  std::vector<uint8_t> values(bytes.size());
  convert<uint8_t>(bytes, std::span(values));
  const auto found = std::ranges::find_if(values, [](uint8_t value) { return value > 1; });
  if (found == values.end()) return values;
  const std::string place = index_text(shape(name), found - values.begin());
  fail("{}: array {} holds {} at {} but 0 or 1 was expected", file_, quote(name), *found, place);
}

void replace_metadata(const std::filesystem::path& path,
                      const std::map<std::string, std::string, std::less<>>& metadata) {
  const MappedFile old(path);
  const std::string_view json = header_json(old.bytes(), path.string());
  const std::span<const std::byte> data = old.bytes().subspan(length_bytes + json.size());
  SafetensorsHeader header =
      parse_safetensors_header(json, static_cast<int64_t>(data.size()), path.string());
  header.metadata = metadata;
  OutputFile file(path);
  write_header(file, safetensors_header_text(header), path);
  file.write(data);
  file.commit();
}

std::string index_text(const Shape& shape, int64_t element) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    index[axis] = element % shape[axis];
    element /= shape[axis];
  }
  return fmt::format("({})", fmt::join(index, ", "));
}

void TensorFileWriter::add(const std::string& name, const Tensor& tensor) {
  require(tensor.present(), "array {}: there is no tensor to write", quote(name));
  with_type(tensor.type(), [&](auto zero) {
    using Float = decltype(zero);
    add_array(name,
              {std::is_same_v<Float, float> ? StoredType::f32 : StoredType::f64, tensor.shape(),
               std::make_shared<Tensor>(tensor), std::as_bytes(tensor.span<Float>())});
  });
}

void TensorFileWriter::add_stream(const std::string& name, const Shape& shape,
                                  NumberSource produce) {
  add_array(name, {StoredType::f32, shape, nullptr, {}, std::move(produce)});
}

Tensor TensorFileWriter::add_half(const std::string& name, const Tensor& tensor) {
  const std::span<const float> values = tensor.span<float>();
  std::vector<uint16_t> halves;
  Tensor rounded = Tensor::uninitialised(tensor.shape());
  for (size_t i = 0; i < values.size(); ++i) {
    halves.push_back(to_half(values[i]));
    rounded.span<float>()[i] = from_half(halves.back());
    if (!std::isfinite(rounded.span<float>()[i]))
      fail("array {} holds {} at {}, which float16 cannot hold", quote(name), values[i],
           index_text(tensor.shape(), static_cast<int64_t>(i)));
  }
  const auto owner = std::make_shared<const std::vector<uint16_t>>(std::move(halves));
  add_array(name, {StoredType::f16, tensor.shape(), owner, std::as_bytes(std::span(*owner))});
  return rounded;
}

void TensorFileWriter::add_int8(const std::string& name, const Shape& shape,
                                std::vector<int8_t> values) {
  const auto owner = std::make_shared<const std::vector<int8_t>>(std::move(values));
  add_array(name, {StoredType::i8, shape, owner, std::as_bytes(std::span(*owner))});
}

void TensorFileWriter::add_integers(const std::string& name, const Shape& shape,
                                    std::vector<int64_t> values) {
  const auto owner = std::make_shared<const std::vector<int64_t>>(std::move(values));
  add_array(name, {StoredType::i64, shape, owner, std::as_bytes(std::span(*owner))});
}

void TensorFileWriter::add_booleans(const std::string& name, const Shape& shape,
                                    std::vector<uint8_t> values) {
  const auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(values));
  add_array(name, {StoredType::boolean, shape, owner, std::as_bytes(std::span(*owner))});
}

void TensorFileWriter::add_array(const std::string& name, Array array) {
  require(is_utf8(name) && name != "__metadata__", "{} cannot be the name of an array",
          quote(name));
  const auto bytes = static_cast<int64_t>(array.bytes.size());
  require(array.produce || heed::bytes_of(array.type, array.shape.elements()) == bytes,
          "array {}: shape {} of {} but {} bytes", quote(name), array.shape.text(),
          name_of(array.type), bytes);
  const bool is_new = arrays_.emplace(name, std::move(array)).second;
  require(is_new, "array {} is written twice", quote(name));
}

void TensorFileWriter::set_metadata(const std::string& key, const std::string& value) {
  require(is_utf8(key) && is_utf8(value), "metadata {} is not UTF-8", quote(key));
  metadata_[key] = value;
}

std::vector<const TensorFileWriter::NamedArray*> TensorFileWriter::file_order() const {
  // Wide types first, so that every array starts at a multiple of its element size.
  std::vector<const NamedArray*> order;
  for (const NamedArray& named : arrays_) order.push_back(&named);
  std::ranges::stable_sort(order, std::greater<>(),
                           [](const NamedArray* named) { return bits_of(named->second.type); });
  return order;
}

std::string TensorFileWriter::header_text(std::span<const NamedArray* const> order) const {
  SafetensorsHeader header{.arrays = {}, .metadata = metadata_};
  int64_t offset = 0;
  for (const NamedArray* named : order) {
    const auto& [name, array] = *named;
    const std::span<const int64_t> sizes = array.shape.sizes();
    const int64_t end = offset + heed::bytes_of(array.type, array.shape.elements()).value();
    header.arrays.emplace(name, StoredArray{array.type, {sizes.begin(), sizes.end()}, offset, end});
    offset = end;
  }
  return safetensors_header_text(header);
}

void TensorFileWriter::save(const std::filesystem::path& path) const {
  const std::vector<const NamedArray*> order = file_order();
  OutputFile file(path);
  write_header(file, header_text(order), path);
  for (const NamedArray* named : order) write(*named, file);
  file.commit();
}

void TensorFileWriter::write(const NamedArray& named, OutputFile& file) {
  const auto& [name, array] = named;
  if (!array.produce) return file.write(array.bytes);
  int64_t numbers = 0;
  array.produce([&](std::span<const float> piece) {
    file.write(std::as_bytes(piece));
    numbers += static_cast<int64_t>(piece.size());
  });
  require(numbers == array.shape.elements(), "array {}: {} numbers came for shape {}", quote(name),
          numbers, array.shape.text());
}

}  // namespace heed
