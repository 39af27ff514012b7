#include "heed/folders/config_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/base/shallow_json.h"
#include "heed/base/text.h"
#include "heed/data/source_tags.h"
#include "heed/data/tag_name.h"
#include "heed/models/config_fields.h"
#include "heed/models/search_fields.h"

namespace heed {

template <>
struct Fields<TrainedLengths> {
  using Lengths = TrainedLengths;
  static constexpr auto list =
      std::tuple(field("longest-source", &Lengths::source, "Tokens of the longest source sentence"),
                 field("longest-target", &Lengths::target, "Tokens of the longest target sentence"),
                 field("largest-ratio", &Lengths::ratio, "Most target tokens per source token"));
};

template <>
struct Fields<ModelNotes> {
  static constexpr auto list =
      std::tuple(field("origin", &ModelNotes::origin, "Where the model comes from"),
                 field("tags", &ModelNotes::tags, "What may stand in front of a source"),
                 nested(&ModelNotes::search));
};

namespace {

using Json = OrderedJsonValue;

// Unknown settings may change what a model computes, so newer files are refused.
constexpr int newest_version = 1;

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

void read_tags(const Found& found, std::vector<std::string>& tags) {
  const auto is_tag = [](const Json& json) {
    return json.is_string() &&
           tag_name(json.get_ref<const std::string&>()) == json.get_ref<const std::string&>();
  };
  const bool fits = found.json.is_array() && found.json.size() <= most_tags &&
                    std::ranges::all_of(found.json, is_tag);
  if (!fits) found.refuse(fmt::format("a list of at most {} tags", most_tags));
  tags = found.json.get<std::vector<std::string>>();
}

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
  } else if constexpr (std::is_same_v<Field, std::string>) {
    if (!found.json.is_string()) found.refuse("text");
    field = found.json.get<Field>();
  } else if constexpr (std::is_same_v<Field, std::vector<std::string>>) {
    read_tags(found, field);
  } else {
    if (!found.json.is_number()) found.refuse("a number");
    field = found.json.get<Field>();
  }
}

// The sizes of the vocabularies, which are no settings, with their names.
template <typename Config, typename Visit>
void visit_vocabularies(Config& config, const Visit& visit) {
  if constexpr (std::is_same_v<std::remove_const_t<Config>, LanguageModelConfig>) {
    visit("vocabulary", config.vocabulary);
  } else {
    visit("source-vocabulary", config.source_vocabulary);
    visit("target-vocabulary", config.target_vocabulary);
  }
}

Json all_settings(const ModelConfig& config) {
  Json settings = json_object<Json>({{"version", newest_version}, {"model", name_of(config)}});
  std::visit(
      [&](const auto& chosen) {
        visit_vocabularies(chosen, [&](const char* name, int64_t size) { settings[name] = size; });
        visit_fields(chosen, [&](const auto& field, const auto& value) {
          settings[field.name] = written(value);
        });
      },
      config);
  return settings;
}

// MarianMT has no settings for these.
bool fits_marian(const TransformerConfig& c) {
  return c.norm == NormPlacement::post && c.positions == PositionKind::sinusoidal &&
         c.placement == PositionPlacement::input && c.sinusoids == SinusoidSpacing::paper &&
         c.decoder == Autoregression::self_attention && c.decoder_start == DecoderStart::learned &&
         !c.gated && c.source_end && (c.kv_heads == 0 || c.kv_heads == c.heads);
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
                            {"decoder_ffn_dim", c.decoder_ffn == 0 ? c.ffn : c.decoder_ffn},
                            {"activation_function", written(c.activation)},
                            {"vocab_size", c.source_vocabulary},
                            {"decoder_vocab_size", c.target_vocabulary},
                            {"pad_token_id", Vocabulary::start_of(c.source_vocabulary)},
                            {"eos_token_id", Vocabulary::end},
                            {"decoder_start_token_id", Vocabulary::start_of(c.target_vocabulary)},
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

template <typename Config>
ModelConfig parse_settings(const Json& settings, const std::string& file) {
  Config config;
  const auto read_setting = [&](const char* name, auto& value) {
    require(settings.contains(name), "{}: the setting \"{}\" is missing", file, name);
    read(Found{settings[name], name, file}, value);
  };
  visit_vocabularies(config, read_setting);
  visit_fields(config, [&](const auto& field, auto& value) {
    if (!field.options.added_later || settings.contains(field.name))
      read_setting(field.name, value);
  });
  return config;
}

}  // namespace

std::string to_json(const ModelConfig& config, const TrainedLengths& lengths,
                    const ModelNotes& notes) {
  Json json = Json::object();
  if (const auto* transformer = std::get_if<TransformerConfig>(&config);
      transformer && fits_marian(*transformer))
    json = marian_settings(*transformer);
  json["heed"] = all_settings(config);
  if (lengths.known()) {
    visit_fields(lengths,
                 [&](const auto& field, const auto& value) { json["heed"][field.name] = value; });
  }
  // Most models have neither, and those of heed have no other notes than tags.
  if (notes.origin != ModelNotes().origin || notes.search != ModelNotes().search)
    visit_fields(notes,
                 [&](const auto& field, const auto& value) { json["heed"][field.name] = value; });
  if (notes.tags.empty())
    json["heed"].erase("tags");
  else
    json["heed"]["tags"] = notes.tags;
  return json.dump(2) + "\n";
}

TrainedLengths parse_trained_lengths(std::string_view json, const std::string& file) {
  const Json settings = parse_heed_settings(json, file);
  TrainedLengths lengths;
  visit_fields(lengths, [&](const auto& field, auto& value) {
    if (!settings.contains(field.name)) return;
    const Found found{settings[field.name], field.name, file};
    read(found, value);
    if (!std::isfinite(static_cast<double>(value)) || value <= 0) found.refuse("a number above 0");
  });
  return lengths;
}

ModelNotes parse_model_notes(std::string_view json, const std::string& file) {
  const Json settings = parse_heed_settings(json, file);
  ModelNotes notes;
  visit_fields(notes, [&](const auto& field, auto& value) {
    if (!settings.contains(field.name)) return;
    const Found found{settings[field.name], field.name, file};
    read(found, value);
    if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(value)>>)
      if (!(value >= field.options.least && value <= field.options.most))
        found.refuse(fmt::format("{} to {}", field.options.least, field.options.most));
  });
  return notes;
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
  if (model == "language-model") return parse_settings<LanguageModelConfig>(settings, file);
  fail("{}: the model is {} but transformer, rnn or language-model was expected", file,
       quote(model));
}

}  // namespace heed
