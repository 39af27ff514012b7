// The settings of a classifier of texts.
#pragma once

#include <cstdint>

#include "heed/models/bert_config.h"

namespace heed {

// How the tokens of a text become one vector. Attention: weighted by how well each fits a learned
// query. Pooler: the first token through a linear layer and tanh, as in BERT's own classifiers.
enum class TextPooling { mean, max, first, attention, pooler };

struct ClassifierConfig {
  BertConfig encoder;
  int64_t labels = 0;
  bool several_labels = false;  // a text may have any number of labels, none included
  TextPooling pooling = TextPooling::mean;
  double dropout = 0.1;  // of the pooled vector

  bool operator==(const ClassifierConfig&) const = default;
};

// Refuses settings that no model can have, naming the setting.
void check(const ClassifierConfig& config);

}  // namespace heed
