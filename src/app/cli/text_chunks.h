// Texts from standard input, one per line, in chunks that all threads share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/app/cli/console.h"
#include "heed/app/cli/line_stream.h"

namespace heed {

// What is there, up to a chunk; waits for the first line only. Empty at the end.
std::vector<std::string> next_chunk(TextLines& lines);

// Says how many texts were longer than the `most` tokens that a model reads, and how many lines
// were not UTF-8.
void report_texts(const Console& console, const LineCounts& counts, int64_t cut, int64_t most);

}  // namespace heed
