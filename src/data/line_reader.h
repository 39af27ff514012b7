// The lines of a text, one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heed/data/byte_input.h"

namespace heed {

class LineReader {
 public:
  explicit LineReader(const std::string& path) : LineReader(open_text(path), input_name(path)) {}
  LineReader(std::unique_ptr<ByteInput> input, std::string name);

  // The next line without its end, LF or CRLF; false if there is none. An Error for a line of more than 16
  // mebibytes, which no text has.
  bool next(std::string& line);

  // For sentences about the line that was read last.
  std::string where() const;
  const std::string& name() const { return name_; }
  int64_t lines() const { return lines_; }

 private:
  bool refill();

  std::unique_ptr<ByteInput> input_;
  std::string name_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  int64_t lines_ = 0;
};

}  // namespace heed
