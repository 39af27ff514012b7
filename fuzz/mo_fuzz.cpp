// Any bytes, as an MO file: they are either refused with an Error, or every message in them can be
// read and cleaned.
#include <cstddef>
#include <cstdint>
#include <string>

#include "allow_errors.h"
#include "heed/data/mo_reader.h"
#include "read_every_pair.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  allow_errors([&] {
    heed::MoReader reader(std::string(reinterpret_cast<const char*>(data), size), "fuzzed");
    read_every_pair(reader);
  });
  return 0;
}
