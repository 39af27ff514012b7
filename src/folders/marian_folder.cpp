#include "heed/folders/marian_folder.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/base/shallow_json.h"
#include "heed/base/text.h"
#include "heed/folders/marian_files.h"
#include "heed/folders/marian_names.h"
#include "heed/folders/marian_vocabulary.h"
#include "heed/folders/word_rows.h"
#include "heed/models/transformer.h"
#include "heed/weights/marian_file.h"
#include "heed/weights/marian_shortlist.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

MarianFile open_weights(const fs::path& path) {
  if (path.extension() == ".gz") return MarianFile::of(marian::read_text(path), path.string());
  return MarianFile::open(path);
}

// Reads arrays by Marian's names and remembers which ones.
class Arrays {
 public:
  explicit Arrays(MarianFile file) : file_(std::move(file)) {}

  const MarianFile& file() const { return file_; }
  bool contains(const std::string& name) const { return file_.contains(name); }
  // The weight of a layer, (outputs, inputs), or the table of words.
  Tensor rows(const std::string& name) {
    used_.insert(name);
    return file_.read_rows(name);
  }
  Tensor numbers(const std::string& name) {
    used_.insert(name);
    return file_.read(name);
  }
  // An array that was not read would change what the model computes. The multipliers of activations
  // do not: heed finds its own for every row.
  void check_all_read() const {
    for (const std::string& name : file_.names())
      require(used_.contains(name) || name.ends_with("_QuantMultA") ||
                  name == marian::settings_name || name == marian::notes_name,
              "{}: array {} is not supported by heed's Transformer", file_.file(), Quoted{name});
  }

 private:
  MarianFile file_;
  std::set<std::string> used_;
};

// Refuses settings with other values than these, by name.
void require_setting(const MarianSettings& settings, std::string_view name,
                     std::initializer_list<std::string_view> supported) {
  const std::string value = settings.text(name, *supported.begin());
  require(std::ranges::find(supported, value) != supported.end(),
          "{}: {} is {}, which heed does not support", settings.file(), name, quote(value));
}

void check_supported(const MarianSettings& settings) {
  require_setting(settings, "type", {"transformer"});
  for (const char* off :
       {"right-left", "ulr", "transformer-pool", "transformer-no-affine", "transformer-no-bias",
        "transformer-rnn-projection", "layer-normalization"})
    require_setting(settings, off, {"false"});
  for (const char* none : {"lemma-dim-emb", "factors-dim-emb"})
    require_setting(settings, none, {"0"});
  require_setting(settings, "transformer-attention-mask", {"default"});
  require_setting(settings, "transformer-ffn-depth", {"2"});
  require_setting(settings, "transformer-decoder-ffn-depth", {"0", "2"});
  require_setting(settings, "transformer-decoder-autoreg", {"self-attention", "rnn"});
  if (settings.text("transformer-decoder-autoreg", "") == "rnn")
    require(settings.text("dec-cell", "gru") == "ssru",
            "{}: dec-cell is {}, but of recurrent units heed supports only ssru in a Transformer",
            settings.file(), quote(settings.text("dec-cell", "gru")));
  require_setting(settings, "transformer-postprocess-emb", {"d", ""});
  for (const std::string& type : settings.list("input-types"))
    require(type == "sequence", "{}: input-types has {}, which heed does not support",
            settings.file(), Quoted{type});
  require(settings.list("dim-vocabs").size() == 2 || !settings.contains("dim-vocabs"),
          "{}: dim-vocabs has {} sizes but 2 were expected: heed has one encoder", settings.file(),
          settings.list("dim-vocabs").size());
}

// What is done before and after each block, without dropout.
NormPlacement norm_of(const MarianSettings& settings) {
  const auto steps = [&](const char* name, const char* otherwise) {
    std::string found = settings.text(name, otherwise);
    std::erase(found, 'd');
    return found;
  };
  const std::string before = steps("transformer-preprocess", ""),
                    after = steps("transformer-postprocess", "dan"),
                    top = steps("transformer-postprocess-top", "");
  if (before.empty() && after == "an" && top.empty()) return NormPlacement::post;
  if (before == "n" && after == "a" && top == "n") return NormPlacement::pre;
  fail(
      "{}: transformer-preprocess {}, transformer-postprocess {} and transformer-postprocess-top "
      "{} do not go together in heed, which has post-norm (\"\", \"dan\", \"\") and pre-norm "
      "(\"n\", \"da\", \"n\")",
      settings.file(), quote(settings.text("transformer-preprocess", "")),
      quote(settings.text("transformer-postprocess", "dan")),
      quote(settings.text("transformer-postprocess-top", "")));
}

