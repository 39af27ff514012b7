// Files of CTranslate2 to test with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::testing {

// Writes a file as CTranslate2's converters do.
class CTranslate2Maker {
 public:
  explicit CTranslate2Maker(uint32_t version = 6) : version_(version) {
    integer(version);
    text("TransformerSpec");
    integer(uint32_t{7});
  }

  template <typename T>
  CTranslate2Maker& integer(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }
  CTranslate2Maker& text(std::string_view text) {
    integer(static_cast<uint16_t>(text.size() + 1));
    bytes_ += text;
    bytes_ += '\0';
    return *this;
  }
  // `type` is the number of the type, or before version 4 the size of a number.
  template <typename T>
  CTranslate2Maker& array(std::string_view name, std::vector<uint32_t> sizes, uint8_t type,
                          std::vector<T> values) {
    text(name).integer(static_cast<uint8_t>(sizes.size()));
    for (const uint32_t size : sizes) integer(size);
    integer(type).integer(static_cast<uint32_t>(values.size() * (version_ < 4 ? 1 : sizeof(T))));
    for (const T value : values) integer(value);
    return *this;
  }

  std::string& bytes() { return bytes_; }

 private:
  uint32_t version_;
  std::string bytes_;
};

}  // namespace heed::testing
