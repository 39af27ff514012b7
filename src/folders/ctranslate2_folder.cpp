#include "heed/folders/ctranslate2_folder.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "heed/attention/positions.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/folders/ctranslate2_tokens.h"
#include "heed/folders/ctranslate2_vmap.h"
#include "heed/folders/stored_positions.h"
#include "heed/folders/word_rows.h"
#include "heed/models/transformer.h"
#include "heed/weights/ctranslate2_file.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

// The number of positions for models whose positions CTranslate2 computes instead of storing.
constexpr int64_t computed_positions = 1024;

// Positions as CTranslate2 computes them if a model stores none: sines first, counted from one.
Tensor counted_positions(int64_t count, int64_t width) {
  Tensor table = Tensor::uninitialised({count, width});
  const int64_t half = width / 2;
  for (int64_t t = 0; t < count; ++t)
    for (int64_t i = 0; i < half; ++i) {
      const double rate =
          std::exp(-std::log(10000.0) / static_cast<double>(half - 1) * static_cast<double>(i));
      table.matrix<float>()(t, i) = static_cast<float>(std::sin(static_cast<double>(t + 1) * rate));
      table.matrix<float>()(t, half + i) =
          static_cast<float>(std::cos(static_cast<double>(t + 1) * rate));
    }
  return table;
}

// Reads arrays by CTranslate2's names and remembers which ones.
class Arrays {
 public:
  explicit Arrays(const fs::path& path) : file_(CTranslate2File::open(path)) {}

  const CTranslate2File& file() const { return file_; }
  bool contains(const std::string& name) const { return file_.contains(name); }
  int64_t number(const std::string& name, int64_t otherwise) {
    used_.insert(name);
    return file_.number(name, otherwise);
  }
  Tensor read(const std::string& name) {
    used_.insert(name);
    used_.insert(name + "_scale");
    return file_.read(name);
  }
  // A table with the given number of columns, or with any number.
  Tensor read_table(const std::string& name, std::optional<int64_t> columns = std::nullopt) {
    const Shape shape = file_.shape(name);
    require(
        shape.rank() == 2 && shape[0] > 0 && shape[1] > 0 && columns.value_or(shape[1]) == shape[1],
        "{}: array \"{}\" has shape {} but (rows, {}) was expected", file_.file(), name, shape,
        columns ? fmt::format("{}", *columns) : "columns");
    return read(name);
  }
  // A table or a list with a row for each token.
  Tensor read_for_words(const std::string& name, const std::vector<std::string>& tokens, int rank) {
    const Shape shape = file_.shape(name);
    require(shape.rank() == rank, "{}: array \"{}\" has shape {} but {} axes were expected",
            file_.file(), name, shape, rank);
    require(shape[0] == static_cast<int64_t>(tokens.size()),
            "{}: array \"{}\" has {} rows but the vocabulary has {} tokens", file_.file(), name,
            shape[0], tokens.size());
    return rank == 2 ? read_table(name) : read(name);
  }
  // The first of the names that exists.
  std::string either(const std::string& name, const std::string& other) const {
    return contains(name) ? name : other;
  }
  // An array that was not read would change what the model computes, unless it is a flag of 0.
  void check_all_read() const {
    for (const std::string& name : file_.names()) {
      if (used_.contains(name)) continue;
      const bool off = file_.shape(name).elements() == 1 && file_.number(name, 0) == 0;
      require(off, "{}: array {} is not supported by heed's Transformer", file_.file(),
              Quoted{name});
    }
  }

 private:
  CTranslate2File file_;
  std::set<std::string> used_;
};

int64_t count_layers(const Arrays& arrays, const std::string& side) {
  int64_t count = 0;
  while (arrays.contains(fmt::format("{}/layer_{}/self_attention/linear_0/weight", side, count)))
    ++count;
  require(count > 0, "{}: no layers of the {}", arrays.file().file(), side);
  return count;
}

Activation activation_of(int64_t number, const std::string& file) {
  constexpr std::pair<int64_t, Activation> known[] = {{0, Activation::relu},
                                                      {2, Activation::swish},
                                                      {3, Activation::gelu},
                                                      {5, Activation::tanh},
                                                      {6, Activation::sigmoid}};
  for (const auto& [id, activation] : known)
    if (id == number) return activation;
  fail("{}: activation {} is not supported", file, number);
}

