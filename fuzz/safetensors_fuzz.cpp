// Any bytes, as a safetensors file: they are either refused with an Error, or every array in them
// can be read in every way, and a header written from what was read says the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "allow_errors.h"
#include "heed/weights/tensor_file.h"
#include "safetensors_mutator.h"

namespace {

void read_every_way(const heed::TensorFile& file, const std::string& name) {
  allow_errors([&] { file.read(name, heed::Type::float32); });
  allow_errors([&] { file.read(name, heed::Type::float64); });
  allow_errors([&] { file.read_finite(name, heed::Type::float32); });
  allow_errors([&] { file.read_integers(name); });
  allow_errors([&] { file.read_booleans(name); });
}

void write_and_compare(const heed::TensorFile& file) {
  heed::SafetensorsHeader header{.arrays = {}, .metadata = file.metadata()};
  int64_t length = 0;
  for (const std::string& name : file.names()) {
    header.arrays[name] = file.entry(name);
    length = std::max(length, file.entry(name).end);
  }
  const std::string text = heed::safetensors_header_text(header);
  const heed::SafetensorsHeader again = heed::parse_safetensors_header(text, length, "again");
  if (again.metadata != header.metadata || again.arrays != header.arrays) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  allow_errors([&] {
    const auto file = heed::TensorFile::parse(std::as_bytes(std::span(data, size)), "fuzzed");
    for (const std::string& name : file.names()) read_every_way(file, name);
    allow_errors([&] { file.entry("missing"); });
    write_and_compare(file);
  });
  return 0;
}
