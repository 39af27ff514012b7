// Defines libFuzzer's custom mutator for inputs that are safetensors files. Include it in one file
// of a target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

// Almost every change of the header changes its length. Most inputs get the right one written
// again, up to the last closing brace, so that the fuzzer reaches what comes after the first check.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  const size_t last_brace = std::string_view(reinterpret_cast<const char*>(data), size).rfind('}');
  if (seed % 8 == 0 || last_brace == std::string_view::npos || last_brace < sizeof(uint64_t))
    return size;
  const uint64_t length = last_brace + 1 - sizeof(uint64_t);
  std::memcpy(data, &length, sizeof(length));
  return size;
}