// The tables of a model, shared or not.
struct Tables {
  Tensor source, target, output, output_bias;
};

class Import {
 public:
  Import(const fs::path& folder, const std::optional<MosesSides>& moses)
      : folder_(folder),
        tokens_(ctranslate2::read_tokens(folder)),
        vocabularies_(ctranslate2::read_vocabularies(folder, tokens_, moses)),
        arrays_(folder / "model.bin") {}

  ModelFolder run() {
    read_tables();
    read_config();
    auto model = std::make_unique<Transformer>(config_, Initialiser::unset());
    model->visit_parameters({}, [&](const std::string& name, Tensor& value) { fill(name, value); });
    arrays_.check_all_read();
    return {.config = config_,
            .model = std::move(model),
            .source = vocabularies_.source,
            .target = vocabularies_.target,
            .notes = {.origin = origin()},
            .shortlist = shortlist()};
  }

 private:
  std::optional<Shortlist> shortlist() const {
    const auto by_id = [](std::span<const int64_t> rows, std::span<const std::string> tokens) {
      std::vector<std::string> ordered;
      for (const int64_t row : rows)
        ordered.push_back(row < 0 ? "" : tokens[static_cast<size_t>(row)]);
      return ordered;
    };
    return ctranslate2::read_vmap(
        folder_, by_id(ctranslate2::source_rows(vocabularies_, tokens_), tokens_.source),
        by_id(ctranslate2::target_rows(vocabularies_, tokens_), tokens_.target));
  }

  std::string origin() const {
    std::string here = tokens_.origin.empty() ? "CTranslate2" : tokens_.origin;
    const StoredType type = arrays_.file().type("decoder/embeddings/weight");
    if (type == StoredType::f32) return here;
    return fmt::format("{}; stored as {} by CTranslate2", here, name_of(type));
  }

  // CTranslate2 appends the unknown word to a list of tokens that lacks it.
  void add_unknown(const std::string& table, std::vector<std::string>& tokens) const {
    const bool listed = std::ranges::find(tokens, tokens_.unknown) != tokens.end();
    const Shape shape = arrays_.file().shape(table);
    if (!listed && shape.rank() == 2 && shape[0] == static_cast<int64_t>(tokens.size()) + 1)
      tokens.push_back(tokens_.unknown);
  }

  void read_tables() {
    const std::string source_name =
        arrays_.either("encoder/embeddings_0/weight", "encoder/embeddings/weight");
    const std::string target_name = "decoder/embeddings/weight";
    const std::string output_name = arrays_.either("decoder/projection/weight", target_name);
    add_unknown(source_name, tokens_.source);
    add_unknown(target_name, tokens_.target);
    std::vector<int64_t> source_rows = ctranslate2::source_rows(vocabularies_, tokens_);
    std::vector<int64_t> target_rows = ctranslate2::target_rows(vocabularies_, tokens_);
    require(target_rows[Vocabulary::end] >= 0, "{}: the vocabulary has no {}",
            arrays_.file().file(), quote(tokens_.end));
    // The encoder never reads the start, so that one table of both sides can stay one.
    if (arrays_.number("decoder/start_from_zero_embedding", 0) != 0)
      source_rows.back() = target_rows.back() = -1;
    tables_.source =
        select_rows(arrays_.read_for_words(source_name, tokens_.source, 2), source_rows, 0);
    tables_.target =
        select_rows(arrays_.read_for_words(target_name, tokens_.target, 2), target_rows, 0);
    tables_.output =
        select_rows(arrays_.read_for_words(output_name, tokens_.target, 2), target_rows, 0);
    tables_.output_bias = Tensor::zeros({vocabularies_.target.size()});
    if (arrays_.contains("decoder/projection/bias"))
      tables_.output_bias = select_rows(
          arrays_.read_for_words("decoder/projection/bias", tokens_.target, 1), target_rows, 0);
    for (size_t id = 0; id < target_rows.size(); ++id)
      if (target_rows[id] < 0 || id + 1 == target_rows.size())
        tables_.output_bias.data<float>()[id] = never;
    if (tokens_.start_bias) tables_.output_bias.span<float>().back() = *tokens_.start_bias;
  }

