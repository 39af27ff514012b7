// Any bytes, as a SentencePiece model: they are either refused with an Error, or text can be
// encoded with them, ordinarily and by sampling, and what comes out can be decoded.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "allow_errors.h"
#include "heed/data/vocabulary.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  allow_errors([&] {
    const auto vocabulary = heed::Vocabulary::from_bytes(
        std::string(reinterpret_cast<const char*>(data), size), "fuzzed");
    for (const char* text : {"", "a ba abba", "grüße, 漢字 😀\t\xff x"}) {
      for (const auto& ids :
           {vocabulary.encode(text), vocabulary.sample(text, 0.5, heed::make_key(1))}) {
        for (const int32_t id : ids)
          if (id < 0 || id >= vocabulary.size()) std::abort();
        vocabulary.decode(ids);
      }
    }
  });
  return 0;
}
