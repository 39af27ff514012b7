#include "heed/folders/marian_export.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "heed/data/sentencepiece_model.h"
#include "heed/data/word_vocabulary.h"
#include "heed/folders/marian_names.h"
#include "heed/folders/word_rows.h"
#include "heed/models/transformer.h"
#include "heed/weights/npz_writer.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

constexpr int64_t default_beam = 5;
constexpr double default_length_factor = 3;
// Norms that add as little as Marian's, or hardly more, find the same numbers.
constexpr double largest_epsilon = 1e-5;
constexpr const char* oldest_version = "v1.12.0";

// Marian's name of an activation; empty if it has none.
std::string_view name_in_settings(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return "relu";
    case Activation::swish:
      return "swish";
    case Activation::gelu:
      return "gelu";
    case Activation::tanh:
    case Activation::sigmoid:
    case Activation::identity:
      return "";
  }
  __builtin_unreachable();
}

// A vocabulary as Marian has it, and for each of its numbers heed's id; -1 where heed has none.
struct NumberedWords {
  std::string file;  // its name
  std::vector<int32_t> ids;
  std::string yaml;  // empty: SentencePiece's model itself
};

NumberedWords numbered_pieces(const Vocabulary& vocabulary, const std::string& name) {
  const size_t pieces = parse_sentencepiece_model(vocabulary.bytes(), name).pieces.size();
  NumberedWords words{name + ".spm", std::vector<int32_t>(pieces, -1), ""};
  for (int32_t id = 0; id < vocabulary.start(); ++id)
    words.ids[static_cast<size_t>(vocabulary.model_id(id))] = id;
  return words;
}

// JSON's texts are YAML's, too.
NumberedWords numbered_words(const Vocabulary& vocabulary, const std::string& name) {
  const bool plain = is_word_vocabulary(vocabulary);
  NumberedWords words{name + ".yml", {}, ""};
  for (int32_t id = 0; id < vocabulary.start(); ++id) {
    const std::string piece = vocabulary.piece(id);
    const bool special = id <= Vocabulary::unknown;
    const std::string word = plain && !special ? word_of_piece(piece) : piece;
    words.yaml += fmt::format("{}: {}\n", JsonValue(word).dump(), id);
    words.ids.push_back(id);
  }
  return words;
}

Tensor transposed(const Tensor& matrix) {
  const int64_t rows = matrix.shape()[0], columns = matrix.shape()[1];
  Tensor result = Tensor::uninitialised({columns, rows});
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      result.matrix<float>()(c, r) = matrix.matrix<float>()(r, c);
  return result;
}

class Export {
 public:
  explicit Export(const ModelFolder& model)
      : model_(model),
        config_(std::get<TransformerConfig>(model.config)),
        one_vocabulary_(model.source.bytes() == model.target.bytes()),
        has_tokens_(model.source.has_tokens() || model.target.has_tokens()),
        source_(numbered(model.source, one_vocabulary_ ? "vocab" : "vocab.src")),
        target_(numbered(model.target, one_vocabulary_ ? "vocab" : "vocab.trg")) {}

  void save(const fs::path& folder) {
    save_vocabulary(folder, model_.source, source_, "source.spm");
    save_vocabulary(folder, model_.target, target_, "target.spm");
    write_file_atomically(folder / "decoder.yml", decoder_settings());
    for (const Parameter& parameter : parameters_of(*model_.model)) add(parameter);
    writer_.add_text(marian::settings_name, settings());
    if (needs_notes()) writer_.add_text(marian::notes_name, notes());
    // Last, since without it a folder is not a model.
    writer_.save(folder / "model.npz");
  }

 private:
  // Two vocabularies are of one kind, since they may share a table.
  NumberedWords numbered(const Vocabulary& vocabulary, const std::string& name) const {
    return has_tokens_ || is_word_vocabulary(vocabulary) ? numbered_words(vocabulary, name)
                                                         : numbered_pieces(vocabulary, name);
  }

  // Of words that are pieces of another model, Marian's users split text with that first.
  void save_vocabulary(const fs::path& folder, const Vocabulary& vocabulary,
                       const NumberedWords& words, const char* pieces_name) const {
    if (words.yaml.empty())
      return write_file_atomically(folder / words.file, vocabulary.plain_bytes());
    write_file_atomically(folder / words.file, words.yaml);
    if (has_tokens_) write_file_atomically(folder / pieces_name, vocabulary.plain_bytes());
  }

  // The rows of a table, or the numbers of a list, in Marian's order.
  static Tensor in_order(const Tensor& table, const NumberedWords& words, double missing) {
    const std::vector<int64_t> rows(words.ids.begin(), words.ids.end());
    return select_rows(table, rows, missing);
  }

  // Marian does not scale embeddings without positions.
  Tensor embeddings(const Tensor& table, const NumberedWords& words) const {
    Tensor result = in_order(table, words, 0);
    if (config_.positions == PositionKind::none)
      for (float& value : result.span<float>())
        value *= std::sqrt(static_cast<float>(config_.width));
    return result;
  }

