#include "heed/folders/huggingface_marian.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "heed/attention/positions.h"
#include "heed/base/error_place.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "heed/base/shallow_json.h"
#include "heed/base/text.h"
#include "heed/folders/huggingface_settings.h"
#include "heed/folders/huggingface_tokens.h"
#include "heed/folders/huggingface_weights.h"
#include "heed/folders/stored_positions.h"
#include "heed/models/transformer.h"
#include "heed/weights/file_checksum.h"

namespace heed {

namespace {

namespace fs = std::filesystem;
using huggingface::Tokens;

constexpr const char* shared_table = "model.shared.weight";
constexpr const char* source_table = "model.encoder.embed_tokens.weight";
constexpr const char* target_table = "model.decoder.embed_tokens.weight";
constexpr const char* output_table = "lm_head.weight";
constexpr const char* output_bias = "final_logits_bias";
constexpr std::string_view positions_ending = ".embed_positions.weight";

Activation activation_of(const HuggingFaceSettings& settings) {
  constexpr std::pair<std::string_view, Activation> known[] = {
      {"relu", Activation::relu},       {"gelu", Activation::gelu},
      {"swish", Activation::swish},     {"silu", Activation::swish},
      {"tanh", Activation::tanh},       {"sigmoid", Activation::sigmoid},
      {"linear", Activation::identity},
  };
  const std::string name = settings.text("activation_function", "gelu");
  for (const auto& [theirs, ours] : known)
    if (theirs == name) return ours;
  settings.refuse("activation_function", "relu, gelu, swish, silu, tanh, sigmoid or linear");
}

// Where Hugging Face's library has one setting for each side and heed one for both.
int64_t number_of_both(const HuggingFaceSettings& settings, const char* encoder,
                       const char* decoder) {
  const int64_t number = settings.number(encoder);
  settings.expect_number(decoder, number, "as in the encoder");
  return number;
}

// Of what the library does with the scores of a token, heed does this: the start is never proposed.
void check_search(const HuggingFaceSettings& settings, int64_t start, int64_t end) {
  const JsonValue* bad_words = settings.find("bad_words_ids");
  if (bad_words != nullptr && *bad_words != JsonValue::parse(fmt::format("[[{}]]", start)))
    settings.refuse("bad_words_ids", fmt::format("[[{}]]", start));
  settings.expect_number("forced_eos_token_id", end, "the end of a sentence");
  for (const char* name : {"forced_bos_token_id", "suppress_tokens", "begin_suppress_tokens"})
    settings.expect_missing(name);
}

bool same_numbers(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::ranges::equal(a.span<float>(), b.span<float>());
}

Tensor with_rows(const Tensor& table, const Tokens& tokens) {
  if (tokens.in_order()) return table;
  Tensor result = Tensor::uninitialised(table.shape());
  const int64_t width = table.shape().rank() == 1 ? 1 : table.shape()[1];
  for (size_t i = 0; i < tokens.rows.size(); ++i)
    std::copy_n(table.data<float>() + tokens.rows[i] * width, width,
                result.data<float>() + static_cast<int64_t>(i) * width);
  return result;
}

class Import {
 public:
  explicit Import(const fs::path& folder)
      : folder_(folder),
        settings_(folder / "config.json"),
        tokenizer_(HuggingFaceSettings::if_there(folder / "tokenizer_config.json")),
        weights_(folder) {
    read_config();
    read_special_ids();
    weights_.check_size(fewest_weights(config_));
    read_vocabularies();
  }

  ModelFolder run() {
    read_tables();
    read_positions();
    auto model = std::make_unique<Transformer>(config_, Initialiser::unset());
    model->visit_parameters({}, [&](const std::string& name, Tensor& value) {
      value = parameter(name, value.shape());
    });
    check_all_were_read();
    return {.config = config_,
            .model = std::move(model),
            .source = *source_,
            .target = *target_,
            .storage = storage_,
            .languages = load_languages(folder_),
            .notes = {.origin = origin()}};
  }

 private:
  std::string origin() const {
    const std::string name = settings_.text("_name_or_path", "");
    return name.empty() ? "Hugging Face's MarianMT"
                        : fmt::format("Hugging Face's MarianMT, {}", quote(name));
  }

