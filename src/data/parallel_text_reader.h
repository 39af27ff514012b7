// Two text files, the lines of which belong together.
#pragma once

#include <string>

#include "heed/data/line_reader.h"
#include "heed/data/pair_reader.h"

namespace heed {

class ParallelTextReader : public PairReader {
 public:
  // If the files have different numbers of lines that is an Error at their end, or, if `truncate`, the lines
  // that only one of them has are left alone.
  ParallelTextReader(const std::string& source, const std::string& target, bool truncate);

  bool next(SentencePair& pair) override;

 private:
  LineReader source_;
  LineReader target_;
  bool truncate_;
};

}  // namespace heed
