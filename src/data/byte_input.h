// The bytes of a file or of standard input, unpacked where they are compressed with gzip or zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "heed/data/text_check.h"

namespace heed {

// Bytes from somewhere, from front to end.
class ByteInput {
 public:
  virtual ~ByteInput() = default;

  // Fills the front of `buffer` and says how many bytes there were; 0 at the end. An Error that
  // names the file if it cannot be read or unpacked.
  virtual size_t read(std::span<char> buffer) = 0;

  // Whether read() has something to give now; false if it would wait for whoever sends the bytes.
  virtual bool is_ready() { return true; }
};

// "-" is standard input. Nothing is read before the first byte is asked for.
std::unique_ptr<ByteInput> open_file(const std::string& path);   // as it is
std::unique_ptr<ByteInput> open_bytes(const std::string& path);  // unpacked
std::unique_ptr<ByteInput> open_text(const std::string& path, const TextCheck& check = {});

// Unpacked and decoded: UTF-16 with a byte order mark becomes UTF-8, and the mark of UTF-8 is left
// out. An Error, when the first byte is asked for, if that does not look like text. The name is for
// errors.
std::unique_ptr<ByteInput> text_in(std::unique_ptr<ByteInput> bytes, const std::string& name,
                                   const TextCheck& check = {});

// Whether bytes are compressed is seen from the first of them.
std::unique_ptr<ByteInput> unpack(std::unique_ptr<ByteInput> bytes, const std::string& name);

// Bytes that are in memory already.
std::unique_ptr<ByteInput> input_of(std::string bytes);

// An Error that begins with the name if there are more than `most` bytes: a few that are packed may
// become very many.
std::string read_all(ByteInput& input, size_t most = SIZE_MAX, const std::string& name = {});

// How much text there is to read, where that is known without reading it: in a file that is not
// compressed. Otherwise 0.
int64_t known_size(const std::string& path);

// What a file, or standard input, is called in a sentence.
std::string input_name(const std::string& path);

}  // namespace heed
