// Any bytes, as a PO file to be filled: they are either refused with an Error, or stay as they are,
// and can be read again with every message translated.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "allow_errors.h"
#include "heed/markup/po_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  allow_errors([&] {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    heed::PoFile file(bytes);
    if (file.text() != bytes) std::abort();
    for (size_t i = 0; i < file.messages().size(); ++i) {
      const heed::PoMessage& message = file.messages()[i];
      std::vector<std::string> forms(file.forms_of(message), "x" + message.id + message.plural);
      file.set_translation(i, forms, heed::FuzzyMark::set);
    }
    const std::string filled = file.text();
    heed::PoFile again(filled);
    if (again.messages().size() != file.messages().size() || again.text() != filled) std::abort();
    for (size_t i = 0; i < file.messages().size(); ++i)
      if (again.messages()[i].forms != file.messages()[i].forms || !again.messages()[i].is_fuzzy)
        std::abort();
  });
  return 0;
}
