#include "heed/data/tsv_reader.h"

namespace heed {

bool TsvReader::next(SentencePair& pair) {
  pair.drop.reset();
  if (!lines_.next(line_)) return false;
  const size_t tab = line_.find('\t');
  pair.source = line_.substr(0, tab);
  pair.target.clear();
  if (tab == std::string::npos)
    pair.drop = Drop::missing_column;
  else
    pair.target = line_.substr(tab + 1, line_.find('\t', tab + 1) - tab - 1);
  return true;
}

}  // namespace heed
