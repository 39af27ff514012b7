// One JSON object per line: {"source": "…", "target": "…"} or {"translation": {"en": "…", "de":
// "…"}}.
#pragma once

#include <string>

#include "heed/data/line_reader.h"
#include "heed/data/pair_reader.h"

namespace heed {

class JsonlReader : public PairReader {
 public:
  // The keys of the two sides. If they are empty: "source" and "target", or inside "translation"
  // the first two.
  JsonlReader(LineReader lines, std::string source_key, std::string target_key)
      : lines_(std::move(lines)),
        source_key_(std::move(source_key)),
        target_key_(std::move(target_key)) {}

  bool next(SentencePair& pair) override;

 private:
  void read_object(SentencePair& pair) const;

  LineReader lines_;
  std::string source_key_;
  std::string target_key_;
  std::string line_;
};

}  // namespace heed
