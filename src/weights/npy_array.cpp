#include "heed/weights/npy_array.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr size_t most_axes = 16;

// The header is a Python dictionary of three entries: {'descr': '<f4', 'fortran_order': False,
// 'shape': (3, 4), }.
class Dictionary {
 public:
  Dictionary(std::string_view text, std::string_view file) : left_(text), file_(file) {}

  struct Entries {
    std::optional<std::string_view> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<int64_t>> shape;
  };

  Entries read() {
    Entries entries;
    expect('{');
    while (!take_if('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !entries.descr)
        entries.descr = quoted();
      else if (key == "fortran_order" && !entries.fortran_order)
        entries.fortran_order = truth();
      else if (key == "shape" && !entries.shape)
        entries.shape = numbers();
      else
        refuse();
      if (!take_if(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!left_.empty()) refuse();
    return entries;
  }

 private:
  [[noreturn]] void refuse() const {
    fail("{}: the header of a numpy array is not understood at {}", file_, Quoted{left_});
  }
  void skip_space() {
    const size_t end = left_.find_first_not_of(" \n\t");
    left_.remove_prefix(std::min(end, left_.size()));
  }
  bool take_if(char character) {
    skip_space();
    if (left_.empty() || left_.front() != character) return false;
    left_.remove_prefix(1);
    return true;
  }
  void expect(char character) {
    if (!take_if(character)) refuse();
  }
  std::string_view quoted() {
    skip_space();
    if (left_.empty() || (left_.front() != '\'' && left_.front() != '"')) refuse();
    const size_t end = left_.find(left_.front(), 1);
    if (end == left_.npos) refuse();
    const std::string_view text = left_.substr(1, end - 1);
    left_.remove_prefix(end + 1);
    return text;
  }
  bool truth() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view name = value ? "True" : "False";
      if (!left_.starts_with(name)) continue;
      left_.remove_prefix(name.size());
      return value;
    }
    refuse();
  }
  std::vector<int64_t> numbers() {
    std::vector<int64_t> found;
    expect('(');
    while (!take_if(')')) {
      skip_space();
      int64_t number = 0;
      const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), number);
      if (error != std::errc() || number < 0 || found.size() == most_axes) refuse();
      left_.remove_prefix(static_cast<size_t>(end - left_.data()));
      if (!left_.empty() && left_.front() == 'L') left_.remove_prefix(1);  // of Python 2
      found.push_back(number);
      if (!take_if(',')) {
        expect(')');
        break;
      }
    }
    return found;
  }

  std::string_view left_;
  std::string_view file_;
};

std::optional<StoredType> type_of(std::string_view descr) {
  if (descr.size() < 3) return std::nullopt;
  const char order = descr.front();
  const std::string_view kind = descr.substr(1);
  if (kind == "i1") return StoredType::i8;
  if (kind == "u1") return StoredType::u8;
  if (kind == "b1") return StoredType::boolean;
  if (order != '<' && order != '=') return std::nullopt;
  constexpr std::pair<std::string_view, StoredType> known[] = {
      {"f2", StoredType::f16}, {"f4", StoredType::f32}, {"f8", StoredType::f64},
      {"i2", StoredType::i16}, {"i4", StoredType::i32}, {"i8", StoredType::i64},
      {"u2", StoredType::u16}, {"u4", StoredType::u32}, {"u8", StoredType::u64}};
  for (const auto& [name, type] : known)
    if (name == kind) return type;
  return std::nullopt;
}

// The header's text and where it ends.
std::string_view header_text(std::string_view bytes, std::string_view file) {
  require(bytes.size() >= 10 && bytes.starts_with(magic), "{}: is not an array of numpy", file);
  const auto byte_at = [&](size_t place) { return static_cast<uint8_t>(bytes[place]); };
  const int version = byte_at(6);
  require(version >= 1 && version <= 3, "{}: version {} of numpy's arrays but 1 to 3 were expected",
          file, version);
  const size_t length_bytes = version == 1 ? 2 : 4, begin = 8 + length_bytes;
  uint64_t length = 0;
  for (size_t i = 0; i < length_bytes && 8 + i < bytes.size(); ++i)
    length |= static_cast<uint64_t>(byte_at(8 + i)) << (8 * i);
  require(bytes.size() >= begin && length <= bytes.size() - begin,
          "{}: the header of a numpy array has {} bytes but fewer were found", file, length);
  return bytes.substr(begin, static_cast<size_t>(length));
}

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> bytes, uint64_t file_size,
                           std::string_view file) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view text = header_text(all, file);
  const Dictionary::Entries entries = Dictionary(text, file).read();
  require(entries.descr && entries.fortran_order && entries.shape,
          "{}: the header of a numpy array lacks its type, order or shape", file);
  const std::optional<StoredType> type = type_of(*entries.descr);
  require(type.has_value(), "{}: numbers of type {} are not supported", file,
          Quoted{*entries.descr});
  const bool one_axis =
      std::ranges::count_if(*entries.shape, [](int64_t size) { return size != 1; }) <= 1;
  require(!*entries.fortran_order || one_axis, "{}: arrays in Fortran's order are not supported",
          file);
  int64_t elements = 1;
  bool fits = true;
  for (const int64_t size : *entries.shape)
    fits = fits && !__builtin_mul_overflow(elements, size, &elements);
  const std::optional<int64_t> needed = fits ? bytes_of(*type, elements) : std::nullopt;
  NpyHeader header{*type, *entries.shape,
                   static_cast<size_t>(text.data() - all.data()) + text.size()};
  require(needed && file_size >= header.data_begin &&
              static_cast<uint64_t>(*needed) == file_size - header.data_begin,
          "{}: {} bytes of numbers, which do not fit the shape ({})", file,
          file_size - std::min<uint64_t>(file_size, header.data_begin),
          fmt::join(*entries.shape, ", "));
  return header;
}

}  // namespace heed
