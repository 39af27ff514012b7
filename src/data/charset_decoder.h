// Decodes legacy encodings to UTF-8, for program messages, which may use any.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace heed {

class CharsetDecoder {
 public:
  // Leaves text as it is.
  CharsetDecoder() = default;

  // The one that the header of a PO or MO file names: "… charset=ISO-8859-1\n". Leaves text as it
  // is if that is missing, UTF-8, or unknown to this machine.
  static CharsetDecoder of_header(std::string_view header);

  // Text that is not valid in the encoding is returned unchanged.
  std::string decode(std::string_view text) const;

 private:
  struct Converter;
  std::shared_ptr<Converter> converter_;
};

}  // namespace heed