Activation activation_of(const MarianSettings& settings) {
  const std::string name = settings.text("transformer-ffn-activation", "swish");
  constexpr std::pair<std::string_view, Activation> known[] = {
      {"relu", Activation::relu}, {"swish", Activation::swish}, {"gelu", Activation::gelu}};
  for (const auto& [known_name, activation] : known)
    if (known_name == name) return activation;
  fail("{}: transformer-ffn-activation is {}, which heed does not support", settings.file(),
       quote(name));
}

// What heed has noted when it wrote the file.
struct WrittenByHeed {
  double norm_epsilon = 0;
  std::map<std::string, std::vector<float>> start;  // its rows and its bias, by their places
  TrainedLengths lengths;
  ModelNotes notes;
};

std::optional<WrittenByHeed> read_written(const MarianFile& file) {
  if (!file.contains(marian::notes_name)) return std::nullopt;
  const std::string name = fmt::format("{}: {}", file.file(), marian::notes_name);
  const std::string json = file.text(marian::notes_name);
  const ModelConfig config = parse_model_config(json, name);
  const auto* transformer = std::get_if<TransformerConfig>(&config);
  require(transformer != nullptr, "{}: the model is {} but transformer was expected", name,
          name_of(config));
  const JsonValue whole = parse_shallow_json(json, name);
  const auto start = whole.find("start");
  require(start != whole.end() && start->is_object(), "{}: the start is missing", name);
  WrittenByHeed written{transformer->norm_epsilon,
                        {},
                        parse_trained_lengths(json, name),
                        parse_model_notes(json, name)};
  for (const auto& entry : start->items()) {
    const std::string& place = entry.key();
    const JsonValue& found = entry.value();
    std::vector<float>& numbers = written.start[place];
    const auto add = [&](const JsonValue& number) {
      require(number.is_number() && std::isfinite(number.get<float>()),
              "{}: the start's {} was expected to be of finite numbers", name, Quoted{place});
      numbers.push_back(number.get<float>());
    };
    if (found.is_array())
      for (const JsonValue& number : found) add(number);
    else
      add(found);
  }
  return written;
}

// The tables of a model, shared or not.
struct Tables {
  Tensor source, target, output, output_bias;
};

class Import {
 public:
  explicit Import(const fs::path& path)
      : files_(marian::find_files(path)),
        arrays_(open_weights(files_.model)),
        settings_(read_settings()),
        written_(read_written(arrays_.file())) {}

  ModelFolder run() {
    check_supported(settings_);
    read_tables();
    read_config();
    auto model = std::make_unique<Transformer>(config_, Initialiser::unset());
    model->visit_parameters({}, [&](const std::string& name, Tensor& value) {
      fill(name, value);
      if (name == "final_logits_bias") put_start("bias", value);
      if (const char* place = marian::place_of_start(name)) put_start(place, value);
    });
    arrays_.check_all_read();
    return {.config = config_,
            .model = std::move(model),
            .source = source_->vocabulary,
            .target = target_->vocabulary,
            .lengths = written_ ? written_->lengths : TrainedLengths{},
            .notes = written_ ? written_->notes : notes(),
            .shortlist = shortlist()};
  }

 private:
  MarianSettings read_settings() const {
    const std::string name = fmt::format("{}: {}", arrays_.file().file(), marian::settings_name);
    return MarianSettings::parse(arrays_.file().text(marian::settings_name), name);
  }

  bool tied_all() const { return settings_.truth("tied-embeddings-all", false); }
  bool shared_sides() const { return tied_all() || settings_.truth("tied-embeddings-src", false); }

