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

// "-" is standard input.
std::unique_ptr<ByteInput> open_bytes(const std::string& path);  // unpacked
std::unique_ptr<ByteInput> open_text(const std::string& path);   // and decoded

// Whether bytes are compressed is seen from the first of them. The name is for errors.
std::unique_ptr<ByteInput> unpack(std::unique_ptr<ByteInput> bytes, const std::string& name);

// UTF-16 with a byte order mark becomes UTF-8, and the mark of UTF-8 is left out.
std::unique_ptr<ByteInput> decode_text(std::unique_ptr<ByteInput> bytes);

// Bytes that are in memory already.
std::unique_ptr<ByteInput> input_of(std::string bytes);

std::string read_all(ByteInput& input);

// What a file, or standard input, is called in a sentence.
std::string input_name(const std::string& path);

}  // namespace heed
