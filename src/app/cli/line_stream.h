// Lines in, lines out: as many, in order, as soon as they are ready, in bounded memory.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <istream>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace heed {

struct LineCounts {
  int64_t lines = 0;
  int64_t not_utf8 = 0;  // of them
};

// The next line, if there is one, without its end: LF or CR LF. What is not UTF-8 becomes U+FFFD.
bool read_line(std::istream& in, std::string& line, LineCounts& counts);

// A text file to read. An Error if it cannot be.
std::ifstream open_lines(const std::string& path);

// A text file that is read a few lines at a time. An Error if it cannot be read.
class LineFile {
 public:
  explicit LineFile(const std::string& path);

  std::vector<std::string> next(size_t most);  // fewer at the end
  const std::string& path() const { return path_; }
  const LineCounts& counts() const { return counts_; }  // of the lines so far

 private:
  std::string path_;
  std::ifstream file_;
  LineCounts counts_;
};

// What becomes of some lines: as many.
using LineTransform = std::function<std::vector<std::string>(std::span<const std::string>)>;

// Passes the lines of `in` through `transform` to `out`, in chunks: all that can be read without waiting, few
// at first and more later. Ends at the end of `in`, or when `out` takes no more. Lines may end in CR LF and
// the last one in nothing; what is not UTF-8 becomes U+FFFD.
LineCounts transform_lines(std::istream& in, std::ostream& out, const LineTransform& transform);

}  // namespace heed
