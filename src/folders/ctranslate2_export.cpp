#include "heed/folders/ctranslate2_export.h"

#include <algorithm>
#include <map>
#include <optional>

#include "heed/attention/positions.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "heed/data/word_vocabulary.h"
#include "heed/folders/ctranslate2_tokens.h"
#include "heed/folders/ctranslate2_vmap.h"
#include "heed/folders/word_rows.h"
#include "heed/models/transformer.h"
#include "heed/weights/ctranslate2_writer.h"

namespace heed {

namespace {

namespace fs = std::filesystem;
using Json = OrderedJsonValue;

constexpr uint32_t revision = 7;  // of CTranslate2's specification of Transformers
constexpr int64_t fewest_positions = 1024;

constexpr const char* source_table = "encoder/embeddings_0/weight";
constexpr const char* target_table = "decoder/embeddings/weight";
constexpr const char* output_table = "decoder/projection/weight";
constexpr const char* source_positions = "encoder/position_encodings/encodings";
constexpr const char* target_positions = "decoder/position_encodings/encodings";

int8_t number_of(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return 0;
    case Activation::swish:
      return 2;
    case Activation::gelu:
      return 3;
    case Activation::tanh:
      return 5;
    case Activation::sigmoid:
      return 6;
    case Activation::identity:
      break;
  }
  fail("CTranslate2 has no feed-forward networks without an activation");
}

Tensor joined_rows(const std::vector<Tensor>& parts) {
  int64_t rows = 0;
  for (const Tensor& part : parts) rows += part.shape()[0];
  const bool is_matrix = parts[0].shape().rank() == 2;
  Tensor all = Tensor::uninitialised(is_matrix ? Shape{rows, parts[0].shape()[1]} : Shape{rows});
  float* next = all.data<float>();
  for (const Tensor& part : parts) next = std::ranges::copy(part.span<float>(), next).out;
  return all;
}

// In the order in which rows are stacked: keys and values below queries.
struct Part {
  const char* ours;
  const char* theirs;
};

constexpr Part parts[] = {{"self_attn.q_proj", "self_attention/linear_0"},
                          {"self_attn.k_proj", "self_attention/linear_0"},
                          {"self_attn.v_proj", "self_attention/linear_0"},
                          {"self_attn.out_proj", "self_attention/linear_1"},
                          {"self_attn_layer_norm", "self_attention/layer_norm"},
                          {"encoder_attn.q_proj", "attention/linear_0"},
                          {"encoder_attn.k_proj", "attention/linear_1"},
                          {"encoder_attn.v_proj", "attention/linear_1"},
                          {"encoder_attn.out_proj", "attention/linear_2"},
                          {"encoder_attn_layer_norm", "attention/layer_norm"},
                          {"fc1", "ffn/linear_0"},
                          {"fc3", "ffn/linear_0_noact"},
                          {"fc2", "ffn/linear_1"},
                          {"final_layer_norm", "ffn/layer_norm"}};

class Export {
 public:
  explicit Export(const ModelFolder& model)
      : model_(model), config_(std::get<TransformerConfig>(model.config)) {
    for (const Parameter& parameter : parameters_of(*model.model))
      parameters_.emplace(parameter.name, parameter.value);
    words_ = is_word_vocabulary(model.source) && is_word_vocabulary(model.target);
    // CTranslate2 can start with zeros instead of a token, which then is none of the vocabulary.
    starts_at_zero_ = config_.decoder_start == DecoderStart::zeros ||
                      (has_zero_start(target()) && has_zero_start(source()));
  }

  void save(const fs::path& folder) {
    add_tables();
    add_positions();
    add_layers();
    for (const std::string side : {"encoder/", "decoder/"}) add_numbers(side);
    save_vocabularies(folder);
    if (model_.shortlist)
      write_file_atomically(folder / "vmap.txt",
                            ctranslate2::vmap_text(*model_.shortlist, tokens_of(model_.source),
                                                   tokens_of(model_.target)));
    write_file_atomically(folder / "config.json", config_json());
    // Last, since without it a folder is not a model.
    writer_.save(folder / "model.bin", "TransformerSpec", revision);
  }

 private:
  const Tensor& parameter(const std::string& name) const { return parameters_.at(name); }

