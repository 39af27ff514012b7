// Two parallel text files: line i of one translates line i of the other.
#pragma once

#include <string>
#include <utility>

#include "heed/data/line_reader.h"
#include "heed/data/pair_reader.h"

namespace heed {

class ParallelTextReader : public PairReader {
 public:
  // Different numbers of lines are an Error at the end; with `truncate`, the extra lines of the
  // longer file are ignored.
  ParallelTextReader(LineReader source, LineReader target, bool truncate)
      : source_(std::move(source)), target_(std::move(target)), truncate_(truncate) {}

  bool next(SentencePair& pair) override;

 private:
  LineReader source_;
  LineReader target_;
  bool truncate_;
};

}  // namespace heed
