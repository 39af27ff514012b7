#include "heed/data/parallel_text_reader.h"

#include "heed/base/error.h"

namespace heed {

bool ParallelTextReader::next(SentencePair& pair) {
  pair.drop.reset();
  const bool has_source = source_.next(pair.source), has_target = target_.next(pair.target);
  if (has_source && has_target) return true;
  if (has_source == has_target || truncate_) return false;
  LineReader& longer = has_source ? source_ : target_;
  while (longer.next(pair.source)) {
  }
  fail("{} has {} lines but {} has {}, so they are not parallel", source_.name(), source_.lines(),
       target_.name(), target_.lines());
}

}  // namespace heed
