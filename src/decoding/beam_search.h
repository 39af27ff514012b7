// Finds likely translations: at every step the best few beginnings of the sentence go on (a beam of
// one is greedy search), and those that end leave the beam. Between equal scores the lower id comes
// first.
//
// Where terms are required, every hypothesis also proposes the tokens that bring it further with
// them, and hypotheses that have come equally far share the beam (Post and Vilar, 2018). A term
// belongs where the model looks at what it translates: one that begins elsewhere is put back.
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
    double misplaced = 0;  // what the places of its terms take from its rank
    TermProgress terms = {};
  };
  // A beginning with one more token.
  struct Candidate {
    int64_t parent;  // its row
    int32_t token;
    double log_probability;
    double misplaced = 0;
    double rank() const { return log_probability - misplaced; }
  };
  struct Ended {
    int64_t node;
    double log_probability;
    double score, rank;  // which differ by what is misplaced
    bool cut;            // at the maximum length
    int64_t terms = 0;   // that it has
    bool operator<(const Ended& other) const {
      return terms != other.terms ? terms < other.terms : rank < other.rank;
    }
  };

  void choose(kernels::MatrixView<float> scores,
              kernels::MatrixView<const float> attention) override;
  // What the rows propose, best first.
  std::vector<Candidate> candidates(kernels::MatrixView<float> scores,
                                    kernels::MatrixView<const float> attention) const;
  void propose(int64_t row, std::span<float> scores, std::vector<Candidate>& found) const;
  void propose_forced(int64_t row, std::span<const float> scores, int32_t column,
                      std::vector<Candidate>& found) const;
  // The tokens that the terms want, if they are not among those that were found, and what their
  // places take from their ranks.
  void propose_terms(int64_t row, std::span<const float> scores, std::span<const float> attention,
                     std::vector<Candidate>& found) const;
  // The best of each level of progress with the terms, in turns.
  std::vector<Candidate> in_turns(std::span<const Candidate> ranked) const;
  void go_on(std::span<const Candidate> ranked);
  void end(const Live& whole, bool cut);
  double best_live() const;
  bool is_done() const;
  // Whether the hypotheses already go on by themselves; see SearchOptions::branch.
  bool has_branched() const;
  bool narrows() const { return options().narrowing && !has_terms(); }
  bool has_terms() const { return !request_.terms.empty(); }

  std::vector<Live> live_;
  size_t width_;              // of the beam: in a search that narrows, places are lost
  std::vector<Ended> ended_;  // best first
};

}  // namespace heed
