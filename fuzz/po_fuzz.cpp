// Any bytes, as a PO file: they are either refused with an Error, or every message in them can be
// read and cleaned.
#include <cstddef>
#include <cstdint>
#include <string>

#include "allow_errors.h"
#include "heed/data/po_reader.h"
#include "read_every_pair.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  allow_errors([&] {
    std::string bytes(reinterpret_cast<const char*>(data), size);
    heed::PoReader reader(heed::LineReader(heed::input_of(std::move(bytes)), "fuzzed"));
    read_every_pair(reader);
  });
  return 0;
}