  const Tensor& target() const { return parameter(decoder_table(config_.tied)); }
  const Tensor& source() const {
    return config_.tied == TiedEmbeddings::all ? target()
                                               : parameter("model.encoder.embed_tokens.weight");
  }

  Tensor without_start(const Tensor& table) const {
    return starts_at_zero_ ? table.slice(0, table.shape()[0] - 1) : table;
  }

  void add(const std::string& name, const Tensor& tensor) {
    const bool is_weight = tensor.shape().rank() == 2 && name.ends_with("/weight");
    if (is_weight && model_.storage == WeightStorage::int8) return writer_.add_int8(name, tensor);
    writer_.add(name, tensor,
                model_.storage == WeightStorage::float16 ? StoredType::f16 : StoredType::f32);
  }

  void add_tables() {
    add(target_table, without_start(target()));
    if (config_.tied == TiedEmbeddings::all)
      writer_.add_alias(source_table, target_table);
    else
      add(source_table, without_start(source()));
    if (config_.tied == TiedEmbeddings::none)
      add(output_table, without_start(parameter("lm_head.weight")));
    else
      writer_.add_alias(output_table, target_table);
    Tensor bias = parameter("final_logits_bias").clone();
    start_bias_ = bias.span<float>().back();
    bias.span<float>().back() = never;
    if (model_.storage == WeightStorage::float16)
      for (float& value : bias.span<float>()) value = std::max(value, never);
    add("decoder/projection/bias", without_start(bias));
  }

  void add_positions() {
    if (config_.positions == PositionKind::learned) {
      add(source_positions, parameter("model.encoder.embed_positions.weight"));
      add(target_positions, parameter("model.decoder.embed_positions.weight"));
      return;
    }
    add(target_positions,
        sinusoidal_positions(std::max(config_.context_length, fewest_positions), config_.width,
                             SinusoidOrder::sines_first, Type::float32, 0, config_.sinusoids));
    writer_.add_alias(source_positions, target_positions);
  }

  void add_layers() {
    // Arrays that are stacked, by their names.
    std::map<std::string, std::vector<Tensor>> arrays;
    for (const std::string side : {"encoder", "decoder"}) {
      const int64_t layers = side == "encoder" ? config_.encoder_layers : config_.decoder_layers;
      for (int64_t i = 0; i < layers; ++i)
        for (const Part& part : parts)
          for (const bool is_weight : {true, false}) {
            const auto found = parameters_.find(fmt::format(
                "model.{}.layers.{}.{}.{}", side, i, part.ours, is_weight ? "weight" : "bias"));
            if (found == parameters_.end()) continue;
            const bool is_norm = std::string_view(part.ours).ends_with("layer_norm");
            const char* kind =
                is_norm ? (is_weight ? "gamma" : "beta") : (is_weight ? "weight" : "bias");
            arrays[fmt::format("{}/layer_{}/{}/{}", side, i, part.theirs, kind)].push_back(
                found->second);
          }
      if (config_.norm == NormPlacement::pre) {
        arrays[side + "/layer_norm/gamma"] = {parameter("model." + side + ".layer_norm.weight")};
        arrays[side + "/layer_norm/beta"] = {parameter("model." + side + ".layer_norm.bias")};
      }
    }
    for (const auto& [name, stacked] : arrays) add(name, joined_rows(stacked));
  }

  void add_numbers(const std::string& side) {
    writer_.add_number16(side + "num_heads", static_cast<int16_t>(config_.heads));
    writer_.add_flag(side + "pre_norm", config_.norm == NormPlacement::pre);
    writer_.add_number8(side + "activation", number_of(config_.activation));
    writer_.add_flag(side + "scale_embeddings", true);
    if (side == "encoder/") {
      writer_.add_flag(side + "multi_query_attention", false);
      writer_.add_number8(side + "embeddings_merge", 0);
      return;
    }
    for (const char* name : {"alibi", "alibi_use_positive_positions", "scale_alibi"})
      writer_.add_flag(side + name, false);
    writer_.add_number16(side + "alignment_layer", -1);
    writer_.add_number16(side + "alignment_heads", 1);
    writer_.add_flag(side + "start_from_zero_embedding", starts_at_zero_);
  }