  // Missing settings have the values that Hugging Face gives them.
  void read_config() {
    settings_.expect_text("model_type", "marian");
    for (const char* name : {"normalize_before", "normalize_embedding", "add_final_layer_norm",
                             "add_bias_logits", "is_decoder"})
      settings_.expect_truth(name, false);
    settings_.expect_truth("static_position_embeddings", true);
    settings_.expect_missing("quantization_config");
    shared_ = settings_.truth("share_encoder_decoder_embeddings", true);
    scaled_ = settings_.truth("scale_embedding", false);
    tied_ = settings_.truth("tie_word_embeddings", true);
    config_.source_vocabulary = settings_.number("vocab_size");
    config_.target_vocabulary = settings_.number("decoder_vocab_size", config_.source_vocabulary);
    if (shared_)
      settings_.expect_number("decoder_vocab_size", config_.source_vocabulary,
                              "as the embeddings are shared");
    config_.width = settings_.number("d_model");
    config_.encoder_layers = settings_.number("encoder_layers");
    config_.decoder_layers = settings_.number("decoder_layers");
    config_.heads = number_of_both(settings_, "encoder_attention_heads", "decoder_attention_heads");
    config_.ffn = number_of_both(settings_, "encoder_ffn_dim", "decoder_ffn_dim");
    config_.activation = activation_of(settings_);
    config_.context_length = settings_.number("max_position_embeddings", 1024);
    // A table that is not scaled cannot be the output's, since heed scales what it embeds.
    config_.tied = !scaled_ || !tied_ ? TiedEmbeddings::none
                   : shared_          ? TiedEmbeddings::all
                                      : TiedEmbeddings::decoder;
    config_.dropout = settings_.real("dropout", 0.1);
    config_.embedding_dropout = config_.dropout;
    config_.activation_dropout = settings_.real("activation_dropout", 0);
    config_.attention_dropout = settings_.real("attention_dropout", 0);
    with_place(settings_.file(), [&] { check(config_); });
  }

  void read_special_ids() {
    special_ = {.end = settings_.number("eos_token_id", 0),
                .start = settings_.number("decoder_start_token_id")};
    settings_.expect_number("pad_token_id", special_.start, "which also starts the decoder");
    check_search(settings_, special_.start, special_.end);
    check_search(HuggingFaceSettings::if_there(folder_ / "generation_config.json"), special_.start,
                 special_.end);
  }

  void read_vocabularies() {
    const bool separate = tokenizer_.truth("separate_vocabs", false);
    require(
        !separate || !shared_,
        "{}: the vocabularies are separate, but config.json says that the embeddings are shared",
        tokenizer_.file());
    target_tokens_ =
        huggingface::read_tokens(folder_ / (separate ? "target_vocab.json" : "vocab.json"),
                                 config_.target_vocabulary, special_);
    source_tokens_ = separate ? huggingface::read_tokens(folder_ / "vocab.json",
                                                         config_.source_vocabulary, special_)
                              : target_tokens_;
    require(static_cast<int64_t>(source_tokens_.names.size()) == config_.source_vocabulary,
            "{}: {} tokens but config.json says {}", (folder_ / "vocab.json").string(),
            source_tokens_.names.size(), config_.source_vocabulary);
    source_ = huggingface::vocabulary_of(folder_ / "source.spm", source_tokens_);
    target_ = huggingface::vocabulary_of(folder_ / "target.spm", target_tokens_);
  }

  Tensor read(const std::string& name, const Shape& shape) {
    if (weights_.contains(name)) read_.insert(name);
    Tensor found = weights_.read(name, shape);
    if (weights_.type(name) == StoredType::f16) storage_ = WeightStorage::float16;
    return found;
  }

  // A table that may be stored under several names, of which each has the same numbers.
  Tensor read_any(std::initializer_list<const char*> names, int64_t rows) {
    Tensor found;
    const char* first = *names.begin();
    for (const char* name : names) {
      if (!weights_.contains(name)) continue;
      const Tensor table = read(name, {rows, config_.width});
      if (found.present())
        require(same_numbers(found, table), "{}: arrays \"{}\" and \"{}\" differ but must be equal",
                weights_.file_of(name), first, name);
      else
        found = table, first = name;
    }
    require(found.present(), "{}: array \"{}\" is missing", weights_.file_of(first), first);
    return found;
  }

