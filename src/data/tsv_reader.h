// A text file with the source in the first column and the target in the second, separated by a tab.
#pragma once

#include <string>

#include "heed/data/line_reader.h"
#include "heed/data/pair_reader.h"

namespace heed {

// Further columns are ignored.
class TsvReader : public PairReader {
 public:
  explicit TsvReader(LineReader lines) : lines_(std::move(lines)) {}

  bool next(SentencePair& pair) override;

 private:
  LineReader lines_;
  std::string line_;
};

}  // namespace heed
