#include "heed/folders/huggingface_llama.h"

#include <algorithm>
#include <map>
#include <set>

#include "heed/base/error_place.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "heed/base/shallow_json.h"
#include "heed/folders/huggingface_settings.h"
#include "heed/folders/huggingface_weights.h"
#include "heed/models/language_model.h"

namespace heed {

namespace {

namespace fs = std::filesystem;
using Json = JsonValue;

// By itself or, in newer folders, among others that may scale the angles.
double rotary_base(const HuggingFaceSettings& settings) {
  const double plain = settings.real("rope_theta", 10000.0);
  const Json* parameters = settings.find("rope_parameters");
  if (parameters == nullptr) return plain;
  const bool unscaled = parameters->is_object() && parameters->contains("rope_type") &&
                        is_text((*parameters)["rope_type"], "default");
  if (!unscaled) settings.refuse("rope_parameters", "the rope_type \"default\"");
  const auto base = parameters->find("rope_theta");
  if (base == parameters->end()) return plain;
  if (!base->is_number()) settings.refuse("rope_parameters", "a number as rope_theta");
  return base->get<double>();
}

// Missing settings have the values that Hugging Face gives them.
LanguageModelConfig read_config(const HuggingFaceSettings& settings) {
  settings.expect_text("model_type", "llama");
  settings.expect_text("hidden_act", "silu");
  for (const char* name : {"attention_bias", "mlp_bias"}) settings.expect_truth(name, false);
  for (const char* name : {"rope_scaling", "quantization_config", "sliding_window"})
    settings.expect_missing(name);
  LanguageModelConfig config;
  config.vocabulary = settings.number("vocab_size");
  config.layers = settings.number("num_hidden_layers");
  config.width = settings.number("hidden_size");
  config.ffn = settings.number("intermediate_size");
  config.heads = settings.number("num_attention_heads");
  config.kv_heads = settings.number("num_key_value_heads", config.heads);
  config.norm_epsilon = settings.real("rms_norm_eps", 1e-6);
  config.rotary_base = rotary_base(settings);
  config.context_length = settings.number("max_position_embeddings", 2048);
  config.tied = settings.truth("tie_word_embeddings", false);
  config.dropout = config.embedding_dropout = 0;
  with_place(settings.file(), [&] { check(config); });
  settings.expect_number("head_dim", config.width / config.heads, "the width by the heads");
  return config;
}

class LlamaImport {
 public:
  explicit LlamaImport(const fs::path& folder)
      : settings_(folder / "config.json"),
        config_(read_config(settings_)),
        tokenizer_((folder / "tokenizer.model").string()),
        vocabulary_(Vocabulary::load(folder / "tokenizer.model")),
        weights_(folder) {
    check_vocabulary();
    weights_.check_size(fewest_weights(config_));
  }

  ModelFolder run() {
    auto model = std::make_unique<LanguageModel>(config_, Initialiser::unset());
    model->visit_parameters(
        {}, [&](const std::string& name, Tensor& value) { value = read(name, value.shape()); });
    check_all_were_read();
    return {config_, std::move(model), vocabulary_, vocabulary_, storage_};
  }

 private:
  // Each row of the tables belongs to one token.
  void check_vocabulary() {
    require(vocabulary_.size() == config_.vocabulary,
            "{}: {} tokens with the start and the end of a text, but config.json has {}",
            tokenizer_, vocabulary_.size(), config_.vocabulary);
    for (int32_t id = 0; id < vocabulary_.size(); ++id) rows_.push_back(vocabulary_.model_id(id));
    std::vector<int64_t> sorted = rows_;
    std::ranges::sort(sorted);
    for (size_t i = 0; i < sorted.size(); ++i)
      require(sorted[i] == static_cast<int64_t>(i),
              "{}: the ids of its tokens are not 0 to {}, as the rows of the model are", tokenizer_,
              sorted.size() - 1);
    const auto id_of = [&](int32_t token) { return vocabulary_.model_id(token); };
    settings_.expect_number("bos_token_id", id_of(vocabulary_.start()), "as in tokenizer.model");
    settings_.expect_number("eos_token_id", id_of(Vocabulary::end), "as in tokenizer.model");
  }

