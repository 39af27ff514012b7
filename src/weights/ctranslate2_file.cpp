#include "heed/weights/ctranslate2_file.h"

#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "heed/base/error_place.h"
#include "heed/base/text.h"
#include "heed/weights/byte_cursor.h"
#include "heed/weights/ctranslate2_types.h"
#include "heed/weights/stored_numbers.h"

namespace heed {

namespace {

constexpr uint32_t oldest_version = 2, newest_version = 6;
constexpr uint32_t first_version_with_aliases = 3, first_version_with_types = 4;

// The length includes the final NUL.
std::string read_text(ByteCursor& cursor, std::string_view what) {
  const std::span<const std::byte> bytes = cursor.take(cursor.number<uint16_t>(what), what);
  require(!bytes.empty() && bytes.back() == std::byte{0}, "{}: {} does not end with a NUL",
          cursor.file(), what);
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size() - 1);
  require(is_utf8(text) && text.find('\0') == std::string::npos, "{}: {} is not text: {}",
          cursor.file(), what, quote(text));
  return text;
}

using ctranslate2::numbered_types;

StoredType type_numbered(uint8_t number, const std::string& name, const std::string& file) {
  require(number < std::size(numbered_types), "{}: array {} has type {} but 0 to {} was expected",
          file, Quoted{name}, number, std::size(numbered_types) - 1);
  return numbered_types[number];
}

// Files before version 4 store only the size of a number.
StoredType type_of_size(uint8_t bytes, const std::string& name, const std::string& file) {
  require(bytes == 4 || bytes == 2 || bytes == 1,
          "{}: array {} has numbers of {} bytes but 1, 2 or 4 was expected", file, Quoted{name},
          bytes);
  return bytes == 4 ? StoredType::f32 : bytes == 2 ? StoredType::i16 : StoredType::i8;
}

Shape read_shape(ByteCursor& cursor, const std::string& name, const std::string& file) {
  const uint8_t rank = cursor.number<uint8_t>("a rank");
  require(rank <= Shape::max_rank, "{}: array {} has {} axes but at most {} were expected", file,
          Quoted{name}, rank, Shape::max_rank);
  std::vector<int64_t> sizes;
  for (uint8_t axis = 0; axis < rank; ++axis) sizes.push_back(cursor.number<uint32_t>("a size"));
  return with_place(fmt::format("{}: array {}", file, Quoted{name}), [&] { return Shape(sizes); });
}

void convert(StoredType type, std::span<const std::byte> bytes, std::span<float> values) {
  const auto as_float = [](auto value) { return static_cast<float>(value); };
  switch (type) {
    case StoredType::f16:
      return convert_numbers<uint16_t>(bytes, values, from_half);
    case StoredType::bf16:
      return convert_numbers<uint16_t>(bytes, values, from_bfloat16);
    case StoredType::i8:
      return convert_numbers<int8_t>(bytes, values, as_float);
    case StoredType::i16:
      return convert_numbers<int16_t>(bytes, values, as_float);
    case StoredType::i32:
      return convert_numbers<int32_t>(bytes, values, as_float);
    default:
      return convert_numbers<float>(bytes, values, as_float);
  }
}

}  // namespace

CTranslate2File::CTranslate2File(std::optional<MappedFile> mapped, std::span<const std::byte> bytes,
                                 std::string file)
    : mapped_(std::move(mapped)), file_(std::move(file)), size_(bytes.size()) {
  ByteCursor cursor(bytes, file_);
  const uint32_t version = cursor.number<uint32_t>("the version");
  require(version >= oldest_version && version <= newest_version,
          "{}: version {} but {} to {} was expected", file_, version, oldest_version,
          newest_version);
  specification_ = read_text(cursor, "the specification's name");
  cursor.number<uint32_t>("the revision");
  const uint32_t count = cursor.number<uint32_t>("the number of arrays");
  for (uint32_t i = 0; i < count; ++i) {
    const std::string name = read_text(cursor, "an array's name");
    Array array;
    array.shape = read_shape(cursor, name, file_);
    const uint8_t type = cursor.number<uint8_t>("a type");
    const uint32_t length = cursor.number<uint32_t>("a length");
    array.type = version >= first_version_with_types ? type_numbered(type, name, file_)
                                                     : type_of_size(type, name, file_);
    const std::optional<int64_t> expected = bytes_of(array.type, array.shape.elements());
    const uint64_t stored = version >= first_version_with_types ? length : uint64_t{length} * type;
    require(expected && static_cast<uint64_t>(*expected) == stored,
            "{}: array {} of shape {} and type {} has {} bytes", file_, Quoted{name}, array.shape,
            name_of(array.type), stored);
    array.bytes = cursor.take(stored, fmt::format("array {}", Quoted{name}));
    require(arrays_.emplace(name, array).second, "{}: array {} occurs twice", file_, Quoted{name});
  }
  const uint32_t aliases =
      version >= first_version_with_aliases ? cursor.number<uint32_t>("the number of aliases") : 0;
  for (uint32_t i = 0; i < aliases; ++i) {
    const std::string alias = read_text(cursor, "an alias");
    const std::string name = read_text(cursor, "an array's name");
    const Array original = array(name);
    require(arrays_.emplace(alias, original).second, "{}: array {} occurs twice", file_,
            Quoted{alias});
    // Scales go with their integers, without an alias of their own.
    const auto scale = arrays_.find(name + "_scale");
    if (scale != arrays_.end()) arrays_.emplace(alias + "_scale", Array(scale->second));
  }
  require(cursor.left() == 0, "{}: {} bytes are left at the end", file_, cursor.left());
}