  Tensor read_table(const std::string& name) {
    const Shape shape = arrays_.file().shape(name);
    require(shape.rank() == 2 && shape[0] > 0 && shape[1] > 0,
            "{}: array {} has shape {} but (words, width) was expected", arrays_.file().file(),
            Quoted{name}, shape);
    return arrays_.numbers(name);
  }

  // As rows of words.
  Tensor read_output(const std::string& target_name) {
    if (tied_all() || settings_.truth("tied-embeddings", false)) return read_table(target_name);
    const std::string name = "decoder_ff_logit_out_";
    return arrays_.contains(name + "W") ? arrays_.rows(name + "W") : arrays_.numbers(name + "Wt");
  }

  void read_tables() {
    const std::string& file = arrays_.file().file();
    const std::string source_name = shared_sides() ? "Wemb" : "encoder_Wemb",
                      target_name = shared_sides() ? "Wemb" : "decoder_Wemb";
    const Tensor source = read_table(source_name), target = read_table(target_name),
                 output = read_output(target_name);
    width_ = target.shape()[1];
    require(source.shape()[1] == width_ && output.shape() == target.shape(),
            "{}: tables of words of shapes {}, {} and {} (source, target, output) do not fit", file,
            source.shape(), target.shape(), output.shape());
    source_ = marian::read_vocabulary(files_.source, files_.source_spm, source.shape()[0]);
    target_ = marian::read_vocabulary(files_.target, files_.target_spm, target.shape()[0]);
    tables_.source = select_rows(source, source_->rows, 0);
    tables_.target = select_rows(target, target_->rows, 0);
    tables_.output = select_rows(output, target_->rows, 0);
    tables_.output_bias = Tensor::zeros({target_->vocabulary.size()});
    const std::string bias_name = "decoder_ff_logit_out_b";
    if (!settings_.truth("output-omit-bias", false)) {
      const Tensor bias = arrays_.numbers(bias_name);
      require(bias.elements() == target.shape()[0], "{}: array {} has {} numbers for {} words",
              file, Quoted{bias_name}, bias.elements(), target.shape()[0]);
      tables_.output_bias = select_rows(bias.reshape({bias.elements()}), target_->rows, 0);
    }
    for (size_t id = 0; id < target_->known.size(); ++id)
      if (!target_->known[id]) tables_.output_bias.data<float>()[id] = never;
  }

  void read_config() {
    config_.source_vocabulary = source_->vocabulary.size();
    config_.target_vocabulary = target_->vocabulary.size();
    config_.width = width_;
    require(settings_.integer("dim-emb", width_) == width_,
            "{}: dim-emb is {}, but the tables of words have a width of {}", settings_.file(),
            settings_.integer("dim-emb", width_), width_);
    config_.encoder_layers = settings_.integer("enc-depth", 1);
    config_.decoder_layers = settings_.integer("dec-depth", 1);
    config_.ffn = settings_.integer("transformer-dim-ffn", 2048);
    config_.decoder_ffn = settings_.integer("transformer-decoder-dim-ffn", 0);
    config_.heads = settings_.integer("transformer-heads", 8);
    config_.activation = activation_of(settings_);
    config_.norm = norm_of(settings_);
    config_.norm_epsilon = written_ ? written_->norm_epsilon : marian::norm_epsilon;
    if (settings_.text("transformer-decoder-autoreg", "self-attention") == "rnn")
      config_.decoder = Autoregression::ssru;
    config_.decoder_start = DecoderStart::zeros;
    config_.dropout = config_.embedding_dropout = 0;
    tied_layers_ = settings_.integers("transformer-tied-layers");
    require(
        tied_layers_.empty() || static_cast<int64_t>(tied_layers_.size()) == config_.decoder_layers,
        "{}: transformer-tied-layers names {} layers, but the decoder has {}", settings_.file(),
        tied_layers_.size(), config_.decoder_layers);
    read_positions();
    choose_ties();
    check_size();
  }

  // Marian has learned positions where there is a table of them, and does not scale the embeddings
  // then.
  void read_positions() {
    config_.sinusoids = SinusoidSpacing::tensor2tensor;
    if (settings_.truth("transformer-disable-position-embeddings", false)) {
      config_.positions = PositionKind::none;
      config_.sinusoids = SinusoidSpacing::paper;
    } else if (arrays_.contains("Wpos")) {
      positions_ = read_table("Wpos");
      require(positions_.shape()[1] == width_, "{}: array \"Wpos\" has a width of {} but not of {}",
              arrays_.file().file(), positions_.shape()[1], width_);
      config_.positions = PositionKind::learned;
      config_.context_length = positions_.shape()[0];
      config_.sinusoids = SinusoidSpacing::paper;
    }
  }

