#include "heed/data/charset_decoder.h"

#include <iconv.h>

#include <cerrno>
#include <cstdint>
#include <new>

namespace heed {

struct CharsetDecoder::Converter {
  explicit Converter(const std::string& charset) : handle(::iconv_open("UTF-8", charset.c_str())) {
    if (!is_known() && errno == ENOMEM) throw std::bad_alloc();
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  ~Converter() {
    if (is_known()) ::iconv_close(handle);
  }

  bool is_known() const { return reinterpret_cast<intptr_t>(handle) != -1; }

  iconv_t handle;
};

CharsetDecoder CharsetDecoder::of_header(std::string_view header) {
  constexpr std::string_view key = "charset=";
  const size_t start = header.find(key);
  if (start == header.npos) return {};
  header.remove_prefix(start + key.size());
  const std::string charset(header.substr(0, header.find_first_of(" ;\n\r\t/")));
  const auto converter = std::make_shared<Converter>(charset);
  CharsetDecoder decoder;
  if (converter->is_known() && charset != "UTF-8" && charset != "utf-8")
    decoder.converter_ = converter;
  return decoder;
}

std::string CharsetDecoder::decode(std::string_view text) const {
  if (!converter_) return std::string(text);
  // No character of an old encoding takes more than four bytes in UTF-8, and none is shorter than a
  // byte.
  std::string result(4 * text.size(), '\0');
  char* in = const_cast<char*>(text.data());  // iconv does not write there
  char* out = result.data();
  size_t in_left = text.size(), out_left = result.size();
  ::iconv(converter_->handle, nullptr, nullptr, nullptr, nullptr);
  if (::iconv(converter_->handle, &in, &in_left, &out, &out_left) == static_cast<size_t>(-1))
    return std::string(text);
  result.resize(result.size() - out_left);
  return result;
}

}  // namespace heed
