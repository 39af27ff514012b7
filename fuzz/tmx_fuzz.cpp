// Any bytes, as a TMX file, with and without languages that were asked for: they are either refused
// with an Error, or every unit in them can be read and cleaned.
#include <cstddef>
#include <cstdint>
#include <string>

#include "allow_errors.h"
#include "heed/data/tmx_reader.h"
#include "read_every_pair.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const char* language : {"", "en"})
    allow_errors([&] {
      heed::TmxReader reader(heed::input_of(bytes), "fuzzed", language, "");
      read_every_pair(reader);
    });
  return 0;
}
