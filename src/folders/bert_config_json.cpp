#include "heed/folders/bert_config_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "heed/base/error.h"
#include "heed/base/field_text.h"
#include "heed/base/numbers.h"
#include "heed/base/shallow_json.h"
#include "heed/base/text.h"
#include "heed/models/classifier_fields.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

constexpr const char* model_type = "bert";
// With a convolution; another name, so that no other tool takes it for a BERT.
constexpr const char* convolution_type = "bert-with-convolution";
constexpr int newest_version = 1;
constexpr int64_t largest_size = 1 << 16;
constexpr int64_t most_layers = 1000;
constexpr int64_t largest_vocabulary = 1 << 24;
constexpr int64_t most_labels = 10000;
constexpr const char* one_label = "single_label_classification";
constexpr const char* any_labels = "multi_label_classification";

struct NamedActivation {
  const char* name;
  Activation activation;
};

// Hugging Face's "gelu" is the exact one. Of two names, the first is written.
constexpr NamedActivation activations[] = {{"gelu", Activation::gelu},
                                           {"relu", Activation::relu},
                                           {"silu", Activation::swish},
                                           {"swish", Activation::swish},
                                           {"tanh", Activation::tanh}};

class Settings {
 public:
  Settings(const Json& json, const std::string& file) : json_(json), file_(file) {}

  const Json& at(const char* name) const {
    static const Json nothing;
    const auto found = json_.find(name);
    return found == json_.end() ? nothing : *found;
  }

  [[noreturn]] void refuse(const char* name, std::string_view expected) const {
    const Json& found = at(name);
    const std::string text = found.is_string()
                                 ? quote(found.get<std::string>())
                                 : shorten(printable(found.dump(-1, ' ', true, replace)), 80);
    fail("{}: \"{}\" is {} but {} was expected", file_, name, text, expected);
  }

  int64_t size(const char* name, int64_t most) const {
    const Json& found = at(name);
    if (!found.is_number_integer() || found < 1 || found > most)
      refuse(name, fmt::format("a number from 1 to {}", most));
    return found.get<int64_t>();
  }

  double rate(const char* name, double otherwise) const {
    const Json& found = at(name);
    if (found.is_null()) return otherwise;
    if (!found.is_number() || !(found.get<double>() >= 0 && found.get<double>() < 1))
      refuse(name, "a number of at least 0 and below 1");
    return found.get<double>();
  }

  // Absent, or this value: what heed does anyway.
  void expect(const char* name, const Json& value, std::string_view expected) const {
    if (!at(name).is_null() && at(name) != value) refuse(name, expected);
  }

 private:
  static constexpr auto replace = Json::error_handler_t::replace;

  const Json& json_;
  const std::string& file_;
};

