// Any bytes, as a file of merges for byte-pair encoding: they are either refused with an Error, or
// any text can be split with them after Moses's tokeniser, ordinarily and by sampling, its pieces
// stand for bytes of it, and they can be joined again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "allow_errors.h"
#include "heed/base/text.h"
#include "heed/data/moses_pieces.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  allow_errors([&] {
    constexpr const char* languages[] = {"en", "fr", "de", "zh"};
    const heed::MosesPieces pieces(
        {.language = languages[size % 4], .prefixes = {"Dr"}, .merges = bytes}, "fuzzed");
    for (const std::string& text : {std::string(), std::string("the “unseen” Dr. Low, isn't…"),
                                    std::string("grüße, 漢字 😀\t\xff 5,300.'"), bytes}) {
      for (const auto& split : {pieces.split(text), pieces.sample(text, 0.5, heed::make_key(1))}) {
        std::vector<std::string> words;
        for (const heed::MosesPieces::Piece& piece : split) {
          const heed::TextRange range = piece.range;
          if (range.begin >= range.end || range.end > text.size()) std::abort();
          words.push_back(piece.text);
        }
        const heed::MosesPieces::Joined joined = pieces.join(words);
        if (!heed::is_utf8(joined.text)) std::abort();
        for (const heed::TextRange range : joined.ranges)
          if (range.begin > range.end || range.end > joined.text.size()) std::abort();
      }
    }
  });
  return 0;
}