  Tensor read(const std::string& name, const Shape& shape) {
    const std::string theirs = their_name(name);
    read_.insert(theirs);
    if (weights_.type(theirs) == StoredType::f16) storage_ = WeightStorage::float16;
    const Tensor stored = weights_.read(theirs, shape);
    if (name.ends_with("embed_tokens.weight") || name == "lm_head.weight")
      return with_rows(stored, rows_);
    if (name.ends_with("q_proj.weight") || name.ends_with("k_proj.weight"))
      return with_rows(stored, turned_rows(shape[0]));
    return stored;
  }

  // "model.layers.3.fc1.weight" and the like.
  static std::string their_name(const std::string& name) {
    static const std::map<std::string, std::string, std::less<>> parts = {
        {"self_attn.q_proj", "self_attn.q_proj"},
        {"self_attn.k_proj", "self_attn.k_proj"},
        {"self_attn.v_proj", "self_attn.v_proj"},
        {"self_attn.out_proj", "self_attn.o_proj"},
        {"self_attn_layer_norm", "input_layernorm"},
        {"fc1", "mlp.gate_proj"},
        {"fc2", "mlp.down_proj"},
        {"fc3", "mlp.up_proj"},
        {"final_layer_norm", "post_attention_layernorm"}};
    constexpr std::string_view layers = "model.layers.", weight = ".weight";
    if (!name.starts_with(layers)) return name;
    const size_t begin = name.find('.', layers.size()) + 1;
    const std::string part = name.substr(begin, name.size() - weight.size() - begin);
    return name.substr(0, begin) + parts.at(part) + std::string(weight);
  }

  // heed turns neighbours in a head, (2i, 2i + 1); Hugging Face turns (i, i + half of the head).
  std::vector<int64_t> turned_rows(int64_t rows) const {
    const int64_t width = config_.width / config_.heads;
    std::vector<int64_t> from;
    for (int64_t head = 0; head < rows; head += width)
      for (int64_t i = 0; i < width; ++i) from.push_back(head + i / 2 + i % 2 * (width / 2));
    return from;
  }

  static Tensor with_rows(const Tensor& table, std::span<const int64_t> rows) {
    Tensor result = Tensor::uninitialised(table.shape());
    for (size_t i = 0; i < rows.size(); ++i)
      std::ranges::copy(table.row<float>(rows[i]),
                        result.row<float>(static_cast<int64_t>(i)).begin());
    return result;
  }

  // A model may store its tied output layer and its angles, which follow from others.
  void check_all_were_read() const {
    for (const std::string& name : weights_.names()) {
      const bool follows =
          (config_.tied && name == "lm_head.weight") || name.ends_with(".rotary_emb.inv_freq");
      require(follows || read_.contains(name), "{}: array \"{}\" is not one of a Llama model",
              weights_.file_of(name), name);
    }
  }

  HuggingFaceSettings settings_;
  LanguageModelConfig config_;
  std::string tokenizer_;
  Vocabulary vocabulary_;
  HuggingFaceWeights weights_;
  std::vector<int64_t> rows_;  // of the tables, for each of our ids
  std::set<std::string, std::less<>> read_;
  WeightStorage storage_ = WeightStorage::float32;
};

}  // namespace

bool is_huggingface_folder(const fs::path& folder) {
  std::error_code ignored;
  const fs::path config = folder / "config.json";
  if (!fs::exists(config, ignored)) return false;
  const Json json = parse_shallow_json(MappedFile(config).text(), config.string());
  if (!json.is_object() || json.contains("heed") || !json.contains("model_type")) return false;
  return !is_text(json["model_type"], "marian");
}

ModelFolder read_llama_folder(const fs::path& folder) {
  return with_error_kind(ErrorKind::model, [&] { return LlamaImport(folder).run(); });
}

}  // namespace heed