  // Checked before memory is allocated for a model of unchecked sizes.
  void check_size() const {
    constexpr double smallest_weight = 1;  // bytes
    const auto bytes = static_cast<double>(arrays_.file().size());
    // Tied layers are stored once.
    TransformerConfig stored = config_;
    if (!tied_layers_.empty()) stored.decoder_layers = 1;
    stored.source_vocabulary = stored.target_vocabulary = 3;
    constexpr int64_t most_layers = 1000;
    require(config_.encoder_layers <= most_layers && config_.decoder_layers <= most_layers &&
                fewest_weights(stored) * smallest_weight <= bytes,
            "{}: {} bytes are too few for {} and {} layers of width {}", arrays_.file().file(),
            bytes, config_.encoder_layers, config_.decoder_layers, config_.width);
    check(config_);
  }

  // heed multiplies input embeddings by the square root of the width, so a table that is not scaled
  // cannot be shared.
  void choose_ties() {
    const bool scaled = config_.positions == PositionKind::sinusoidal;
    const bool decoder = scaled && same_numbers(tables_.target, tables_.output);
    const bool all = decoder && same_numbers(tables_.source, tables_.target);
    config_.tied = all       ? TiedEmbeddings::all
                   : decoder ? TiedEmbeddings::decoder
                             : TiedEmbeddings::none;
    for (Tensor* table : {&tables_.source, &tables_.target}) {
      if (scaled) continue;
      *table = table->clone();
      for (float& value : table->span<float>())
        value /= std::sqrt(static_cast<float>(config_.width));
    }
  }

  // A parameter under its name in heed.
  void fill(const std::string& name, Tensor& value) {
    if (name == "model.shared.weight" || name == "model.decoder.embed_tokens.weight")
      return put(tables_.target, value, name);
    if (name == "model.encoder.embed_tokens.weight") return put(tables_.source, value, name);
    if (name == "lm_head.weight") return put(tables_.output, value, name);
    if (name == "final_logits_bias") return put(tables_.output_bias, value, name);
    if (name.ends_with("embed_positions.weight")) return put(positions_, value, name);
    const std::string array = marian::array_name(name, config_.norm, tied_layers_);
    if (is_left_out(name)) return fill_identity(value);
    const bool is_matrix = value.shape().rank() == 2;
    put(is_matrix ? arrays_.rows(array) : arrays_.numbers(array), value, array);
  }

  // Attention without a projection of what the heads found is one with a projection that changes
  // nothing.
  bool is_left_out(const std::string& name) const {
    return settings_.truth("transformer-no-projection", false) &&
           name.find(".out_proj.") != name.npos;
  }
  static void fill_identity(Tensor& value) {
    value.fill(0);
    if (value.shape().rank() != 2) return;
    for (int64_t i = 0; i < value.shape()[0]; ++i) value.matrix<float>()(i, i) = 1;
  }

  // What heed has noted of the start, in the last row of a table.
  void put_start(const std::string& place, Tensor& table) const {
    if (!written_ || !written_->start.contains(place)) return;
    const std::vector<float>& numbers = written_->start.at(place);
    const int64_t width = table.elements() / table.shape()[0];
    require(static_cast<int64_t>(numbers.size()) == width,
            "{}: {}: the start's {} has {} numbers but {} were expected", arrays_.file().file(),
            marian::notes_name, Quoted{place}, numbers.size(), width);
    std::ranges::copy(numbers, table.data<float>() + table.elements() - width);
  }

  void put(const Tensor& from, Tensor& value, const std::string& array) const {
    const bool fits = from.elements() == value.elements() &&
                      (value.shape().rank() != 2 || from.shape() == value.shape());
    require(fits, "{}: array {} has the shape {} (outputs first) but {} was expected",
            arrays_.file().file(), Quoted{array}, from.shape(), value.shape());
    value.copy_from(from.reshape(value.shape()));
  }