Activation read_activation(const Settings& settings) {
  std::string names;
  for (const auto& [name, activation] : activations) {
    if (is_text(settings.at("hidden_act"), name)) return activation;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  settings.refuse("hidden_act", "one of " + names);
}

const char* name_of_activation(Activation activation) {
  for (const auto& [name, value] : activations)
    if (value == activation) return name;
  fail("bert: an activation that its config.json cannot say");
}

// What changes the computation, and which heed does not do.
void check_honoured(const Settings& settings) {
  settings.expect("position_embedding_type", "absolute", "\"absolute\"");
  settings.expect("is_decoder", false, "false");
  settings.expect("add_cross_attention", false, "false");
  settings.expect("quantization_config", nullptr, "none");
}

const char* architecture_of(BertHead head) {
  switch (head) {
    case BertHead::none:
      return "BertModel";
    case BertHead::masked:
      return "BertForMaskedLM";
    case BertHead::classifier:
      return "BertForSequenceClassification";
  }
  __builtin_unreachable();
}

// {"0": "negative", "1": "positive"}. Without it, there are two without names.
std::vector<std::string> read_labels(const Settings& settings, const std::string& file) {
  const Json& names = settings.at("id2label");
  if (names.is_null()) return {"LABEL_0", "LABEL_1"};
  if (!names.is_object() || names.empty() || static_cast<int64_t>(names.size()) > most_labels)
    settings.refuse("id2label", fmt::format("an object of 1 to {} labels", most_labels));
  std::vector<std::string> labels(names.size());
  for (const auto& [number, name] : names.items()) {
    const auto id = parse_number<int64_t>(number);
    require(id && *id >= 0 && *id < static_cast<int64_t>(labels.size()),
            "{}: the label {} of \"id2label\" but 0 to {} were expected", file, quote(number),
            labels.size() - 1);
    require(name.is_string(), "{}: the label {} of \"id2label\" is not a text", file, *id);
    labels[static_cast<size_t>(*id)] = name.get<std::string>();
  }
  check_labels(labels, file);
  return labels;
}

bool read_several(const Settings& settings, size_t labels) {
  const Json& kind = settings.at("problem_type");
  if (is_text(kind, any_labels)) return true;
  // One number without a kind is a regression there.
  if (!is_text(kind, one_label) && !(kind.is_null() && labels > 1))
    settings.refuse("problem_type", fmt::format("\"{}\" or \"{}\"", one_label, any_labels));
  return false;
}

TextPooling read_pooling(const Json& whole, const std::string& file) {
  const auto ours = whole.find("heed");
  if (ours == whole.end()) return TextPooling::pooler;  // of another tool
  const Settings settings(*ours, file);
  std::string names;
  for (const auto& [pooling, name] : EnumNames<TextPooling>::values) {
    if (is_text(settings.at("pooling"), name)) return pooling;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  settings.refuse("pooling", "one of " + names);
}

void check_version(const Json& whole, const std::string& file) {
  const auto ours = whole.find("heed");
  if (ours == whole.end()) return;  // of another tool
  require(ours->is_object(), "{}: \"heed\" is not an object", file);
  const Settings settings(*ours, file);
  const int64_t version = settings.size("version", 1 << 20);
  require(version <= newest_version, "{}: version {} but this heed reads up to version {}", file,
          version, newest_version);
}

int64_t read_convolution(const Settings& settings) {
  constexpr const char* name = "convolution_size";
  constexpr int64_t most = 255;
  const int64_t size = settings.size(name, most);
  if (size % 2 == 0) settings.refuse(name, "an odd number");
  return size;
}

BertConfig read_encoder(const Json& whole, const std::string& file) {
  require(whole.is_object(), "{}: not a JSON object", file);
  const Settings settings(whole, file);
  const bool has_convolution = is_text(settings.at("model_type"), convolution_type);
  if (!has_convolution && !is_text(settings.at("model_type"), model_type))
    settings.refuse("model_type", "\"bert\"");
  check_version(whole, file);
  check_honoured(settings);
  BertConfig config;
  config.vocabulary = settings.size("vocab_size", largest_vocabulary);
  config.layers = settings.size("num_hidden_layers", most_layers);
  config.width = settings.size("hidden_size", largest_size);
  config.ffn = settings.size("intermediate_size", largest_size);
  config.heads = settings.size("num_attention_heads", largest_size);
  config.context_length = settings.size("max_position_embeddings", largest_size);
  config.types = settings.size("type_vocab_size", largest_size);
  if (has_convolution) config.convolution = read_convolution(settings);
  config.activation = read_activation(settings);
  config.norm_epsilon = settings.rate("layer_norm_eps", config.norm_epsilon);
  config.dropout = settings.rate("hidden_dropout_prob", config.dropout);
  config.attention_dropout =
      settings.rate("attention_probs_dropout_prob", config.attention_dropout);
  return config;
}

Json encoder_json(const BertConfig& c, BertHead head) {
  Json json = json_object<Json>({{"architectures", std::array{architecture_of(head)}},
                                 {"model_type", c.convolution > 0 ? convolution_type : model_type},
                                 {"vocab_size", c.vocabulary},
                                 {"num_hidden_layers", c.layers},
                                 {"hidden_size", c.width},
                                 {"intermediate_size", c.ffn},
                                 {"num_attention_heads", c.heads},
                                 {"max_position_embeddings", c.context_length},
                                 {"type_vocab_size", c.types},
                                 {"hidden_act", name_of_activation(c.activation)},
                                 {"layer_norm_eps", c.norm_epsilon},
                                 {"position_embedding_type", "absolute"},
                                 {"hidden_dropout_prob", c.dropout},
                                 {"attention_probs_dropout_prob", c.attention_dropout}});
  if (c.convolution > 0) json["convolution_size"] = c.convolution;
  const char* name = head == BertHead::masked ? "masked" : model_type;
  json["heed"] = json_object<Json>({{"version", newest_version}, {"model", name}});
  return json;
}

}  // namespace

bool describes_bert(std::string_view json) {
  const Json whole = parse_shallow_json<Json>(json, "config.json");
  return whole.is_object() && whole.contains("model_type") &&
         (is_text(whole["model_type"], model_type) ||
          is_text(whole["model_type"], convolution_type));
}

BertHead head_of_bert(std::string_view json) {
  const Json whole = parse_shallow_json<Json>(json, "config.json");
  if (!whole.is_object() || !whole.contains("architectures")) return BertHead::none;
  const Json& names = whole["architectures"];
  for (const BertHead head : {BertHead::masked, BertHead::classifier})
    if (names.is_array() && names.size() == 1 && is_text(names[0], architecture_of(head)))
      return head;
  return BertHead::none;
}

void check_labels(const std::vector<std::string>& labels, const std::string& file) {
  std::set<std::string_view> seen;
  for (const std::string& label : labels) {
    require(!label.empty() && is_utf8(label), "{}: a label has no name", file);
    require(seen.insert(label).second, "{}: two labels are called {}", file, Quoted{label});
  }
}

BertConfig parse_bert_config(std::string_view json, const std::string& file) {
  return read_encoder(parse_shallow_json<Json>(json, file), file);
}

ClassifierDescription parse_classifier_config(std::string_view json, const std::string& file) {
  const Json whole = parse_shallow_json<Json>(json, file);
  ClassifierDescription classifier;
  ClassifierConfig& config = classifier.config;
  config.encoder = read_encoder(whole, file);
  const Settings settings(whole, file);
  classifier.labels = read_labels(settings, file);
  config.labels = static_cast<int64_t>(classifier.labels.size());
  config.several_labels = read_several(settings, classifier.labels.size());
  config.pooling = read_pooling(whole, file);
  config.dropout = settings.rate("classifier_dropout", config.encoder.dropout);
  return classifier;
}

std::string to_json(const BertConfig& config, BertHead head) {
  return encoder_json(config, head).dump(2) + "\n";
}

std::string to_json(const ClassifierDescription& classifier) {
  const ClassifierConfig& config = classifier.config;
  Json json = encoder_json(config.encoder, BertHead::classifier);
  Json names = Json::object(), numbers = Json::object();
  for (size_t i = 0; i < classifier.labels.size(); ++i) {
    names[std::to_string(i)] = classifier.labels[i];
    numbers[classifier.labels[i]] = i;
  }
  json["heed"]["model"] = "classifier";
  json["heed"]["pooling"] = text_of_field(config.pooling);
  json["classifier_dropout"] = config.dropout;
  json["problem_type"] = config.several_labels ? any_labels : one_label;
  json["id2label"] = names;
  json["label2id"] = numbers;
  return json.dump(2) + "\n";
}

}  // namespace heed
