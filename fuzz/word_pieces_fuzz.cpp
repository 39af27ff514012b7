// Any bytes, as a tokenizer.json: they are either refused with an Error, or any text can be encoded
// with them, and its ids have pieces.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "allow_errors.h"
#include "heed/data/word_pieces.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  allow_errors([&] {
    const auto pieces = heed::WordPieces::from_json(bytes, "fuzzed");
    for (const std::string& text : {std::string(), std::string("the [MASK] playing"),
                                    std::string("grüße, 漢字 😀\t\xff x"), bytes}) {
      for (const int32_t id : pieces.encode(text)) pieces.piece(id);
      if (pieces.encode(text, 8).ids.size() > 8 + pieces.encode("").size()) std::abort();
    }
  });
  return 0;
}