  // With heed's ids instead of Marian's.
  std::optional<Shortlist> shortlist() const {
    if (!files_.shortlist) return std::nullopt;
    const std::string file = files_.shortlist->string();
    const std::string bytes = marian::read_text(*files_.shortlist);
    const MarianShortlist theirs = parse_marian_shortlist(std::as_bytes(std::span(bytes)), file);
    std::map<int64_t, int32_t> ids;
    for (size_t id = 0; id < target_->rows.size(); ++id)
      if (target_->known[id]) ids.emplace(target_->rows[id], static_cast<int32_t>(id));
    ShortlistLists lists;
    const auto add = [&](uint64_t number, std::vector<int32_t>& list) {
      const auto found = ids.find(static_cast<int64_t>(number));
      if (found != ids.end()) list.push_back(found->second);
    };
    const uint64_t words = static_cast<uint64_t>(target_->rows.size());
    for (uint64_t i = 0; i < std::min(theirs.frequent, words); ++i) add(i, lists.frequent);
    lists.offsets.push_back(0);
    // Some that are shipped lack the end of the last word's candidates, which has none then.
    const auto listed = static_cast<int64_t>(theirs.offsets.size()) - 1;
    const int64_t source_words = *std::ranges::max_element(source_->rows) + 1;
    require(listed == source_words || listed == source_words - 1,
            "{}: has candidates for {} source words, but the model has {}", file, listed,
            source_words);
    for (const int64_t row : source_->rows) {
      const bool has_some = row >= 0 && row < listed;
      const uint64_t end = has_some ? theirs.offsets[row + 1] : 0;
      for (uint64_t i = has_some ? theirs.offsets[row] : 0; i < end; ++i) {
        require(theirs.targets[i] < words, "{}: candidate {}, but the model has {} words", file,
                theirs.targets[i], words);
        add(theirs.targets[i], lists.targets);
      }
      lists.offsets.push_back(static_cast<int64_t>(lists.targets.size()));
    }
    lists.with_source = source_->vocabulary.bytes() == target_->vocabulary.bytes();
    return Shortlist(std::move(lists), source_->vocabulary.size(), target_->vocabulary.size(),
                     file);
  }

  ModelNotes notes() const {
    ModelNotes notes;
    notes.origin = fmt::format("Marian {}", settings_.text("version", "(version unknown)"));
    notes.search.narrowing = true;
    notes.search.never_unknown = true;
    constexpr double marian_length_factor = 3;
    notes.search.max_ratio = marian_length_factor;
    // The weights that guided alignment trains, and those that Marian gives in any case.
    notes.search.alignment_head = 1;
    const std::string layer = settings_.text("transformer-guided-alignment-layer", "last");
    if (layer != "last")
      notes.search.alignment_layer = settings_.integer("transformer-guided-alignment-layer", 0);
    require(notes.search.alignment_layer <= config_.decoder_layers,
            "{}: transformer-guided-alignment-layer is {}, but the decoder has {} layers",
            settings_.file(), layer, config_.decoder_layers);
    if (!files_.decoder) return notes;
    const MarianSettings& decoder = *files_.decoder;
    notes.search.beam = decoder.integer("beam-size", 0);
    notes.search.length_penalty =
        decoder.text("normalize", "0") == "true" ? 1 : decoder.number("normalize", 0);
    notes.search.word_penalty = decoder.number("word-penalty", 0);
    notes.search.max_ratio = decoder.number("max-length-factor", marian_length_factor);
    notes.search.never_unknown = !decoder.truth("allow-unk", false);
    return notes;
  }

  marian::Files files_;
  Arrays arrays_;
  MarianSettings settings_;
  std::optional<WrittenByHeed> written_;
  std::optional<marian::WordRows> source_, target_;
  TransformerConfig config_;
  int64_t width_ = 0;
  Tables tables_;
  Tensor positions_;
  std::vector<int64_t> tied_layers_;
};

}  // namespace

bool is_marian_model(const fs::path& path) { return marian::is_model(path); }

ModelFolder read_marian_model(const fs::path& path) {
  return with_error_kind(ErrorKind::model, [&] { return Import(path).run(); });
}

}  // namespace heed
