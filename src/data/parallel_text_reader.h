// Two text files, the lines of which belong together.
#pragma once

#include <string>
#include <utility>

#include "heed/data/line_reader.h"
#include "heed/data/pair_reader.h"

namespace heed {

class ParallelTextReader : public PairReader {
 public:
  // If the files have different numbers of lines that is an Error at their end, or, if `truncate`,
  // the lines that only one of them has are left alone.
  ParallelTextReader(LineReader source, LineReader target, bool truncate)
      : source_(std::move(source)), target_(std::move(target)), truncate_(truncate) {}

  bool next(SentencePair& pair) override;

 private:
  LineReader source_;
  LineReader target_;
  bool truncate_;
};

}  // namespace heed