  void read_config() {
    const std::string& file = arrays_.file().file();
    config_.source_vocabulary = vocabularies_.source.size();
    config_.target_vocabulary = vocabularies_.target.size();
    config_.width = tables_.target.shape()[1];
    config_.encoder_layers = count_layers(arrays_, "encoder");
    config_.decoder_layers = count_layers(arrays_, "decoder");
    config_.ffn = arrays_.read_table("encoder/layer_0/ffn/linear_0/weight").shape()[0];
    config_.heads = arrays_.number("encoder/num_heads", arrays_.number("num_heads", 8));
    require(arrays_.number("decoder/num_heads", config_.heads) == config_.heads,
            "{}: encoder and decoder have different numbers of heads", file);
    config_.activation = activation_of(arrays_.number("encoder/activation", 0), file);
    require(activation_of(arrays_.number("decoder/activation", 0), file) == config_.activation,
            "{}: encoder and decoder have different activations", file);
    const bool final_norm = arrays_.contains("encoder/layer_norm/gamma");
    const bool pre_norm = arrays_.number("encoder/pre_norm", final_norm ? 1 : 0) != 0;
    require(pre_norm == final_norm &&
                (arrays_.number("decoder/pre_norm", pre_norm ? 1 : 0) != 0) == pre_norm,
            "{}: pre-norm needs a final norm, and encoder and decoder must agree", file);
    config_.norm = pre_norm ? NormPlacement::pre : NormPlacement::post;
    config_.gated = arrays_.contains("encoder/layer_0/ffn/linear_0_noact/weight");
    config_.source_end = tokens_.source_end;
    config_.norm_epsilon = tokens_.norm_epsilon;
    config_.dropout = config_.embedding_dropout = 0;
    check_size();
    read_positions();
    choose_ties();
    for (const char* name : {"decoder/alignment_layer", "decoder/alignment_heads"})
      arrays_.number(name, 0);
  }

  // Checked before memory is allocated for a model of unchecked sizes.
  void check_size() const {
    constexpr double smallest_weight = 1;  // bytes
    const auto bytes = static_cast<double>(arrays_.file().size());
    require(fewest_weights(config_) * smallest_weight <= bytes,
            "{}: {} bytes are too few for {} and {} layers of width {}", arrays_.file().file(),
            bytes, config_.encoder_layers, config_.decoder_layers, config_.width);
  }

  void read_positions() {
    const auto table = [&](const std::string& side) {
      const std::string name = side + "/position_encodings/encodings";
      return arrays_.contains(name) ? arrays_.read_table(name, config_.width)
                                    : counted_positions(computed_positions, config_.width);
    };
    source_positions_ = table("encoder");
    target_positions_ = table("decoder");
    config_.context_length = std::min(source_positions_.shape()[0], target_positions_.shape()[0]);
    const Tensor tables[] = {source_positions_.slice(0, config_.context_length),
                             target_positions_.slice(0, config_.context_length)};
    const std::optional<SinusoidSpacing> spacing = spacing_of(tables);
    config_.positions = spacing ? PositionKind::sinusoidal : PositionKind::learned;
    config_.sinusoids = spacing.value_or(SinusoidSpacing::paper);
  }

  // heed multiplies input embeddings by the square root of the width, so a table that is not scaled
  // cannot be shared.
  void choose_ties() {
    const bool source_scaled = arrays_.number("encoder/scale_embeddings", 1) != 0;
    const bool target_scaled = arrays_.number("decoder/scale_embeddings", 1) != 0;
    const bool decoder = target_scaled && same_numbers(tables_.target, tables_.output);
    const bool all = decoder && source_scaled && same_numbers(tables_.source, tables_.target);
    config_.tied = all       ? TiedEmbeddings::all
                   : decoder ? TiedEmbeddings::decoder
                             : TiedEmbeddings::none;
    const auto unscale = [&](Tensor& table) {
      table = table.clone();
      for (float& value : table.span<float>())
        value /= std::sqrt(static_cast<float>(config_.width));
    };
    if (!source_scaled) unscale(tables_.source);
    if (!target_scaled) unscale(tables_.target);
  }

