// Every kind of model, small: Transformers with every kind of positions and placement of norms,
// recurrent networks with every attention, and language models.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/models/config_fields.h"
#include "heed/models/language_model.h"
#include "heed/models/rnn.h"
#include "heed/models/transformer.h"

namespace heed::testing::model_kinds {

inline constexpr int64_t vocabulary = 13;
inline constexpr int32_t start = 12;
inline const TokenBatch source{{5, 3, 0, 2, 9, 9, 1, 0, 4, 0}, Ragged({3, 5, 2})};

struct Kind {
  std::string name;
  std::function<std::unique_ptr<Model>()> make;
  bool attends = true;  // to the source
};

// With numbers in every parameter: biases begin at zero, and would not be seen.
template <typename M, typename Config>
std::unique_ptr<Model> model_of(const Config& config) {
  Rng rng(1);
  auto model = std::make_unique<M>(config, rng);
  model->visit_parameters({}, [&](const std::string&, Tensor& value) {
    for (float& number : value.template span<float>())
      number += 0.1f * static_cast<float>(rng.normal());
  });
  return model;
}

inline TransformerConfig small_transformer() {
  return {.source_vocabulary = 10,
          .target_vocabulary = vocabulary,
          .encoder_layers = 2,
          .decoder_layers = 2,
          .width = 16,
          .ffn = 20,
          .heads = 4,
          .context_length = 8,
          .max_distance = 2,
          .tied = TiedEmbeddings::none};
}

inline RnnConfig small_rnn() {
  return {.source_vocabulary = 10, .target_vocabulary = vocabulary, .embedding = 7, .hidden = 8};
}

inline void add_transformers(std::vector<Kind>& kinds) {
  for (const auto& positions : EnumNames<PositionKind>::values)
    for (const auto& placement : EnumNames<PositionPlacement>::values)
      for (const auto& norm : EnumNames<NormPlacement>::values)
        for (const int64_t kv_heads : {4, 2, 1}) {
          TransformerConfig config = small_transformer();
          config.positions = positions.value;
          config.placement = placement.value;
          config.norm = norm.value;
          config.kv_heads = kv_heads;
          kinds.push_back(
              {fmt::format("transformer: positions {}, placement {}, norm {}, {} KV heads",
                           positions.name, placement.name, norm.name, kv_heads),
               [config] { return model_of<Transformer>(config); }});
        }
}

inline void add_ssru_decoders(std::vector<Kind>& kinds) {
  for (const auto& norm : EnumNames<NormPlacement>::values) {
    TransformerConfig config = small_transformer();
    config.norm = norm.value;
    config.decoder = Autoregression::ssru;
    config.sinusoids = SinusoidSpacing::tensor2tensor;
    config.decoder_ffn = 12;
    kinds.push_back({fmt::format("transformer: SSRU decoder, norm {}", norm.name),
                     [config] { return model_of<Transformer>(config); }});
  }
}

inline void add_decoders_that_start_with_zeros(std::vector<Kind>& kinds) {
  for (const auto& tied : EnumNames<TiedEmbeddings>::values) {
    TransformerConfig config = small_transformer();
    config.decoder_start = DecoderStart::zeros;
    config.tied = tied.value;
    if (tied.value == TiedEmbeddings::all) config.source_vocabulary = config.target_vocabulary;
    kinds.push_back({fmt::format("transformer: decoder starts with zeros, tied {}", tied.name),
                     [config] { return model_of<Transformer>(config); }});
  }
}

inline void add_rnns(std::vector<Kind>& kinds) {
  for (const RecurrentKind cell : {RecurrentKind::gru, RecurrentKind::lstm})
    for (const std::optional<ScoreKind> attention :
         {std::optional(ScoreKind::additive), std::optional(ScoreKind::bilinear),
          std::optional(ScoreKind::dot), std::optional(ScoreKind::scaled_dot),
          std::optional<ScoreKind>()})
      for (const int layers : {1, 2}) {
        RnnConfig config = small_rnn();
        config.layers = layers;
        config.cell = cell;
        config.attention = attention;
        kinds.push_back({fmt::format("rnn: {} layers of {}, attention {}", layers,
                                     cell == RecurrentKind::gru ? "gru" : "lstm",
                                     attention ? name_of(*attention) : "none"),
                         [config] { return model_of<Rnn>(config); }, attention.has_value()});
      }
}

inline LanguageModelConfig small_language_model() {
  return {.vocabulary = vocabulary,
          .layers = 2,
          .width = 16,
          .ffn = 20,
          .heads = 4,
          .context_length = 16,
          .max_distance = 2};
}

inline void add_language_models(std::vector<Kind>& kinds) {
  for (const auto& positions : EnumNames<PositionKind>::values)
    for (const auto& norm : EnumNames<NormKind>::values)
      for (const bool plain : {false, true}) {
        LanguageModelConfig config = small_language_model();
        config.positions = positions.value;
        config.norm_kind = norm.value;
        config.norm = plain ? NormPlacement::post : NormPlacement::pre;
        config.tied = config.gated = config.scaled = !plain;
        config.bias = plain;
        config.kv_heads = plain ? 4 : 2;
        kinds.push_back({fmt::format("language model: positions {}, norm {}{}", positions.name,
                                     norm.name, plain ? ", plain" : ""),
                         [config] { return model_of<LanguageModel>(config); }, false});
      }
}

template <typename Check>
void for_every_kind(Check check) {
  std::vector<Kind> kinds;
  add_transformers(kinds);
  add_ssru_decoders(kinds);
  add_decoders_that_start_with_zeros(kinds);
  add_rnns(kinds);
  add_language_models(kinds);
  for (const Kind& kind : kinds) {
    SCOPED_TRACE(kind.name);
    check(*kind.make(), kind);
  }
}

}  // namespace heed::testing::model_kinds
