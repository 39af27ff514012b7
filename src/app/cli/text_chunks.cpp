#include "heed/app/cli/text_chunks.h"

#include <fmt/format.h>

namespace heed {

std::vector<std::string> next_chunk(TextLines& lines) {
  constexpr size_t most_lines = 2048;
  std::vector<std::string> chunk = lines.next(1);
  std::string line;
  while (!chunk.empty() && chunk.size() < most_lines && lines.is_ready() && lines.next(line))
    chunk.push_back(line);
  return chunk;
}

void report_texts(const Console& console, const LineCounts& counts, int64_t cut, int64_t most) {
  if (cut > 0)
    console.err << fmt::format(
        "heed: {} of {} texts have more than {} tokens, and lost their ends\n", cut, counts.lines,
        most);
  if (counts.not_utf8 > 0)
    console.err << fmt::format("heed: {} of {} lines were not UTF-8; invalid bytes were left out\n",
                               counts.not_utf8, counts.lines);
}

}  // namespace heed
