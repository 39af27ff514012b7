#include "heed/runs/link_evaluation.h"

#include <vector>

#include "heed/base/error_place.h"
#include "heed/base/json.h"

namespace heed {

namespace {

GoldLinks links_in(const NamedLines& file, size_t line, int64_t first_word) {
  return with_place(fmt::format("{}: line {}", file.name, line + 1),
                    [&] { return parse_gold_links(file.lines[line], first_word); });
}

}  // namespace

AlignmentCounts judge_links(const NamedLines& found, const NamedLines& gold, int64_t first_word) {
  require(found.lines.size() == gold.lines.size(), "{} has {} lines, but {} has {}", found.name,
          found.lines.size(), gold.name, gold.lines.size());
  require(!gold.lines.empty(), "{}: there are no links", gold.name);
  AlignmentCounts counts;
  for (size_t line = 0; line < gold.lines.size(); ++line)
    counts += count_links(links_in(found, line, 0).possible, links_in(gold, line, first_word));
  return counts;
}

std::string to_text(const AlignmentCounts& counts) {
  return fmt::format("AER {:.1f}  precision {:.1f}  recall {:.1f}  ({} links, {} sure)\n",
                     100 * counts.error_rate(), 100 * counts.precision(), 100 * counts.recall(),
                     counts.found, counts.sure);
}

std::string to_json(const AlignmentCounts& counts) {
  return json_object<OrderedJsonValue>({{"aer", counts.error_rate()},
                                        {"precision", counts.precision()},
                                        {"recall", counts.recall()},
                                        {"links", counts.found},
                                        {"sure", counts.sure}})
             .dump() +
         "\n";
}

}  // namespace heed
