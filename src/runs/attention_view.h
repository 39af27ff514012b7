// What a model attends to when it translates a line, when it is given the translation, or when it
// reads a text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/attention/head_name.h"
#include "heed/decoding/translator.h"
#include "heed/folders/model_folder.h"
#include "heed/models/recording.h"
#include "heed/runs/viewed_tokens.h"

namespace heed {

struct ViewOptions {
  std::optional<int> beam = {};  // without it, as wide as the model's makers search
  int most = 1;          // translations of a line: the best and its alternatives, at most `beam`
  std::string tag = {};  // in front of every source; see data/source_tags.h
  std::vector<HeadName> without = {};     // heads that are switched off
  bool norms = false, gradients = false;  // of the best translation, not of its alternatives
  // Most tokens of a line, with the end. The memory of what is recorded grows with the square.
  int64_t max_length = 1024;
};

struct AttentionView {
  ViewedTokens source, target, read;  // see Recording
  double log_probability = 0;         // of the target, with its end
  Recording recording;

  bool is_prediction() const { return !target.pieces.empty(); }  // an encoder alone makes none
  bool is_pair() const { return is_prediction() && !source.pieces.empty(); }
  // What was read first: the source, or the only text.
  const ViewedTokens& line() const { return source.pieces.empty() ? target : source; }

  // The log-probability per token: what `heed translate` ranks translations by, unless told
  // otherwise. Only of a prediction.
  double score() const;
  const ViewedTokens& queries(AttentionPart part) const;
  const ViewedTokens& keys(AttentionPart part) const;
};

// The search for the translations that are looked at: the model's own, so that they are what `heed
// translate` writes.
SearchOptions search_for(const ViewOptions& options, const SearchDefaults& defaults);

std::vector<HeadGate> switched_off(const std::vector<HeadName>& heads);

// The model with these heads switched off. An Error if it does not have them, or no attention.
std::unique_ptr<Model> without_heads(const Model& model, const std::vector<HeadName>& heads);

// Looks at one line after the other, with a model of some shape.
class LineViewer {
 public:
  virtual ~LineViewer() = default;

  virtual HeadCounts head_counts() const = 0;

  // What the model makes of a line: the best first, then its alternatives if there are any. An
  // Error names the line by its number if it is too long.
  virtual std::vector<AttentionView> find(const std::string& line, size_t number = 1) const = 0;
};

// With a model that predicts: a translator or a language model.
class AttentionViewer final : public LineViewer {
 public:
  // An Error if the model has no attention, or not the heads that are to be switched off, or not
  // the tag.
  explicit AttentionViewer(const ModelFolder& folder, const ViewOptions& options = {});
  // With a model of that folder whose heads are switched off already, and a translator for it.
  AttentionViewer(const ModelFolder& folder, std::shared_ptr<const Model> model,
                  std::shared_ptr<const Translator> translator, ViewOptions options);

  HeadCounts head_counts() const override { return model_->head_counts(); }

  // The translation that the model finds, and its alternatives, the best first; nothing is the
  // translation of a line without words that it knows. A language model reads the line itself. An
  // Error names the line by its number if it is too long, or if it is empty and the model does not
  // even read its end.
  std::vector<AttentionView> find(const std::string& source, size_t number = 1) const override;
  // A given translation.
  AttentionView look_at(const std::string& source, const std::string& target,
                        size_t number = 1) const;

  // Whether the line has more tokens than `heed translate` would translate in one part.
  bool is_unusually_long(const std::string& source) const;

 private:
  RecordOptions wanted() const;
  std::vector<int32_t> encoded(const std::string& line, const Vocabulary& vocabulary,
                               const std::string& what, const TagIds& tag = {}) const;
  std::vector<int32_t> encoded_source(const std::string& line, size_t number) const;
  AttentionView view(const std::string& source, std::vector<int32_t> source_ids,
                     const std::string& target, std::vector<int32_t> target_ids,
                     const RecordOptions& wanted) const;

  ViewOptions options_;
  std::shared_ptr<const Model> model_;
  Vocabulary source_, target_;
  TrainedLengths lengths_;
  TagIds tag_;
  bool is_language_model_;
  int64_t max_length_;
  std::shared_ptr<const Translator> translator_;
};

}  // namespace heed
