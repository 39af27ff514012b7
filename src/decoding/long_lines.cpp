#include "heed/decoding/long_lines.h"

namespace heed {

std::vector<std::vector<int32_t>> cut_line(std::vector<int32_t> ids, const Vocabulary& vocabulary,
                                           int64_t longest) {
  std::vector<std::vector<int32_t>> parts;
  if (ids.empty()) return parts;
  auto begin = ids.begin();
  while (ids.end() - begin > longest) {
    const int64_t left = ids.end() - begin;
    const int64_t parts_left = (left + longest - 1) / longest;
    const auto cut = begin + (left + parts_left - 1) / parts_left;
    auto word = cut;
    while (word > begin && !vocabulary.starts_word(*word)) --word;
    const auto end = word > begin ? word : cut;
    parts.emplace_back(begin, end);
    begin = end;
  }
  parts.emplace_back(begin, ids.end());
  return parts;
}

}  // namespace heed
