#include "heed/folders/huggingface_export.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "heed/attention/positions.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "heed/models/transformer.h"
#include "heed/weights/tensor_file.h"

namespace heed {

namespace {

namespace fs = std::filesystem;
using Json = OrderedJsonValue;

constexpr int64_t fewest_positions = 512;
constexpr int64_t longest_translation = 512, beam = 4;

const char* name_in_folder(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return "relu";
    case Activation::gelu:
      return "gelu";
    case Activation::swish:
      return "swish";
    case Activation::tanh:
      return "tanh";
    case Activation::sigmoid:
      return "sigmoid";
    case Activation::identity:
      return "linear";
  }
  __builtin_unreachable();
}

class Export {
 public:
  explicit Export(const ModelFolder& model)
      : model_(model),
        config_(std::get<TransformerConfig>(model.config)),
        one_vocabulary_(model.source.same_ids(model.target)),
        padding_(std::min(model.source.size(), model.target.size()) - 1) {}

  void save(const fs::path& folder) const {
    const auto write = [&](const char* name, std::string_view text) {
      write_file_atomically(folder / name, text);
    };
    write("source.spm", model_.source.plain_bytes());
    write("target.spm", model_.target.plain_bytes());
    write("vocab.json", vocabulary_json(model_.source));
    if (!one_vocabulary_) write("target_vocab.json", vocabulary_json(model_.target));
    write("tokenizer_config.json", text_of(tokenizer_settings()));
    write("generation_config.json", text_of(generation_settings()));
    write("config.json", text_of(settings()));
    // Last, since without them a folder is not a model.
    save_weights(folder / "model.safetensors");
  }

 private:
  static std::string text_of(const Json& json) { return json.dump(2) + "\n"; }

  bool half() const { return model_.storage == WeightStorage::float16; }

  // heed's id of each of the folder's. Padding has one id on both sides, where the shorter list
  // ends.
  std::vector<int32_t> ids(const Vocabulary& vocabulary) const {
    std::vector<int32_t> ours;
    for (int32_t id = 0; id < vocabulary.start(); ++id) ours.push_back(id);
    ours.insert(ours.begin() + padding_, vocabulary.start());
    return ours;
  }

  std::string vocabulary_json(const Vocabulary& vocabulary) const {
    Json tokens = Json::object();
    int64_t next = 0;
    for (const int32_t id : ids(vocabulary)) tokens[vocabulary.piece(id)] = next++;
    return text_of(tokens);
  }

  // The rows of a table, or the numbers of a list, in the folder's order.
  Tensor in_order(const Tensor& table, const Vocabulary& vocabulary) const {
    if (padding_ == vocabulary.start()) return table;
    Tensor result = Tensor::uninitialised(table.shape());
    const int64_t width = table.shape().rank() == 1 ? 1 : table.shape()[1];
    float* next = result.data<float>();
    for (const int32_t id : ids(vocabulary))
      next = std::copy_n(table.data<float>() + id * width, width, next);
    return result;
  }

  void save_weights(const fs::path& path) const {
    TensorFileWriter writer;
    writer.set_metadata("format", "pt");
    for (const Parameter& parameter : parameters_of(*model_.model)) {
      const Tensor stored = stored_form(parameter);
      if (half())
        writer.add_half(parameter.name, stored);
      else
        writer.add(parameter.name, stored);
    }
    if (config_.sinusoids == SinusoidSpacing::tensor2tensor) add_positions(writer);
    writer.save(path);
  }

  int64_t positions() const { return std::max(config_.context_length, fewest_positions); }

  // The library would compute the paper's itself, but takes others from the file.
  void add_positions(TensorFileWriter& writer) const {
    const Tensor table =
        sinusoidal_positions(positions(), config_.width, SinusoidOrder::sines_first, Type::float32,
                             0, SinusoidSpacing::tensor2tensor);
    for (const char* name :
         {"model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight"}) {
      if (half())
        writer.add_half(name, table);
      else
        writer.add(name, table);
    }
  }

  // Names are the folder's already. Where the start is read as zeros, its row becomes so.
  Tensor stored_form(Parameter parameter) const {
    if (config_.decoder_start == DecoderStart::zeros &&
        parameter.name == decoder_table(config_.tied)) {
      parameter.value = parameter.value.clone();
      std::ranges::fill(parameter.value.row<float>(parameter.value.shape()[0] - 1), 0.0f);
    }
    if (parameter.name == "model.encoder.embed_tokens.weight")
      return in_order(parameter.value, model_.source);
    if (parameter.name == "model.decoder.embed_tokens.weight" ||
        parameter.name == "model.shared.weight" || parameter.name == "lm_head.weight")
      return in_order(parameter.value, model_.target);
    if (parameter.name == "final_logits_bias")
      return in_order(parameter.value, model_.target).reshape({1, parameter.value.elements()});
    return parameter.value;
  }

