// The bytes of a file or of standard input, unpacked where they are compressed with gzip or zstd.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace heed {

// Bytes from somewhere, from front to end.
class ByteInput {
 public:
  virtual ~ByteInput() = default;

  // Fills the front of `buffer` and says how many bytes there were; 0 at the end. An Error that names the
  // file if it cannot be read or unpacked.
  virtual size_t read(std::span<char> buffer) = 0;
};

// "-" is standard input. Whether the bytes are compressed is seen from the first of them, not from the name.
std::unique_ptr<ByteInput> open_bytes(const std::string& path);

// Likewise; UTF-16 with a byte order mark becomes UTF-8, and the mark of UTF-8 is left out.
std::unique_ptr<ByteInput> open_text(const std::string& path);

// Bytes that are in memory already.
std::unique_ptr<ByteInput> input_of(std::string bytes);

std::string read_all(ByteInput& input);

// What a file, or standard input, is called in a sentence.
std::string input_name(const std::string& path);

}  // namespace heed
