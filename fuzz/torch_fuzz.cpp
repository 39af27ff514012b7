// Any bytes, as a pytorch_model.bin and as the pickle in one: they are either refused with an
// Error, or every array in them can be read or is refused by its name.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "allow_errors.h"
#include "heed/weights/torch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  allow_errors([&] {
    const auto file = heed::TorchFile::parse(bytes, "fuzzed");
    for (const std::string& name : file.names()) allow_errors([&] { (void)file.read(name); });
  });
  const std::string name = "fuzzed";
  allow_errors([&] { heed::Pickle(bytes, name); });
  return 0;
}
