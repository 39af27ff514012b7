// Text of old encodings as UTF-8, for messages of programs, which may be in any.
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
  // is if it names none, UTF-8, or one that this machine does not know.
  static CharsetDecoder of_header(std::string_view header);

  // Text that is not in the encoding comes back as it was.
  std::string decode(std::string_view text) const;

 private:
  struct Converter;
  std::shared_ptr<Converter> converter_;
};

}  // namespace heed