  void put(const std::string& name, const Tensor& tensor) {
    writer_.add(name, tensor,
                model_.storage == WeightStorage::float16 ? StoredType::f16 : StoredType::f32);
  }

  void add(const Parameter& parameter) {
    const Tensor& value = parameter.value;
    if (parameter.name == "model.shared.weight") return put("Wemb", embeddings(value, target_));
    if (parameter.name == "model.encoder.embed_tokens.weight")
      return put("encoder_Wemb", embeddings(value, source_));
    if (parameter.name == "model.decoder.embed_tokens.weight")
      return put("decoder_Wemb", embeddings(value, target_));
    if (parameter.name == "lm_head.weight")
      return put("decoder_ff_logit_out_Wt", in_order(value, target_, 0));
    if (parameter.name == "final_logits_bias") return add_bias(value);
    put(marian::array_name(parameter.name, config_.norm),
        value.shape().rank() == 2 ? transposed(value) : value.reshape({1, value.elements()}));
  }

  void add_bias(const Tensor& bias) {
    Tensor ordered = in_order(bias, target_, never);
    if (model_.storage == WeightStorage::float16)
      for (float& value : ordered.span<float>()) value = std::max(value, never);
    start_bias_ = bias.span<float>().back();
    put("decoder_ff_logit_out_b", ordered.reshape({1, ordered.elements()}));
  }

  // What Marian's reader in heed would not find out.
  bool needs_notes() const {
    return config_.norm_epsilon != marian::norm_epsilon || start_bias_ != never ||
           has_start_rows() || model_.lengths.known() || !model_.notes.search.narrowing;
  }

  bool has_start_rows() const {
    return std::ranges::any_of(parameters_of(*model_.model), [](const Parameter& parameter) {
      return marian::place_of_start(parameter.name) != nullptr && !has_zero_start(parameter.value);
    });
  }

  std::string notes() const {
    OrderedJsonValue json =
        OrderedJsonValue::parse(to_json(model_.config, model_.lengths, model_.notes));
    OrderedJsonValue start = json_object<OrderedJsonValue>({{"bias", start_bias_}});
    for (const Parameter& parameter : parameters_of(*model_.model)) {
      const auto* name = marian::place_of_start(parameter.name);
      if (name == nullptr || has_zero_start(parameter.value)) continue;
      const std::span<const float> row = parameter.value.row<float>(parameter.value.shape()[0] - 1);
      start[name] = std::vector<float>(row.begin(), row.end());
    }
    json["start"] = start;
    return json.dump(2);
  }

  std::string version() const {
    constexpr std::string_view marian = "Marian v";
    const std::string& origin = model_.notes.origin;
    if (!origin.starts_with(marian)) return oldest_version;
    return origin.substr(marian.size() - 1, origin.find(';') - marian.size() + 1);
  }

  // Every setting of a model that Marian writes.
  std::string settings() const {
    const auto& search = model_.notes.search;
    const bool pre = config_.norm == NormPlacement::pre;
    const bool recurrent = config_.decoder == Autoregression::ssru;
    const std::string layer =
        search.alignment_layer == 0 ? "last" : fmt::format("{}", search.alignment_layer);
    std::string yaml;
    const auto line = [&](std::string_view name, const auto& value) {
      yaml += fmt::format("{}: {}\n", name, value);
    };
    const auto list = [&](std::string_view name, std::string_view values) {
      yaml += fmt::format("{}:\n  {}\n", name, values);
    };
    line("bert-train-type-embeddings", true);
    line("bert-type-vocab-size", 2);
    line("dec-cell", recurrent ? "ssru" : "gru");
    line("dec-cell-base-depth", 2);
    line("dec-cell-high-depth", 1);
    line("dec-depth", config_.decoder_layers);
    line("dim-emb", config_.width);
    line("dim-rnn", 1024);
    list("dim-vocabs", fmt::format("- {}\n  - {}", source_.ids.size(), target_.ids.size()));
    line("enc-cell", "gru");
    line("enc-cell-depth", 1);
    line("enc-depth", config_.encoder_layers);
    line("enc-type", "bidirectional");
    line("factors-combine", "sum");
    line("factors-dim-emb", 0);
    list("input-types", "[]");
    line("layer-normalization", false);
    line("lemma-dependency", "\"\"");
    line("lemma-dim-emb", 0);
    line("output-omit-bias", false);
    line("right-left", false);
    line("separator-symbol", "\"[eos]\"");
    line("skip", false);
    line("tied-embeddings", config_.tied == TiedEmbeddings::decoder);
    line("tied-embeddings-all", config_.tied == TiedEmbeddings::all);
    line("tied-embeddings-src", false);
    line("transformer-aan-activation", "swish");
    line("transformer-aan-depth", 2);
    line("transformer-aan-nogate", false);
    line("transformer-alibi-shift", false);
    line("transformer-alibi-trainable", false);
    line("transformer-attention-mask", "default");
    line("transformer-decoder-autoreg", recurrent ? "rnn" : "self-attention");
    line("transformer-decoder-dim-ffn", config_.decoder_ffn);
    line("transformer-decoder-ffn-depth", 0);
    line("transformer-dim-aan", 2048);
    line("transformer-dim-ffn", config_.ffn);
    line("transformer-disable-position-embeddings", config_.positions == PositionKind::none);
    line("transformer-ffn-activation", name_in_settings(config_.activation));
    line("transformer-ffn-depth", 2);
    line("transformer-guided-alignment-layer", layer);
    line("transformer-heads", config_.heads);
    line("transformer-no-affine", false);
    line("transformer-no-bias", false);
    line("transformer-no-projection", false);
    line("transformer-pool", false);
    line("transformer-postprocess", pre ? "da" : "dan");
    line("transformer-postprocess-emb", "d");
    line("transformer-postprocess-top", pre ? "n" : "\"\"");
    line("transformer-preprocess", pre ? "n" : "\"\"");
    line("transformer-rnn-projection", false);
    list("transformer-tied-layers", "[]");
    line("transformer-train-position-embeddings", false);
    line("type", "transformer");
    line("ulr", false);
    line("ulr-dim-emb", 0);
    line("ulr-trainable-transformation", false);
    yaml += "version: " + version();  // Marian has no line break at the end
    return yaml;
  }

