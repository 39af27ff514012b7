// Files of Marian to test with: npz archives and binary models, as Marian writes them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zip_maker.h"

namespace heed::testing {

template <typename Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

class Bytes {
 public:
  template <typename Number>
  Bytes& number(Number value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }
  Bytes& text(std::string_view text) {
    text_ += text;
    return *this;
  }
  const std::string& str() const { return text_; }
  size_t size() const { return text_.size(); }

 private:
  std::string text_;
};

// An array of numpy: `version` 1 to 3.
inline std::string npy_of(std::string_view header, std::string_view numbers, uint8_t version = 1) {
  Bytes all;
  all.text("\x93NUMPY").number(version).number(uint8_t{0});
  if (version == 1)
    all.number(static_cast<uint16_t>(header.size()));
  else
    all.number(static_cast<uint32_t>(header.size()));
  return all.text(header).text(numbers).str();
}

inline std::string npy_header(std::string_view type, const std::vector<int64_t>& sizes) {
  std::string shape;
  for (const int64_t size : sizes) shape += fmt::format("{}, ", size);
  return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}\n", type, shape);
}

// The arrays of a model, in either form.
class MarianMaker {
 public:
  struct Array {
    std::string name;
    uint64_t type;  // Marian's number
    std::vector<int64_t> sizes;
    std::string bytes;
  };

  MarianMaker& floats(const std::string& name, std::vector<int64_t> sizes,
                      const std::vector<float>& numbers) {
    arrays_.push_back({name, 0x404, std::move(sizes), bytes_of(numbers)});
    return *this;
  }
  MarianMaker& settings(std::string yaml) {
    yaml.append(16 - yaml.size() % 16, '\0');
    arrays_.push_back({"special:model.yml", 0x101, {static_cast<int64_t>(yaml.size())}, yaml});
    return *this;
  }
  // Integers as they lie in the file, and the multiplier after them.
  template <typename Integer>
  MarianMaker& intgemm(const std::string& name, uint64_t type, std::vector<int64_t> sizes,
                       const std::vector<Integer>& integers, float multiplier) {
    arrays_.push_back({name, type, std::move(sizes),
                       bytes_of(integers) + bytes_of(std::vector<float>{multiplier})});
    return *this;
  }

  std::vector<Array>& arrays() { return arrays_; }

  std::string npz() const {
    ZipMaker zip;
    for (const Array& array : arrays_)
      zip.add(array.name + ".npy",
              npy_of(npy_header(array.type == 0x101 ? "|i1" : "<f4", array.sizes), array.bytes));
    return zip.bytes();
  }

  std::string binary() const {
    constexpr size_t alignment = 256;
    const auto padded = [](size_t size) { return (size + alignment - 1) / alignment * alignment; };
    Bytes all;
    all.number(uint64_t{1}).number(static_cast<uint64_t>(arrays_.size()));
    for (const Array& array : arrays_)
      all.number(static_cast<uint64_t>(array.name.size() + 1))
          .number(array.type)
          .number(static_cast<uint64_t>(array.sizes.size()))
          .number(static_cast<uint64_t>(padded(array.bytes.size())));
    for (const Array& array : arrays_) all.text(array.name).number('\0');
    for (const Array& array : arrays_)
      for (const int64_t size : array.sizes) all.number(static_cast<int32_t>(size));
    const size_t offset = padded(all.size() + 8) - all.size() - 8;
    all.number(static_cast<uint64_t>(offset)).text(std::string(offset, '\0'));
    for (const Array& array : arrays_)
      all.text(array.bytes)
          .text(std::string(padded(array.bytes.size()) - array.bytes.size(), '\0'));
    return all.str();
  }

 private:
  std::vector<Array> arrays_;
};

}  // namespace heed::testing