CTranslate2File CTranslate2File::open(const std::filesystem::path& path) {
  MappedFile mapped(path);
  const std::span<const std::byte> bytes = mapped.bytes();
  return CTranslate2File(std::move(mapped), bytes, path.string());
}

CTranslate2File CTranslate2File::parse(std::span<const std::byte> bytes, std::string file) {
  return CTranslate2File(std::nullopt, bytes, std::move(file));
}

std::vector<std::string> CTranslate2File::names() const {
  std::vector<std::string> names;
  for (const auto& [name, array] : arrays_) names.push_back(name);
  return names;
}

const CTranslate2File::Array& CTranslate2File::array(std::string_view name) const {
  const auto found = arrays_.find(name);
  require(found != arrays_.end(), "{}: array {} is missing", file_, Quoted{name});
  return found->second;
}

Shape CTranslate2File::shape(std::string_view name) const { return array(name).shape; }
StoredType CTranslate2File::type(std::string_view name) const { return array(name).type; }

Tensor CTranslate2File::read(std::string_view name) const {
  const Array& found = array(name);
  Tensor values = Tensor::uninitialised(found.shape);
  convert(found.type, found.bytes, values.span<float>());
  if (found.type == StoredType::i8 || found.type == StoredType::i16) divide_by_scale(name, values);
  for (const float value : values.span<float>())
    require(std::isfinite(value), "{}: array {} holds {} but finite numbers were expected", file_,
            Quoted{name}, value);
  return values;
}

void CTranslate2File::divide_by_scale(std::string_view name, Tensor& values) const {
  const std::string scale_name = fmt::format("{}_scale", name);
  const Array& stored = array(scale_name);
  const int64_t rows = values.shape().rows();
  require(stored.type == StoredType::f32 &&
              (stored.shape.elements() == 1 || stored.shape.elements() == rows),
          "{}: array {} has shape {} and type {} but one F32 number, or {}, was expected", file_,
          Quoted{scale_name}, stored.shape, name_of(stored.type), rows);
  const Tensor scales = read(scale_name);
  const bool one = scales.elements() == 1;
  const size_t columns = static_cast<size_t>(values.shape().columns());
  for (int64_t r = 0; r < rows; ++r)
    for (float& value : values.span<float>().subspan(static_cast<size_t>(r) * columns, columns))
      value /= scales.data<float>()[one ? 0 : r];
}

int64_t CTranslate2File::number(std::string_view name, int64_t otherwise) const {
  if (!contains(name)) return otherwise;
  const Array& found = array(name);
  const bool whole = found.type == StoredType::i8 || found.type == StoredType::i16 ||
                     found.type == StoredType::i32;
  require(whole && found.shape.elements() == 1,
          "{}: array {} has shape {} and type {} but a single integer was expected", file_,
          Quoted{name}, found.shape, name_of(found.type));
  int64_t value = 0;
  const auto take = [&](auto stored) {
    std::memcpy(&stored, found.bytes.data(), sizeof(stored));
    value = stored;  // NOLINT(bugprone-signed-char-misuse): an 8-bit number
  };
  if (found.type == StoredType::i8) take(int8_t{});
  if (found.type == StoredType::i16) take(int16_t{});
  if (found.type == StoredType::i32) take(int32_t{});
  return value;
}

}  // namespace heed
