// How a model is searched with, where its makers chose that and it is not heed's way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed {

struct SearchDefaults {
  int64_t beam = 0;  // 0: heed's own
  // Hypotheses are ranked by (log-probability - word_penalty * length) / length^length_penalty.
  double length_penalty = 1;
  double word_penalty = 0;
  // As Marian searches: a hypothesis that ends leaves its place in the beam empty, the search goes
  // on until all have ended, and tokens that are not allowed keep their share of the probability.
  bool narrowing = false;
  double max_ratio = 0;  // the most target tokens for each source token; 0: by the trained lengths
  bool never_unknown = false;  // the unknown token is not allowed
  // The attention that aligns words, counted from 1; 0 for the last layer, and the mean of all
  // heads.
  int64_t alignment_layer = 0;
  int64_t alignment_head = 0;

  bool operator==(const SearchDefaults&) const = default;
};

// What a model folder says besides the settings of the model.
struct ModelNotes {
  std::string origin = {};  // where the model comes from, if not from heed
  // That it was trained with, sorted; see data/source_tags.h.
  std::vector<std::string> tags = {};
  SearchDefaults search = {};

  bool operator==(const ModelNotes&) const = default;
};

}  // namespace heed
