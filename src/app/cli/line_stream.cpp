#include "heed/app/cli/line_stream.h"

#include <algorithm>
#include <utility>

#include "heed/base/characters.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr size_t first_chunk_lines = 64, most_chunk_lines = 4096;
constexpr size_t most_chunk_bytes = size_t{1} << 22;

// At least one line, unless there is none; more while they can be read without waiting.
std::vector<std::string> read_chunk(TextLines& in, size_t most_lines) {
  std::vector<std::string> lines;
  size_t bytes = 0;
  std::string line;
  do {
    if (!in.next(line)) break;
    bytes += line.size();
    lines.push_back(std::move(line));
  } while (lines.size() < most_lines && bytes < most_chunk_bytes && in.is_ready());
  return lines;
}

}  // namespace

bool TextLines::next(std::string& line) {
  if (!reader_.next(line)) return false;
  ++counts_.lines;
  if (!is_utf8(line)) {
    ++counts_.not_utf8;
    line = text_of(characters_of(line));
  }
  return true;
}

std::vector<std::string> TextLines::next(size_t most) {
  std::vector<std::string> lines;
  for (std::string line; lines.size() < most && next(line);) lines.push_back(std::move(line));
  return lines;
}

TextCheck check_unless(bool forced) {
  return {.refuse = !forced, .advice = "; --force reads it anyway"};
}

TextLines open_lines(const Console& console, const std::string& path, bool forced) {
  std::unique_ptr<ByteInput> bytes = path == "-" ? console.in() : open_file(path);
  const std::string name = input_name(path);
  return TextLines(LineReader(text_in(std::move(bytes), name, check_unless(forced)), name));
}

void transform_lines(TextLines& in, std::ostream& out, const LineTransform& transform) {
  size_t chunk_lines = first_chunk_lines;
  while (out) {
    const std::vector<std::string> lines = read_chunk(in, chunk_lines);
    if (lines.empty()) break;
    for (const std::string& result : transform(lines)) out << result << '\n';
    out.flush();
    chunk_lines = std::min(4 * chunk_lines, most_chunk_lines);
  }
}

}  // namespace heed
