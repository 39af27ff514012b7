// Which model, and with which settings: one variant per kind.
#pragma once

#include <memory>
#include <string_view>
#include <variant>

#include "heed/layers/initialisation.h"
#include "heed/models/language_model_config.h"
#include "heed/models/model.h"
#include "heed/models/rnn_config.h"
#include "heed/models/transformer_config.h"

namespace heed {

using ModelConfig = std::variant<TransformerConfig, RnnConfig, LanguageModelConfig>;

std::string_view name_of(const ModelConfig& config);  // "transformer", "rnn" or "language-model"

// A language model has one vocabulary, which is both.
int64_t source_vocabulary(const ModelConfig& config);
int64_t target_vocabulary(const ModelConfig& config);
void set_vocabularies(ModelConfig& config, int64_t source, int64_t target);

// A lower bound on the number of weights. A double, because a damaged file may contain sizes that
// overflow any integer.
double fewest_weights(const ModelConfig& config);

// An Error names settings that do not fit.
void check(const ModelConfig& config);

// A model with fresh weights. The settings are checked.
std::unique_ptr<Model> make_model(const ModelConfig& config, Initialiser init);

}  // namespace heed
