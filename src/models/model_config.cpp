#include "heed/models/model_config.h"

#include <array>
#include <cmath>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/models/config_fields.h"
#include "heed/models/rnn.h"
#include "heed/models/shallow_json.h"
#include "heed/models/transformer.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

// Unknown settings may change what a model computes, so newer files are refused.
constexpr int newest_version = 1;

template <typename Field>
constexpr bool is_named = requires {
  EnumNames<Field>::values;
};

template <typename Field>
Json written(const Field& field) {
  if constexpr (is_named<Field>) {
    for (const auto& [value, name] : EnumNames<Field>::values)
      if (value == field) return name;
    __builtin_unreachable();
  } else {
    return field;
  }
}

// A setting from a file.
struct Found {
  const Json& json;
  std::string_view name;
  const std::string& file;

  [[noreturn]] void refuse(std::string_view expected) const {
    const std::string text =
        json.is_string() ? quote(json.get<std::string>()) : shorten(json.dump(), 80);
    fail("{}: \"{}\" is {} but {} was expected", file, name, text, expected);
  }
};

template <typename Field>
void read(const Found& found, Field& field) {
  if constexpr (is_named<Field>) {
    std::string names;
    for (const auto& [value, name] : EnumNames<Field>::values) {
      if (is_text(found.json, name)) {
        field = value;
        return;
      }
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    }
    found.refuse("one of " + names);
  } else if constexpr (std::is_same_v<Field, bool>) {
    if (!found.json.is_boolean()) found.refuse("true or false");
    field = found.json.get<bool>();
  } else if constexpr (std::is_integral_v<Field>) {
    constexpr int64_t largest = 1 << 28;
    if (!found.json.is_number_integer() || found.json > largest || found.json < 0)
      found.refuse(fmt::format("a number from 0 to {}", largest));
    field = found.json.get<Field>();
  } else {
    if (!found.json.is_number()) found.refuse("a number");
    field = found.json.get<Field>();
  }
}

Json all_settings(const ModelConfig& config) {
  Json settings = json_object<Json>({{"version", newest_version}, {"model", name_of(config)}});
  std::visit(
      [&](auto copy) {
        settings["source-vocabulary"] = copy.source_vocabulary;
        settings["target-vocabulary"] = copy.target_vocabulary;
        visit_fields(copy, [&](const char* name, auto& field, const char*) {
          settings[name] = written(field);
        });
      },
      config);
  return settings;
}

// MarianMT has no settings for these.
bool fits_marian(const TransformerConfig& c) {
  return c.norm == NormPlacement::post && c.positions == PositionKind::sinusoidal &&
         c.placement == PositionPlacement::input && !c.gated && c.source_end &&
         (c.kv_heads == 0 || c.kv_heads == c.heads);
}

// The settings of a MarianMT folder, for tools that read it.
Json marian_settings(const TransformerConfig& c) {
  return json_object<Json>({{"architectures", std::array{"MarianMTModel"}},
                            {"model_type", "marian"},
                            {"d_model", c.width},
                            {"encoder_layers", c.encoder_layers},
                            {"decoder_layers", c.decoder_layers},
                            {"encoder_attention_heads", c.heads},
                            {"decoder_attention_heads", c.heads},
                            {"encoder_ffn_dim", c.ffn},
                            {"decoder_ffn_dim", c.ffn},
                            {"activation_function", written(c.activation)},
                            {"vocab_size", c.source_vocabulary},
                            {"decoder_vocab_size", c.target_vocabulary},
                            {"pad_token_id", c.source_vocabulary - 1},
                            {"eos_token_id", 0},
                            {"decoder_start_token_id", c.target_vocabulary - 1},
                            {"max_position_embeddings", c.context_length},
                            {"static_position_embeddings", true},
                            {"scale_embedding", true},
                            {"share_encoder_decoder_embeddings", c.tied == TiedEmbeddings::all},
                            {"tie_word_embeddings", c.tied != TiedEmbeddings::none},
                            {"normalize_before", false},
                            {"dropout", c.dropout},
                            {"activation_dropout", c.activation_dropout},
                            {"attention_dropout", c.attention_dropout}});
}

// The object under "heed".
Json parse_heed_settings(std::string_view json, const std::string& file) {
  Json whole = parse_shallow_json<Json>(json, file);
  require(whole.is_object(), "{}: not a JSON object", file);
  require(whole.contains("heed") && whole["heed"].is_object(),
          "{}: the settings under \"heed\" are missing", file);
  return std::move(whole["heed"]);
}

