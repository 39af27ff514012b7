#include "heed/app/cli/line_stream.h"

#include <algorithm>
#include <filesystem>

#include "heed/base/characters.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr size_t first_chunk_lines = 64, most_chunk_lines = 4096;
constexpr size_t most_chunk_bytes = size_t{1} << 22;

// At least one line, unless there is none; more as long as that needs no waiting.
std::vector<std::string> read_chunk(std::istream& in, size_t most_lines, LineCounts& counts) {
  std::vector<std::string> lines;
  size_t bytes = 0;
  std::string line;
  do {
    if (!read_line(in, line, counts)) break;
    bytes += line.size();
    lines.push_back(std::move(line));
  } while (lines.size() < most_lines && bytes < most_chunk_bytes && in.rdbuf()->in_avail() > 0);
  return lines;
}

}  // namespace

bool read_line(std::istream& in, std::string& line, LineCounts& counts) {
  if (!std::getline(in, line)) return false;
  if (line.ends_with('\r')) line.pop_back();
  ++counts.lines;
  if (!is_utf8(line)) {
    ++counts.not_utf8;
    line = text_of(characters_of(line));
  }
  return true;
}

std::ifstream open_lines(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  require(file.is_open() && !std::filesystem::is_directory(path), "{}: cannot be read", path);
  return file;
}

LineFile::LineFile(const std::string& path) : path_(path), file_(open_lines(path)) {}

std::vector<std::string> LineFile::next(size_t most) {
  std::vector<std::string> lines;
  for (std::string line; lines.size() < most && read_line(file_, line, counts_);)
    lines.push_back(std::move(line));
  return lines;
}

LineCounts transform_lines(std::istream& in, std::ostream& out, const LineTransform& transform) {
  LineCounts counts;
  size_t chunk_lines = first_chunk_lines;
  while (out) {
    const std::vector<std::string> lines = read_chunk(in, chunk_lines, counts);
    if (lines.empty()) break;
    for (const std::string& result : transform(lines)) out << result << '\n';
    out.flush();
    chunk_lines = std::min(4 * chunk_lines, most_chunk_lines);
  }
  return counts;
}

}  // namespace heed
