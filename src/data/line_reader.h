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
  explicit LineReader(const std::string& path, const TextCheck& check = {})
      : LineReader(open_text(path, check), input_name(path)) {}
  LineReader(std::unique_ptr<ByteInput> input, std::string name);

  // The next line without its end, LF or CRLF; false if there is none. An Error for a line of more
  // than 16 mebibytes, which no text has.
  bool next(std::string& line);

  // Whether next() has its answer without waiting for whoever writes the text.
  bool is_ready();

  // For sentences about the line that was read last.
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
  size_t searched_ = 0;  // up to where its end was looked for, or where it is
  size_t end_ = 0;       // of what was read
  bool finished_ = false;
  int64_t lines_ = 0;
};

}  // namespace heed
