// A small Marian model to test with: random weights, as settings ask for them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "heed/data/vocabulary.h"
#include "marian_maker.h"
#include "temporary_folder.h"
#include "tensors.h"

namespace heed::testing::marian_sample {

inline constexpr int64_t width = 8, ffn = 12, words = 6;

using Settings = std::map<std::string, std::string>;

inline Settings post_norm() {
  return {{"type", "transformer"},
          {"version", "v1.12.43 test"},
          {"dim-emb", "8"},
          {"enc-depth", "1"},
          {"dec-depth", "2"},
          {"transformer-dim-ffn", "12"},
          {"transformer-heads", "2"},
          {"transformer-ffn-activation", "relu"},
          {"tied-embeddings-all", "true"},
          {"dim-vocabs", "[6, 6]"},
          {"transformer-preprocess", "\"\""},
          {"transformer-postprocess", "dan"}};
}

inline Settings pre_norm() {
  Settings settings = post_norm();
  settings["transformer-preprocess"] = "n";
  settings["transformer-postprocess"] = "da";
  settings["transformer-postprocess-top"] = "n";
  return settings;
}

inline Settings ssru() {
  Settings settings = post_norm();
  settings["transformer-decoder-autoreg"] = "rnn";
  settings["dec-cell"] = "ssru";
  return settings;
}

inline std::string yaml_of(const Settings& settings) {
  std::string yaml;
  for (const auto& [name, value] : settings) yaml += name + ": " + value + "\n";
  return yaml;
}

class Weights {
 public:
  explicit Weights(const Settings& settings) : settings_(settings) {
    made.settings(yaml_of(settings));
    add("Wemb", {words, width});
    add("decoder_ff_logit_out_b", {1, words});
    const bool recurrent = value("transformer-decoder-autoreg") == "rnn";
    layer("encoder_l1", "self", false);
    for (const char* number : {"decoder_l1", "decoder_l2"})
      layer(number, recurrent ? "rnn" : "self", true);
    if (value("transformer-postprocess-top") == "n") {
      norm("encoder_top", "");
      norm("decoder_top", "");
    }
  }

  MarianMaker made;

 private:
  std::string value(const std::string& name) const {
    const auto found = settings_.find(name);
    return found == settings_.end() ? "" : found->second;
  }
  std::string ending() const { return value("transformer-preprocess") == "n" ? "_pre" : ""; }

  void add(const std::string& name, std::vector<int64_t> sizes) {
    const Tensor numbers = random_tensor(Shape(std::span<const int64_t>(sizes)), ++seed_);
    const auto span = numbers.span<float>();
    made.floats(name, std::move(sizes), {span.begin(), span.end()});
  }
  void norm(const std::string& prefix, const std::string& suffix) {
    add(prefix + "_ln_scale" + suffix, {1, width});
    add(prefix + "_ln_bias" + suffix, {1, width});
  }
  void attention(const std::string& prefix) {
    for (const char* part : {"q", "k", "v", "o"}) {
      add(prefix + "_W" + part, {width, width});
      add(prefix + "_b" + part, {1, width});
    }
    norm(prefix + "_Wo", ending());
  }
  void layer(const std::string& name, const std::string& past, bool decoder) {
    if (past == "self") {
      attention(name + "_self");
    } else {
      add(name + "_rnn_W", {width, width});
      add(name + "_rnn_Wf", {width, width});
      add(name + "_rnn_bf", {1, width});
      norm(name + (ending().empty() ? "_rnn_ffn" : "_rnn"), ending());
    }
    if (decoder) attention(name + "_context");
    add(name + "_ffn_W1", {width, ffn});
    add(name + "_ffn_b1", {1, ffn});
    add(name + "_ffn_W2", {ffn, width});
    add(name + "_ffn_b2", {1, width});
    norm(name + "_ffn_ffn", ending());
  }

  Settings settings_;
  uint64_t seed_ = 0;
};

inline constexpr const char* word_list =
    "</s>: 0\n<unk>: 1\na: 2\n\"b\": 3\nc: 4\n\"\\u00e4\": 5\n";

inline void write_folder(const TemporaryFolder& folder, const Settings& settings = post_norm(),
                         bool binary = false) {
  const Weights weights(settings);
  folder.put(binary ? "model.bin" : "model.npz",
             binary ? weights.made.binary() : weights.made.npz());
  folder.put("vocab.yml", word_list);
  folder.put("decoder.yml", fmt::format("models: [{}]\nvocabs: [vocab.yml, vocab.yml]\n"
                                        "beam-size: 4\nnormalize: 0.6\nword-penalty: 0.1\n",
                                        binary ? "model.bin" : "model.npz"));
}

}  // namespace heed::testing::marian_sample
