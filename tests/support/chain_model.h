// A model whose scores are a hash of the source sentence and of the tokens so far: every search can
// be checked against a plain loop.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "heed/base/random.h"
#include "heed/models/generator.h"

namespace heed::testing {

class ChainModel : public Generator {
 public:
  explicit ChainModel(int64_t vocabulary, double spread = 2.0)
      : vocabulary_(vocabulary), spread_(spread) {}

  // Scores of the token after `tokens`, which begin with the start token.
  std::vector<float> scores(std::span<const int32_t> source,
                            std::span<const int32_t> tokens) const {
    RandomKey key = make_key(17);
    for (const int32_t id : source) key = derive_key(key, static_cast<uint64_t>(id) + 1);
    key = derive_key(key, 0);
    for (const int32_t id : tokens) key = derive_key(key, static_cast<uint64_t>(id) + 1);
    Rng rng(key);
    std::vector<float> found(static_cast<size_t>(vocabulary_));
    for (float& score : found) score = static_cast<float>(spread_ * rng.normal());
    for (const auto& [id, bonus] : bonuses) found[static_cast<size_t>(id)] += bonus;
    return found;
  }

  // The attention of the token after `tokens`: any numbers that tell the rows apart.
  static float weight(std::span<const int32_t> tokens, int64_t source_token) {
    float sum = static_cast<float>(source_token);
    for (const int32_t id : tokens) sum = sum * 0.5f + static_cast<float>(id);
    return sum;
  }

  int64_t vocabulary() const { return vocabulary_; }

  std::unique_ptr<Decoder> make_decoder() const override;

  std::map<int32_t, float> bonuses;  // added to the scores of these ids
  // Of all decoders, which may be those of several threads.
  mutable std::atomic<int64_t> scored_rows = 0;     // the amount of work of a search
  mutable std::atomic<int64_t> moved_decoders = 0;  // calls of select

 private:
  int64_t vocabulary_;
  double spread_;
};

class ChainDecoder : public Decoder {
 public:
  explicit ChainDecoder(const ChainModel& model) : model_(model) {}

  void add(const TokenBatch& source, std::optional<AttentionChoice> attention) override {
    for (int64_t i = 0; i < source.layout.sequences(); ++i) {
      const std::span<const int32_t> ids = source.sentence(i);
      rows_.push_back({sentences_++, {ids.begin(), ids.end()}, attention.has_value(), {}});
    }
  }

  int64_t hypotheses() const override { return static_cast<int64_t>(rows_.size()); }

  Tensor step(std::span<const int32_t> tokens) override {
    EXPECT_EQ(tokens.size(), rows_.size());
    Tensor logits = Tensor::uninitialised({hypotheses(), model_.vocabulary()});
    for (size_t r = 0; r < rows_.size(); ++r) {
      rows_[r].tokens.push_back(tokens[r]);
      const std::vector<float> scores = model_.scores(rows_[r].source, rows_[r].tokens);
      std::copy(scores.begin(), scores.end(), logits.matrix<float>().row(static_cast<int64_t>(r)));
    }
    model_.scored_rows += hypotheses();
    return logits;
  }

  void select(std::span<const int64_t> from) override {
    std::vector<Row> next;
    for (const int64_t row : from) next.push_back(rows_.at(static_cast<size_t>(row)));
    for (size_t r = 1; r < next.size(); ++r) EXPECT_LE(next[r - 1].sentence, next[r].sentence);
    rows_ = std::move(next);
    ++model_.moved_decoders;
  }

  Tensor attention() const override {
    size_t longest = 0;
    bool wanted = false;
    for (const Row& row : rows_) {
      longest = std::max(longest, row.source.size());
      wanted = wanted || row.looks;
    }
    if (!wanted) return {};
    Tensor weights = Tensor::zeros({hypotheses(), static_cast<int64_t>(longest)});
    for (size_t r = 0; r < rows_.size(); ++r)
      for (size_t s = 0; rows_[r].looks && s < rows_[r].source.size(); ++s)
        weights.matrix<float>()(static_cast<int64_t>(r), static_cast<int64_t>(s)) =
            ChainModel::weight(rows_[r].tokens, static_cast<int64_t>(s));
    return weights;
  }

 private:
  struct Row {
    int64_t sentence;
    std::vector<int32_t> source;
    bool looks;
    std::vector<int32_t> tokens;
  };

  const ChainModel& model_;
  std::vector<Row> rows_;
  int64_t sentences_ = 0;
};

inline std::unique_ptr<Decoder> ChainModel::make_decoder() const {
  return std::make_unique<ChainDecoder>(*this);
}

}  // namespace heed::testing
