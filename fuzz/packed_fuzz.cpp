// Any bytes, as a file that may be compressed and in any encoding: it is either refused with an
// Error, or gives text. A few bytes may decompress to very many, so only the first of these are
// read.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "allow_errors.h"
#include "heed/data/byte_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  allow_errors([&] {
    const auto input =
        heed::text_in(heed::input_of(std::string(reinterpret_cast<const char*>(data), size)),
                      "fuzzed", {.refuse = size % 2 == 0});
    std::array<char, 4096> buffer;
    for (size_t total = 0; total < 1 << 20;) {
      const size_t count = input->read(buffer);
      if (count == 0) break;
      if (count > buffer.size()) std::abort();
      total += count;
    }
  });
  return 0;
}