  Json settings() const {
    Json json = json_object<Json>(
        {{"architectures", std::array{"MarianMTModel"}},
         {"model_type", "marian"},
         {"activation_dropout", config_.activation_dropout},
         {"activation_function", name_in_folder(config_.activation)},
         {"add_bias_logits", false},
         {"add_final_layer_norm", false},
         {"attention_dropout", config_.attention_dropout},
         {"classifier_dropout", 0.0},
         {"d_model", config_.width},
         {"decoder_attention_heads", config_.heads},
         {"decoder_ffn_dim", config_.ffn},
         {"decoder_layerdrop", 0.0},
         {"decoder_layers", config_.decoder_layers},
         {"decoder_vocab_size", config_.target_vocabulary},
         {"dropout", config_.dropout},
         {"encoder_attention_heads", config_.heads},
         {"encoder_ffn_dim", config_.ffn},
         {"encoder_layerdrop", 0.0},
         {"encoder_layers", config_.encoder_layers},
         {"init_std", 0.02},
         {"is_encoder_decoder", true},
         {"max_position_embeddings", positions()},
         {"normalize_before", false},
         {"normalize_embedding", false},
         {"num_hidden_layers", config_.encoder_layers},
         {"scale_embedding", true},
         {"share_encoder_decoder_embeddings", config_.tied == TiedEmbeddings::all},
         {"static_position_embeddings", true},
         {"tie_word_embeddings", config_.tied != TiedEmbeddings::none},
         {"torch_dtype", half() ? "float16" : "float32"},
         {"use_cache", true},
         {"vocab_size", config_.source_vocabulary}});
    json.update(search_settings());
    return json;
  }

  // Where the library looks for them depends on its version.
  Json search_settings() const {
    return json_object<Json>({{"bad_words_ids", std::vector<std::vector<int32_t>>{{padding_}}},
                              {"bos_token_id", Vocabulary::end},
                              {"decoder_start_token_id", padding_},
                              {"eos_token_id", Vocabulary::end},
                              {"forced_eos_token_id", Vocabulary::end},
                              {"max_length", longest_translation},
                              {"num_beams", beam},
                              {"pad_token_id", padding_}});
  }

  // The probabilities of the others add up to 1 without the padding, as heed's do.
  Json generation_settings() const {
    Json json = search_settings();
    json["renormalize_logits"] = true;
    return json;
  }

  Json tokenizer_settings() const {
    Json json = json_object<Json>({{"clean_up_tokenization_spaces", false},
                                   {"eos_token", "</s>"},
                                   {"model_max_length", longest_translation},
                                   {"pad_token", "<pad>"},
                                   {"separate_vocabs", !one_vocabulary_},
                                   {"sp_model_kwargs", Json::object()},
                                   {"tokenizer_class", "MarianTokenizer"},
                                   {"unk_token", "<unk>"}});
    if (!model_.languages.source.empty()) json["source_lang"] = model_.languages.source;
    if (!model_.languages.target.empty()) json["target_lang"] = model_.languages.target;
    return json;
  }

  const ModelFolder& model_;
  const TransformerConfig& config_;
  bool one_vocabulary_;
  int32_t padding_;  // its id in the folder
};

}  // namespace

void check_fits_marian_mt(const ModelFolder& model) {
  const auto* config = std::get_if<TransformerConfig>(&model.config);
  require(
      config != nullptr, ErrorKind::usage,
      "only a Transformer that translates can be a MarianMT folder, and this is one of the kind "
      "{}",
      name_of(model.config));
  const auto refuse_if = [](bool differs, std::string_view what) {
    require(!differs, ErrorKind::usage, "Hugging Face's MarianMT has no {}", what);
  };
  refuse_if(config->norm != NormPlacement::post, "pre-norm");
  refuse_if(config->positions != PositionKind::sinusoidal, "positions other than sinusoidal ones");
  refuse_if(config->placement != PositionPlacement::input, "positions at every layer");
  refuse_if(config->decoder == Autoregression::ssru,
            "decoders that remember by a recurrent unit (SSRU)");
  refuse_if(config->decoder_ffn != 0 && config->decoder_ffn != config->ffn,
            "feed-forward networks of different sizes in encoder and decoder");
  refuse_if(config->gated, "gated feed-forward networks");
  refuse_if(!config->source_end, "encoders that do not read the end of a sentence");
  refuse_if(config->kv_heads != 0 && config->kv_heads != config->heads,
            "heads of keys and values that several heads share");
  refuse_if(config->tied == TiedEmbeddings::all && !model.source.same_ids(model.target),
            "table that two vocabularies share");
  refuse_if(model.source.is_for_moses() || model.target.is_for_moses(),
            "place for how text is split by Moses's tokeniser and byte-pair encoding");
  refuse_if(model.storage == WeightStorage::int8, "weights of 8 bits; --float16 is the smallest");
}

void save_marian_mt_folder(const fs::path& folder, const ModelFolder& model) {
  check_fits_marian_mt(model);
  Export(model).save(folder);
}

}  // namespace heed
