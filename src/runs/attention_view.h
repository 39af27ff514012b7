// What a model attends to when it translates a line, or when it is given the translation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/attention/head_name.h"
#include "heed/decoding/translator.h"
#include "heed/folders/model_folder.h"
#include "heed/models/recording.h"

namespace heed {

struct ViewOptions {
  int beam = 5;
  int most = 1;  // translations of a line: the best and its alternatives, at most `beam`
  std::vector<HeadName> without = {};     // heads that are switched off
  bool norms = false, gradients = false;  // of the best translation, not of its alternatives
  // Most tokens of a line, with the end. The memory of what is recorded grows with the square.
  int64_t max_length = 1024;
};

// Tokens as the model sees them, special ones included.
struct ViewedTokens {
  std::string text;
  std::vector<std::string> pieces;
  // Of each piece, from 0 on; -1 for special ones. Words are what spaces separate; in scripts that
  // have none, such as Chinese, each piece is one.
  std::vector<int64_t> words;

  bool has_no_words() const {
    return std::ranges::all_of(words, [](auto w) { return w < 0; });
  }
};

struct AttentionView {
  ViewedTokens source, target, read;  // see Recording
  double log_probability = 0;         // of the target, with its end
  Recording recording;

  // The log-probability per token: what `heed translate` ranks translations by, unless told
  // otherwise.
  double score() const;
  const ViewedTokens& queries(AttentionPart part) const;
  const ViewedTokens& keys(AttentionPart part) const;
};

// The model with these heads switched off. An Error if it does not have them, or no attention.
std::unique_ptr<Model> without_heads(const Model& model, const std::vector<HeadName>& heads);

class AttentionViewer {
 public:
  // An Error if the model has no attention, or not the heads that are to be switched off.
  explicit AttentionViewer(const ModelFolder& folder, ViewOptions options = {});

  const HeadCounts& head_counts() const { return counts_; }

  // The translation that the model finds, and its alternatives, the best first; nothing is the
  // translation of a line without words that it knows. A language model reads the line itself. An
  // Error names the line by its number if it is too long, or if it is empty and the model does not
  // even read its end.
  std::vector<AttentionView> find(const std::string& source, size_t number = 1) const;
  // A given translation.
  AttentionView look_at(const std::string& source, const std::string& target,
                        size_t number = 1) const;

  // Whether the line has more tokens than `heed translate` would translate in one part.
  bool is_unusually_long(const std::string& source) const;

 private:
  RecordOptions wanted() const;
  std::vector<int32_t> encoded(const std::string& line, const Vocabulary& vocabulary,
                               const std::string& what) const;
  std::vector<int32_t> encoded_source(const std::string& line, size_t number) const;
  AttentionView view(const std::string& source, std::vector<int32_t> source_ids,
                     const std::string& target, std::vector<int32_t> target_ids,
                     const RecordOptions& wanted) const;

  ViewOptions options_;
  std::unique_ptr<Model> model_;
  HeadCounts counts_;
  Vocabulary source_, target_;
  TrainedLengths lengths_;
  bool is_language_model_;
  int64_t max_length_;
  Translator translator_;
};

}  // namespace heed
