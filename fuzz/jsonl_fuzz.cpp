// Any bytes, as JSON lines: they are either refused with an Error, or every pair in them can be
// read and cleaned. The first byte says whether the keys are given.
#include <cstddef>
#include <cstdint>
#include <string>

#include "allow_errors.h"
#include "heed/data/jsonl_reader.h"
#include "read_every_pair.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const bool named = data[0] % 2 == 1;
  allow_errors([&] {
    std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    heed::JsonlReader reader(heed::LineReader(heed::input_of(std::move(bytes)), "fuzzed"),
                             named ? "en" : "", named ? "de" : "");
    read_every_pair(reader);
  });
  return 0;
}