template <typename Visit>
void visit_fields(TrainedLengths& lengths, Visit&& visit) {
  visit("longest-source", lengths.source);
  visit("longest-target", lengths.target);
  visit("largest-ratio", lengths.ratio);
}

template <typename Config>
ModelConfig parse_settings(const Json& settings, const std::string& file) {
  Config config;
  const auto read_setting = [&](const char* name, auto& field, const char*) {
    require(settings.contains(name), "{}: the setting \"{}\" is missing", file, name);
    read(Found{settings[name], name, file}, field);
  };
  read_setting("source-vocabulary", config.source_vocabulary, "");
  read_setting("target-vocabulary", config.target_vocabulary, "");
  visit_fields(config, read_setting);
  return config;
}

}  // namespace

std::string_view name_of(const ModelConfig& config) {
  return std::holds_alternative<TransformerConfig>(config) ? "transformer" : "rnn";
}

int64_t source_vocabulary(const ModelConfig& config) {
  return std::visit([](const auto& c) { return c.source_vocabulary; }, config);
}

int64_t target_vocabulary(const ModelConfig& config) {
  return std::visit([](const auto& c) { return c.target_vocabulary; }, config);
}

void set_vocabularies(ModelConfig& config, int64_t source, int64_t target) {
  std::visit(
      [&](auto& c) {
        c.source_vocabulary = source;
        c.target_vocabulary = target;
      },
      config);
}

double fewest_weights(const ModelConfig& config) {
  const auto product = [](auto... sizes) { return (1.0 * ... * static_cast<double>(sizes)); };
  if (const auto* c = std::get_if<TransformerConfig>(&config))
    return product(c->target_vocabulary, c->width) +
           product(c->encoder_layers + c->decoder_layers, c->width, c->width + c->ffn) +
           (c->positions == PositionKind::learned ? product(c->context_length, c->width) : 0) +
           (c->positions == PositionKind::relative ? product(c->heads, c->max_distance) : 0);
  const auto& c = std::get<RnnConfig>(config);
  return product(c.target_vocabulary, c.embedding) +
         product(c.layers, c.hidden + c.encoder_hidden, c.hidden + c.encoder_hidden) / 2;
}

void check(const ModelConfig& config) {
  std::visit([](const auto& chosen) { check(chosen); }, config);
}

std::unique_ptr<Model> make_model(const ModelConfig& config, Initialiser init) {
  if (const auto* transformer = std::get_if<TransformerConfig>(&config))
    return std::make_unique<Transformer>(*transformer, init);
  return std::make_unique<Rnn>(std::get<RnnConfig>(config), init);
}

std::string to_json(const ModelConfig& config, const TrainedLengths& lengths) {
  Json json = Json::object();
  if (const auto* transformer = std::get_if<TransformerConfig>(&config);
      transformer && fits_marian(*transformer))
    json = marian_settings(*transformer);
  json["heed"] = all_settings(config);
  if (lengths.known()) {
    TrainedLengths copy = lengths;
    visit_fields(copy, [&](const char* name, auto& field) { json["heed"][name] = field; });
  }
  return json.dump(2) + "\n";
}

TrainedLengths parse_trained_lengths(std::string_view json, const std::string& file) {
  const Json settings = parse_heed_settings(json, file);
  TrainedLengths lengths;
  visit_fields(lengths, [&](const char* name, auto& field) {
    if (!settings.contains(name)) return;
    const Found found{settings[name], name, file};
    read(found, field);
    if (!std::isfinite(static_cast<double>(field)) || field <= 0) found.refuse("a number above 0");
  });
  return lengths;
}

ModelConfig parse_model_config(std::string_view json, const std::string& file) {
  const Json settings = parse_heed_settings(json, file);
  int version = 0;
  if (settings.contains("version")) read(Found{settings["version"], "version", file}, version);
  require(version >= 1 && version <= newest_version,
          "{}: version {} but this heed reads up to version {}", file, version, newest_version);
  const std::string model = settings.contains("model") && settings["model"].is_string()
                                ? settings["model"].get<std::string>()
                                : "";
  if (model == "transformer") return parse_settings<TransformerConfig>(settings, file);
  if (model == "rnn") return parse_settings<RnnConfig>(settings, file);
  fail("{}: the model is {} but transformer or rnn was expected", file, quote(model));
}

}  // namespace heed