  std::string decoder_settings() const {
    const auto& search = model_.notes.search;
    std::string yaml = fmt::format(
        "relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - {}\n  - {}\nbeam-size: {}\n"
        "normalize: {}\nword-penalty: {}\n",
        source_.file, target_.file, search.beam == 0 ? default_beam : search.beam,
        search.length_penalty, search.word_penalty);
    if (search.max_ratio != 0 && search.max_ratio != default_length_factor)
      yaml += fmt::format("max-length-factor: {}\n", search.max_ratio);
    if (!search.never_unknown) yaml += "allow-unk: true\n";
    return yaml + "mini-batch: 64\nmaxi-batch: 100\nmaxi-batch-sort: src\n";
  }

  const ModelFolder& model_;
  const TransformerConfig& config_;
  bool one_vocabulary_, has_tokens_;
  NumberedWords source_, target_;
  float start_bias_ = 0;
  NpzWriter writer_;
};

}  // namespace

void check_fits_marian(const ModelFolder& model) {
  const auto* config = std::get_if<TransformerConfig>(&model.config);
  require(config != nullptr, ErrorKind::usage,
          "only a Transformer that translates can be written for Marian, and this is one of the "
          "kind {}",
          name_of(model.config));
  const auto refuse_if = [](bool differs, std::string_view what) {
    require(!differs, ErrorKind::usage, "Marian's Transformers have no {}", what);
  };
  refuse_if(config->positions == PositionKind::learned,
            "learned positions that its decoder counts: it takes the first one at every step");
  refuse_if(
      config->positions != PositionKind::sinusoidal && config->positions != PositionKind::none,
      "positions of this kind: only sinusoidal ones and none can be written");
  refuse_if(config->placement != PositionPlacement::input, "positions at every layer");
  refuse_if(config->positions == PositionKind::sinusoidal &&
                config->sinusoids != SinusoidSpacing::tensor2tensor,
            "sinusoidal positions with the wave lengths of the paper; models that are trained with "
            "--sinusoids tensor2tensor have Marian's");
  refuse_if(config->gated, "gated feed-forward networks");
  refuse_if(name_in_settings(config->activation).empty(),
            "feed-forward networks with this activation: only relu, swish and gelu can be written");
  refuse_if(!config->source_end, "encoders that do not read the end of a sentence");
  refuse_if(config->kv_heads != 0 && config->kv_heads != config->heads,
            "heads of keys and values that several heads share");
  refuse_if(config->norm_epsilon > largest_epsilon,
            fmt::format("norms that add {}: Marian's add {}", config->norm_epsilon,
                        marian::norm_epsilon));
  refuse_if(config->tied == TiedEmbeddings::all && !model.source.same_ids(model.target),
            "table that two vocabularies share");
  refuse_if(model.source.is_for_moses() || model.target.is_for_moses(),
            "place for how text is split by Moses's tokeniser and byte-pair encoding");
  refuse_if(model.storage == WeightStorage::int8,
            "weights of 8 bits in what heed writes; --float16 is the smallest");
  for (const Parameter& parameter : parameters_of(*model.model))
    refuse_if(parameter.name == decoder_table(config->tied) &&
                  config->decoder_start == DecoderStart::learned &&
                  !has_zero_start(parameter.value),
              "decoders that start with a vector of their own; models that are trained with "
              "--decoder-start zeros start as Marian's do");
}

void save_marian_folder(const fs::path& folder, const ModelFolder& model) {
  check_fits_marian(model);
  Export(model).save(folder);
}

}  // namespace heed
