// A classifier of texts: an encoder, pooling, and a linear layer that scores each label.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "heed/autograd/cross_entropy.h"
#include "heed/layers/linear.h"
#include "heed/models/bert.h"

namespace heed {

// How the tokens of a text become one vector. Attention: weighted by how well each fits a learned
// query.
enum class TextPooling { mean, max, first, attention };

struct ClassifierConfig {
  BertConfig encoder;
  int64_t labels = 0;
  TextPooling pooling = TextPooling::mean;
  double dropout = 0.1;  // of the pooled vector

  bool operator==(const ClassifierConfig&) const = default;
};

// Refuses settings that no model can have, naming the setting.
void check(const ClassifierConfig& config);

// Parameters: those of the encoder under "bert", pooling.query where pooling is by attention, and
// classifier.weight and classifier.bias.
class Classifier final : public ParameterModel {
 public:
  Classifier(const ClassifierConfig& config, Initialiser init);

  // The vectors that the last layer sees: (texts, width).
  Variable features(Tape& tape, const TokenBatch& texts,
                    AttentionRecorder* recorder = nullptr) const;
  Variable logits(Tape& tape, const TokenBatch& texts) const;  // (texts, labels)
  // The cross-entropy of the texts' labels, one each, summed over the texts: one number.
  Variable loss(Tape& tape, const TokenBatch& texts, std::span<const int32_t> labels,
                const CrossEntropyOptions& options = {}) const;

  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) override;

  const ClassifierConfig& config() const { return config_; }
  Bert& encoder() { return encoder_; }

 private:
  ClassifierConfig config_;
  Bert encoder_;
  Tensor query_;  // (width), or absent
  Linear output_;
};

}  // namespace heed
