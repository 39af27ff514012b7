// A model's shortlist, learnt from sentence pairs: which pieces of the target vocabulary the pieces
// of a source are linked to.
#pragma once

#include <cstdint>
#include <filesystem>

#include "heed/alignment/word_aligner.h"
#include "heed/data/corpus.h"
#include "heed/data/shortlist.h"
#include "heed/data/vocabulary.h"

namespace heed {

struct ShortlistOptions {
  int64_t best = 100;      // target pieces for each source piece
  int64_t frequent = 200;  // target pieces for every sentence
};

struct LearntShortlist {
  Shortlist shortlist;
  CorpusReport report;
  double candidates = 0;  // of the sentences learnt from, in the mean
  double covered = 0;     // of their target pieces: the share that are candidates
};

// With the aligner's links between the pieces of all pairs. The same on any number of threads.
LearntShortlist learn_shortlist(const CorpusInput& input, const Vocabulary& source,
                                const Vocabulary& target, const ShortlistOptions& options,
                                Workers& workers, const WordAligner::Progress& progress = {});

// The vocabularies of a folder that a shortlist can be stored in: a translator's, in heed's own
// format. An Error says what the folder is if it is another.
struct ShortlistVocabularies {
  Vocabulary source, target;
};
ShortlistVocabularies load_shortlist_vocabularies(const std::filesystem::path& folder);

}  // namespace heed