  std::vector<std::string> tokens_of(const Vocabulary& vocabulary) const {
    std::vector<std::string> tokens;
    for (int32_t id = 0; id < vocabulary.size(); ++id) {
      const std::string piece = vocabulary.piece(id);
      const bool special = id <= Vocabulary::unknown || id == vocabulary.start();
      tokens.push_back(words_ && !special ? word_of_piece(piece) : piece);
    }
    return tokens;
  }

  std::string list_of(const Vocabulary& vocabulary) const {
    std::vector<std::string> tokens = tokens_of(vocabulary);
    if (starts_at_zero_) tokens.pop_back();
    return Json(tokens).dump(2) + "\n";
  }

  void save_vocabularies(const fs::path& folder) const {
    const auto write = [&](const char* name, std::string_view text) {
      write_file_atomically(folder / name, text);
    };
    if (model_.source.same_ids(model_.target)) {
      write("shared_vocabulary.json", list_of(model_.target));
    } else {
      write("source_vocabulary.json", list_of(model_.source));
      write("target_vocabulary.json", list_of(model_.target));
    }
    if (words_) return;
    write("source.spm", model_.source.plain_bytes());
    write("target.spm", model_.target.plain_bytes());
  }

  std::string config_json() const {
    Json json = json_object<Json>({{"add_source_bos", false},
                                   {"add_source_eos", config_.source_end},
                                   {"bos_token", "<s>"},
                                   {"decoder_start_token", starts_at_zero_ ? "</s>" : "<pad>"},
                                   {"eos_token", "</s>"},
                                   {"layer_norm_epsilon", nullptr},
                                   {"multi_query_attention", false},
                                   {"unk_token", "<unk>"}});
    // Without it, CTranslate2 has its own.
    if (config_.norm_epsilon != ctranslate2::default_norm_epsilon)
      json["layer_norm_epsilon"] = config_.norm_epsilon;
    // What CTranslate2 has no place for, so that heed reads the same weights again.
    json["heed"] = json_object<Json>({{"start-bias", start_bias_}});
    if (!model_.notes.origin.empty()) json["heed"]["origin"] = model_.notes.origin;
    return json.dump(2) + "\n";
  }

  const ModelFolder& model_;
  const TransformerConfig& config_;
  std::map<std::string, Tensor> parameters_;
  bool words_ = false, starts_at_zero_ = false;
  float start_bias_ = 0;
  CTranslate2Writer writer_;
};

}  // namespace

void check_fits_ctranslate2(const ModelFolder& model) {
  const auto* config = std::get_if<TransformerConfig>(&model.config);
  require(config != nullptr, ErrorKind::usage,
          "only a Transformer that translates can be written for CTranslate2, and this is one of "
          "the kind {}",
          name_of(model.config));
  const auto refuse_if = [](bool differs, std::string_view what) {
    require(!differs, ErrorKind::usage, "CTranslate2's Transformers have no {}", what);
  };
  refuse_if(
      config->positions != PositionKind::sinusoidal && config->positions != PositionKind::learned,
      "positions of this kind: only sinusoidal and learned ones can be written");
  refuse_if(config->placement != PositionPlacement::input, "positions at every layer");
  refuse_if(config->decoder == Autoregression::ssru,
            "decoders that remember by a recurrent unit (SSRU)");
  refuse_if(config->decoder_ffn != 0 && config->decoder_ffn != config->ffn,
            "feed-forward networks of different sizes in encoder and decoder");
  refuse_if(config->kv_heads != 0 && config->kv_heads != config->heads,
            "heads of keys and values that several heads share");
  refuse_if(config->activation == Activation::identity,
            "feed-forward networks without an activation");
  refuse_if(config->tied == TiedEmbeddings::all && !model.source.same_ids(model.target),
            "table that two vocabularies share");
  refuse_if(model.source.is_for_moses() || model.target.is_for_moses(),
            "place for how text is split by Moses's tokeniser and byte-pair encoding");
}

void save_ctranslate2_folder(const fs::path& folder, const ModelFolder& model) {
  check_fits_ctranslate2(model);
  Export(model).save(folder);
}

}  // namespace heed
