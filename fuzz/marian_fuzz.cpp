// Any bytes, as the weights of a Marian model, an npz archive or its binary form: they are either
// refused with an Error, or every array in them can be read or is refused by its name.
#include <cstddef>
#include <cstdint>
#include <span>

#include "allow_errors.h"
#include "heed/weights/marian_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  allow_errors([&] {
    const auto file = heed::MarianFile::parse(std::as_bytes(std::span(data, size)), "fuzzed");
    for (const std::string& name : file.names()) {
      allow_errors([&] { (void)file.read(name); });
      allow_errors([&] { (void)file.read_rows(name); });
      allow_errors([&] { (void)file.text(name); });
    }
  });
  return 0;
}
