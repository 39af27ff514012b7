// What every head of a model does, over a text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/attention/head_role.h"
#include "heed/attention/head_statistics.h"
#include "heed/base/workers.h"
#include "heed/data/source_tags.h"
#include "heed/data/vocabulary.h"
#include "heed/data/word_pieces.h"
#include "heed/metrics/alignment_error.h"
#include "heed/models/recording.h"

namespace heed {

// Target line i translates source line i.
struct ParallelText {
  const Vocabulary& source_vocabulary;
  const Vocabulary& target_vocabulary;
  std::span<const std::string> source, target;
  std::span<const TagIds> tags = {};  // in front of the sources; see tag_of_line
};

// Lines that a language model reads.
struct PlainText {
  const Vocabulary& vocabulary;
  std::span<const std::string> lines;
};

// Lines that an encoder alone reads.
struct WordPieceText {
  const WordPieces& pieces;
  std::span<const std::string> lines;
};

struct HeadTableOptions {
  bool importance = true;  // costs a backward pass for each pair; an encoder alone has none
  std::span<const GoldLinks> gold = {};  // of each pair, or none at all
  size_t first = 1;                      // number of the first line, for errors
  int64_t max_length = 1024;             // most tokens of a line, with the end
};

struct DescribedHead {
  HeadName name;
  HeadFigures figures;  // over tokens, as the model sees them; see head_statistics.h
  // Σ over the pairs of |∂ cross-entropy of the pair / ∂ gate|, divided by the number of target
  // tokens (Michel et al., 2019); and the same divided by the length of the vector of its layer's
  // heads. Nothing where it is not wanted.
  std::optional<double> importance, relative_importance;
  // Of cross-attention where there are gold links: for each target word, the source word with the
  // largest weight, where weights are those of words (see word_weights).
  std::optional<AlignmentCounts> alignment;
  // What the cross-entropy per token grows by without the head; see ablate_heads.
  std::optional<double> ablation;
  HeadRole role = HeadRole::mixed;
};

struct HeadTable {
  std::vector<DescribedHead> heads;  // in the order of all_heads
  // Of each layer of the cross-attention where there are gold links: by the mean of its heads.
  std::vector<AlignmentCounts> layers;
  int64_t tokens = 0;  // of the target, with the ends; of the text where there is no target
  std::optional<double>
      cross_entropy;  // per token; none of an encoder alone, which predicts nothing
};

// The same for any number of workers. An Error names the first line that is too long or whose gold
// links name words that it does not have.
HeadTable describe_heads(const AttentiveModel& model, const ParallelText& text, Workers& workers,
                         const HeadTableOptions& options = {});
HeadTable describe_heads(const AttentiveModel& model, const PlainText& text, Workers& workers,
                         const HeadTableOptions& options = {});
HeadTable describe_heads(const EncodingModel& model, const WordPieceText& text, Workers& workers,
                         const HeadTableOptions& options = {});

// What is added up over pairs; one entry for each head.
struct HeadTableSums {
  std::vector<HeadSums> heads;
  std::vector<double> importance;
  std::vector<AlignmentCounts> alignment;
  std::vector<AlignmentCounts> layers;  // of the cross-attention
  double log_probability = 0;
  int64_t tokens = 0, predicted = 0;
};

// The same for what was recorded, one after the other: such as translations that a model has found
// itself. Without the rest of a text, no token is rare. Importance is there if the recordings
// have it.
class RecordedHeads {
 public:
  explicit RecordedHeads(const HeadCounts& counts) : names_(all_heads(counts)) {}

  void add(const Recording& recording);
  HeadTable table() const;  // an Error if nothing was added

 private:
  std::vector<HeadName> names_;
  HeadTableSums sums_;
};

// The cross-entropy per token without each of the heads, in the order of all_heads: one pass over
// the text for each.
std::vector<double> ablate_heads(const Model& model, const ParallelText& text, Workers& workers);
std::vector<double> ablate_heads(const Model& model, const PlainText& text, Workers& workers);

}  // namespace heed
