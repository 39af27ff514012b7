// Links between words, judged by those that people have drawn.
#pragma once

#include <string>

#include "heed/metrics/alignment_error.h"
#include "heed/runs/evaluation.h"

namespace heed {

// Line i of both files is of the same pair, in Pharaoh's format. `first_word` is the number of the
// first word in the gold file, 0 or 1; the found links are counted from 0. An Error names the file
// and the line.
AlignmentCounts judge_links(const NamedLines& found, const NamedLines& gold, int64_t first_word);

// "AER 7.1  precision 91.0  recall 95.2  (4821 links, 4038 sure)".
std::string to_text(const AlignmentCounts& counts);
// {"aer": 0.071, "precision": …, "recall": …, "links": 4821, "sure": 4038}
std::string to_json(const AlignmentCounts& counts);

}  // namespace heed
