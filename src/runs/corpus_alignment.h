// Files of sentence pairs → links between their words.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/alignment/word_aligner.h"
#include "heed/data/corpus.h"
#include "heed/metrics/tokenise.h"

namespace heed {

struct CorpusAlignmentOptions {
  Tokeniser tokeniser = Tokeniser::none;
  int characters = 5;  // of a word that count; all if 0
  AlignerOptions aligner = {};
};

class CorpusAlignment {
 public:
  using LineWriter = std::function<void(const std::string& line)>;

  CorpusAlignment(const CorpusAlignmentOptions& options, Workers& workers);

  // Learns from a corpus. Once.
  CorpusReport learn(const CorpusInput& input, const WordAligner::Progress& progress = {});

  // The links of the pairs that were learnt from, or of other ones, in Pharaoh's format (see
  // metrics/alignment_error.h): a line for each pair, in order; an empty one for a pair that could
  // not be used. Without a method, the links that both directions agree on.
  void write_links(std::optional<Symmetrisation> method, const LineWriter& write);
  CorpusReport write_links_of(const CorpusInput& input, std::optional<Symmetrisation> method,
                              const LineWriter& write);

 private:
  CorpusReport read(const CorpusInput& input, std::vector<NumberedPair>& pairs);
  void write_links(std::span<const NumberedPair> pairs, std::optional<Symmetrisation> method,
                   const LineWriter& write);

  CorpusAlignmentOptions options_;
  Workers& workers_;
  NumberedWords source_words_, target_words_;
  std::vector<NumberedPair> pairs_;
  std::optional<WordAligner> aligner_;
};

// "0-0 1-2".
std::string pharaoh_line(std::span<const WordLink> links);

}  // namespace heed