  void read_tables() {
    const int64_t sources = config_.source_vocabulary, targets = config_.target_vocabulary;
    if (shared_ && tied_) {
      target_table_ = output_table_ =
          read_any({shared_table, source_table, target_table, output_table}, targets);
      source_table_ = target_table_;
    } else if (shared_) {
      source_table_ = target_table_ = read_any({shared_table, source_table, target_table}, targets);
      output_table_ = read_any({output_table}, targets);
    } else {
      source_table_ = read_any({source_table}, sources);
      target_table_ = tied_ ? read_any({target_table, output_table}, targets)
                            : read_any({target_table}, targets);
      output_table_ = tied_ ? target_table_ : read_any({output_table}, targets);
    }
    source_table_ = with_rows(source_table_, source_tokens_);
    target_table_ = with_rows(target_table_, target_tokens_);
    output_table_ = with_rows(output_table_, target_tokens_);
    if (!scaled_) unscale(source_table_), unscale(target_table_);
    output_bias_ = Tensor::zeros({targets});
    if (weights_.contains(output_bias))
      output_bias_ = with_rows(read(output_bias, {1, targets}).reshape({targets}), target_tokens_);
  }

  // heed multiplies what it embeds by the square root of the width.
  void unscale(Tensor& table) const {
    table = table.clone();
    for (float& value : table.span<float>()) value /= std::sqrt(static_cast<float>(config_.width));
  }

  // The sinusoids follow from their sizes, but older folders have them, and the library would use
  // others that are stored there.
  void read_positions() {
    const std::string names[] = {"model.encoder" + std::string(positions_ending),
                                 "model.decoder" + std::string(positions_ending)};
    if (!weights_.contains(names[0]) && !weights_.contains(names[1])) return;
    const Shape shape{config_.context_length, config_.width};
    const Tensor tables[] = {read(names[0], shape), read(names[1], shape)};
    const std::optional<SinusoidSpacing> spacing = spacing_of(tables);
    config_.positions = spacing ? PositionKind::sinusoidal : PositionKind::learned;
    config_.sinusoids = spacing.value_or(SinusoidSpacing::paper);
  }

  // Under its name in heed, which is the folder's, but for tables.
  Tensor parameter(const std::string& name, const Shape& shape) {
    if (name == shared_table || name == target_table) return target_table_;
    if (name == source_table) return source_table_;
    if (name == output_table) return output_table_;
    if (name == output_bias) return output_bias_;
    return read(name, shape);
  }

  // An array that was not read would change what the model computes.
  void check_all_were_read() const {
    for (const std::string& name : weights_.names())
      require(read_.contains(name), "{}: array {} is not one of a MarianMT model",
              weights_.file_of(name), Quoted{name});
  }

  fs::path folder_;
  HuggingFaceSettings settings_, tokenizer_;
  HuggingFaceWeights weights_;
  TransformerConfig config_;
  bool shared_ = true, scaled_ = true, tied_ = true;
  huggingface::SpecialIds special_;
  Tokens source_tokens_, target_tokens_;
  std::optional<Vocabulary> source_, target_;
  Tensor source_table_, target_table_, output_table_, output_bias_;
  std::set<std::string, std::less<>> read_;
  WeightStorage storage_ = WeightStorage::float32;
};

}  // namespace

// Then the settings, too, were those of heed, and have been damaged.
bool are_weights_of_heed(const fs::path& folder) {
  std::error_code ignored;
  const fs::path weights = folder / "model.safetensors";
  return fs::exists(weights, ignored) && FileChecksum::is_in(TensorFile::open(weights));
}

bool is_marian_mt_folder(const fs::path& folder) {
  std::error_code ignored;
  const fs::path config = folder / "config.json";
  if (!fs::exists(config, ignored)) return false;
  const JsonValue json = parse_shallow_json(MappedFile(config).text(), config.string());
  if (!json.is_object() || json.contains("heed") || !json.contains("model_type")) return false;
  return is_text(json["model_type"], "marian") && !are_weights_of_heed(folder);
}

ModelFolder read_marian_mt_folder(const fs::path& folder) {
  return with_error_kind(ErrorKind::model, [&] { return Import(folder).run(); });
}

}  // namespace heed
