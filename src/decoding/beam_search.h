// Finds likely translations: at every step the best few beginnings of the sentence go on (a beam of
// one is greedy search), and those that end leave the beam. Between equal scores the lower id comes
// first.
#pragma once

#include "heed/decoding/sentence_search.h"

namespace heed {

class BeamSearch final : public SentenceSearch {
 public:
  BeamSearch(Request request, const SentenceBounds& bounds);

  // The n best, or fewer if the search has found fewer.
  std::vector<Hypothesis> take_results() override;

 private:
  // A beginning of a translation, for each row.
  struct Live {
    int64_t node;  // in the history
    double log_probability;
  };
  // A beginning with one more token.
  struct Candidate {
    int64_t parent;  // its row
    int32_t token;
    double log_probability;
  };
  struct Ended {
    int64_t node;
    double log_probability;
    double score;
    bool cut;  // at the maximum length
  };

  void choose(kernels::MatrixView<float> scores) override;
  // What the rows propose, best first.
  std::vector<Candidate> candidates(kernels::MatrixView<float> scores) const;
  void propose(int64_t row, std::span<float> scores, std::vector<Candidate>& found) const;
  void propose_forced(int64_t row, std::span<const float> scores, int32_t column,
                      std::vector<Candidate>& found) const;
  void go_on(std::span<const Candidate> ranked);
  void end(int64_t node, double log_probability, bool cut);
  bool is_done() const;
  // Whether the hypotheses already go on by themselves; see SearchOptions::branch.
  bool has_branched() const;
  bool narrows() const { return options().narrowing; }

  std::vector<Live> live_;
  size_t width_;              // of the beam: in a search that narrows, places are lost
  std::vector<Ended> ended_;  // best first
};

}  // namespace heed