  // A parameter under its name in heed.
  void fill(const std::string& name, Tensor& value) {
    if (name == "model.shared.weight" || name == "model.decoder.embed_tokens.weight")
      return put(tables_.target, value);
    if (name == "model.encoder.embed_tokens.weight") return put(tables_.source, value);
    if (name == "lm_head.weight") return put(tables_.output, value);
    if (name == "final_logits_bias") return put(tables_.output_bias, value);
    if (name == "model.encoder.embed_positions.weight")
      return put(source_positions_.slice(0, config_.context_length), value);
    if (name == "model.decoder.embed_positions.weight")
      return put(target_positions_.slice(0, config_.context_length), value);
    const Place place = place_of(name);
    if (!arrays_.contains(place.array) && place.array.ends_with("/bias")) return value.fill(0);
    const Tensor all = arrays_.read(place.array);
    const int64_t rows = value.shape()[0];
    require(all.shape().rank() > 0 && all.shape()[0] == rows * place.parts,
            "{}: array \"{}\" has shape {} but {} rows were expected", arrays_.file().file(),
            place.array, all.shape(), rows * place.parts);
    put(all.slice(place.part * rows, (place.part + 1) * rows), value);
  }

  void put(const Tensor& from, Tensor& value) const {
    require(from.elements() == value.elements(), "{}: an array of shape {} but {} was expected",
            arrays_.file().file(), from.shape(), value.shape());
    value.copy_from(from.reshape(value.shape()));
  }

  // A part of an array: queries, keys and values are stacked in one.
  struct Place {
    std::string array;
    int64_t part = 0, parts = 1;
  };

  // "model.decoder.layers.3.encoder_attn.k_proj.bias" and the like.
  static Place place_of(const std::string& name) {
    const std::string side = name.starts_with("model.encoder.") ? "encoder" : "decoder";
    const bool is_weight = name.ends_with(".weight");
    const std::string kind = is_weight ? "/weight" : "/bias",
                      norm_kind = is_weight ? "/gamma" : "/beta";
    const size_t layers = name.find(".layers.");
    if (layers == std::string::npos) return {side + "/layer_norm" + norm_kind};
    const size_t begin = layers + 8, end = name.find('.', begin);
    const std::string layer = side + "/layer_" + name.substr(begin, end - begin) + "/";
    const std::string part = name.substr(end + 1, name.rfind('.') - end - 1);
    static const std::map<std::string, Place> places = {
        {"self_attn.q_proj", {"self_attention/linear_0", 0, 3}},
        {"self_attn.k_proj", {"self_attention/linear_0", 1, 3}},
        {"self_attn.v_proj", {"self_attention/linear_0", 2, 3}},
        {"self_attn.out_proj", {"self_attention/linear_1"}},
        {"self_attn_layer_norm", {"self_attention/layer_norm"}},
        {"encoder_attn.q_proj", {"attention/linear_0"}},
        {"encoder_attn.k_proj", {"attention/linear_1", 0, 2}},
        {"encoder_attn.v_proj", {"attention/linear_1", 1, 2}},
        {"encoder_attn.out_proj", {"attention/linear_2"}},
        {"encoder_attn_layer_norm", {"attention/layer_norm"}},
        {"fc1", {"ffn/linear_0"}},
        {"fc3", {"ffn/linear_0_noact"}},
        {"fc2", {"ffn/linear_1"}},
        {"final_layer_norm", {"ffn/layer_norm"}}};
    const auto found = places.find(part);
    require(found != places.end(), "{}: unknown parameter", name);
    Place place = found->second;
    place.array = layer + place.array + (part.ends_with("layer_norm") ? norm_kind : kind);
    return place;
  }

  fs::path folder_;
  ctranslate2::Tokens tokens_;
  ctranslate2::Vocabularies vocabularies_;
  Arrays arrays_;
  TransformerConfig config_;
  Tables tables_;
  Tensor source_positions_, target_positions_;
};

}  // namespace

bool is_ctranslate2_folder(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "model.bin", ignored) &&
         !fs::exists(folder / "model.safetensors", ignored);
}

ModelFolder read_ctranslate2_folder(const fs::path& folder,
                                    const std::optional<MosesSides>& moses) {
  return with_error_kind(ErrorKind::model, [&] { return Import(folder, moses).run(); });
}

}  // namespace heed
