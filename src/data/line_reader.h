// Reads a text line by line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heed/data/byte_input.h"

namespace heed {

class LineReader {
 public:
  explicit LineReader(const std::string& path, const TextCheck& check = {})
      : LineReader(open_text(path, check), input_name(path)) {}
  LineReader(std::unique_ptr<ByteInput> input, std::string name);

  // The next line without its line end (LF or CRLF); false if there is none. An Error for a line of
  // more than 16 MiB, which is not text.
  bool next(std::string& line);

  // Whether next() would not block.
  bool is_ready();

  // "FILE: line N", for errors about the last line.
  std::string where() const;
  const std::string& name() const { return name_; }
  int64_t lines() const { return lines_; }

 private:
  bool find_end();
  bool read_more();

  std::unique_ptr<ByteInput> input_;
  std::string name_;
  std::vector<char> buffer_;
  size_t begin_ = 0;     // of the next line
  size_t searched_ = 0;  // up to where its end has been searched for, or where it is
  size_t end_ = 0;       // of what was read
  bool finished_ = false;
  int64_t lines_ = 0;
};

}  // namespace heed
