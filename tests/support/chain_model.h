// A model whose scores are a hash of the source sentence and of the tokens so far: every search can
// be checked against a plain loop.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "heed/base/random.h"
#include "heed/models/model.h"

namespace heed::testing {

class ChainModel : public Model {
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

  Variable features(Tape&, const Batch&) const override { fail("chain model: it has no features"); }
  OutputLayer output_layer() const override { return {}; }
  std::unique_ptr<Decoder> decode(const TokenBatch& source,
                                  const DecoderOptions& options) const override;
  void make_ready(Precision) override {}
  void visit_parameters(std::string_view, const ParameterVisitor&) override {}
  int64_t source_multiplications() const override { return 0; }
  int64_t target_multiplications() const override { return 0; }

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
  ChainDecoder(const ChainModel& model, const TokenBatch& source, const DecoderOptions& options)
      : model_(model), source_(source), options_(options) {
    for (int64_t i = 0; i < source.layout.sequences(); ++i) rows_.push_back({i, {}});
  }

  int64_t hypotheses() const override { return static_cast<int64_t>(rows_.size()); }

  Tensor step(std::span<const int32_t> tokens) override {
    EXPECT_EQ(tokens.size(), rows_.size());
    Tensor logits = Tensor::uninitialised({hypotheses(), model_.vocabulary()});
    for (size_t r = 0; r < rows_.size(); ++r) {
      rows_[r].tokens.push_back(tokens[r]);
      const std::vector<float> scores =
          model_.scores(source_.sentence(rows_[r].sentence), rows_[r].tokens);
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
    if (!options_.want_attention) return {};
    Tensor weights = Tensor::zeros({hypotheses(), source_.layout.longest()});
    for (size_t r = 0; r < rows_.size(); ++r)
      for (int64_t s = 0; s < source_.layout.length(rows_[r].sentence); ++s)
        weights.matrix<float>()(static_cast<int64_t>(r), s) =
            ChainModel::weight(rows_[r].tokens, s);
    return weights;
  }

 private:
  struct Row {
    int64_t sentence;
    std::vector<int32_t> tokens;
  };

  const ChainModel& model_;
  TokenBatch source_;
  DecoderOptions options_;
  std::vector<Row> rows_;
};

inline std::unique_ptr<Decoder> ChainModel::decode(const TokenBatch& source,
                                                   const DecoderOptions& options) const {
  return std::make_unique<ChainDecoder>(*this, source, options);
}

}  // namespace heed::testing
