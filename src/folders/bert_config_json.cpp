#include "heed/folders/bert_config_json.h"

#include <array>
#include <cmath>

#include "heed/base/error.h"
#include "heed/base/shallow_json.h"
#include "heed/base/text.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

constexpr const char* model_type = "bert";
constexpr int newest_version = 1;
constexpr int64_t largest_size = 1 << 16;
constexpr int64_t most_layers = 1000;
constexpr int64_t largest_vocabulary = 1 << 24;

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

void check_version(const Json& whole, const std::string& file) {
  const auto ours = whole.find("heed");
  if (ours == whole.end()) return;  // of another tool
  require(ours->is_object(), "{}: \"heed\" is not an object", file);
  const Settings settings(*ours, file);
  const int64_t version = settings.size("version", 1 << 20);
  require(version <= newest_version, "{}: version {} but this heed reads up to version {}", file,
          version, newest_version);
}

}  // namespace

bool describes_bert(std::string_view json) {
  const Json whole = parse_shallow_json<Json>(json, "config.json");
  return whole.is_object() && whole.contains("model_type") &&
         is_text(whole["model_type"], model_type);
}

BertConfig parse_bert_config(std::string_view json, const std::string& file) {
  const Json whole = parse_shallow_json<Json>(json, file);
  require(whole.is_object(), "{}: not a JSON object", file);
  const Settings settings(whole, file);
  if (!is_text(settings.at("model_type"), model_type)) settings.refuse("model_type", "\"bert\"");
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
  config.activation = read_activation(settings);
  config.norm_epsilon = settings.rate("layer_norm_eps", config.norm_epsilon);
  config.dropout = settings.rate("hidden_dropout_prob", config.dropout);
  config.attention_dropout =
      settings.rate("attention_probs_dropout_prob", config.attention_dropout);
  return config;
}

std::string to_json(const BertConfig& c) {
  Json json = json_object<Json>({{"architectures", std::array{"BertModel"}},
                                 {"model_type", model_type},
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
  json["heed"] = json_object<Json>({{"version", newest_version}, {"model", model_type}});
  return json.dump(2) + "\n";
}

}  // namespace heed
