// Statistics of a corpus: lengths, duplicates and a few samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "heed/base/random.h"

namespace heed {

struct LengthSummary {
  int64_t median = 0;
  int64_t percentile_95 = 0;
  int64_t longest = 0;
};

// How often each length occurs.
class LengthCounts {
 public:
  void add(int64_t length);
  // The quantile: the length that this share (0 to 1) does not exceed.
  LengthSummary summary() const;

 private:
  int64_t at_share(double share) const;

  std::map<int64_t, int64_t> counts_;
  int64_t all_ = 0;
};

struct SideStatistics {
  LengthCounts words;  // between spaces
  LengthCounts characters;
};

class CorpusStatistics {
 public:
  // False for a duplicate.
  bool add(std::string_view source, std::string_view target);

  int64_t pairs() const { return pairs_; }
  int64_t duplicates() const { return duplicates_; }
  const SideStatistics& source() const { return source_; }
  const SideStatistics& target() const { return target_; }

  // A uniform sample of pairs, in the order of the corpus. The same for the same corpus.
  std::vector<std::pair<std::string, std::string>> samples() const;

 private:
  void consider_as_sample(std::string_view source, std::string_view target);

  struct Sample {
    int64_t number;
    std::string source;
    std::string target;
  };

  int64_t pairs_ = 0;
  int64_t duplicates_ = 0;
  SideStatistics source_;
  SideStatistics target_;
  // Hashes, since the pairs themselves may not fit into memory. Among a hundred million pairs, the
  // chance of a collision is 1 in 4,000.
  std::unordered_set<uint64_t> seen_;
  std::vector<Sample> samples_;
};

}  // namespace heed
