// The bytes of a file or of standard input, decompressed if they are gzip or zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "heed/data/text_check.h"

namespace heed {

// A stream of bytes.
class ByteInput {
 public:
  virtual ~ByteInput() = default;

  // Fills the front of `buffer` and returns the number of bytes; 0 at the end. An Error that names
  // the file if it cannot be read or decompressed.
  virtual size_t read(std::span<char> buffer) = 0;

  // Whether read() can return something now; false if it would wait for the sender.
  virtual bool is_ready() { return true; }
};

// "-" is standard input. Nothing is read before the first call of read().
std::unique_ptr<ByteInput> open_file(const std::string& path);   // as it is
std::unique_ptr<ByteInput> open_bytes(const std::string& path);  // unpacked
std::unique_ptr<ByteInput> open_text(const std::string& path, const TextCheck& check = {});

// Decompressed and decoded: UTF-16 with a byte order mark becomes UTF-8, and the mark of UTF-8 is
// removed. The first read() throws an Error if the input does not look like text. The name is for
// errors.
std::unique_ptr<ByteInput> text_in(std::unique_ptr<ByteInput> bytes, const std::string& name,
                                   const TextCheck& check = {});

// The first bytes decide whether they are compressed.
std::unique_ptr<ByteInput> unpack(std::unique_ptr<ByteInput> bytes, const std::string& name);

// Bytes in memory.
std::unique_ptr<ByteInput> input_of(std::string bytes);

// An Error that begins with the name if there are more than `most` bytes: a few that are packed may
// become very many.
std::string read_all(ByteInput& input, size_t most = SIZE_MAX, const std::string& name = {});

// The size of the text, if it is known without reading it, as for an uncompressed file. Otherwise
// 0.
int64_t known_size(const std::string& path);

// The name of a file, or of standard input, in a sentence.
std::string input_name(const std::string& path);

}  // namespace heed
