// A small Llama folder as Hugging Face's tools write it, with random weights, and what it computes
// in plain loops.
#pragma once

#include <sentencepiece_trainer.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/base/random.h"
#include "heed/data/vocabulary.h"
#include "heed/weights/tensor_file.h"
#include "sample_text.h"
#include "temporary_folder.h"

namespace heed::testing {

class MadeUpSentences final : public sentencepiece::SentenceIterator {
 public:
  bool done() const override { return next_ == 300; }
  void Next() override { sentence_ = made_up_sentence(++next_); }
  const std::string& value() const override { return sentence_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  uint64_t next_ = 0;
  std::string sentence_ = made_up_sentence(0);
};

class LlamaFolder {
 public:
  LlamaFolder() : vocabulary_(Vocabulary::from_bytes(tokenizer())) {
    std::ofstream(path() / "tokenizer.model", std::ios::binary) << vocabulary_.bytes();
    make_weights();
    write_weights();
    write_config();
  }

  std::filesystem::path path() const { return folder_.path(""); }
  const Vocabulary& vocabulary() const { return vocabulary_; }

  // With another value of one setting.
  void write_config(const std::string& name = "", const JsonValue& value = {}) const {
    JsonValue config = JsonValue::parse(R"({
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 8,
        "intermediate_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2,
        "num_key_value_heads": 1, "max_position_embeddings": 32, "rms_norm_eps": 1e-05,
        "rope_theta": 500.0, "hidden_act": "silu", "tie_word_embeddings": false,
        "bos_token_id": 1, "eos_token_id": 2, "rope_scaling": null})");
    config["vocab_size"] = vocabulary_.size();
    if (!name.empty()) config[name] = value;
    std::ofstream(path() / "config.json") << config.dump();
  }

  // Without one of the arrays, and with one more.
  void write_weights(const std::string& missing = "", const std::string& added = "") const {
    TensorFileWriter writer;
    for (const auto& [name, values] : weights_)
      if (name != missing) writer.add(name, values);
    if (!added.empty()) writer.add(added, Tensor::zeros({8}));
    writer.save(path() / "model.safetensors");
  }

  // Of the token after each of these, all in the folder's own numbers.
  std::vector<std::vector<double>> logits(const std::vector<int32_t>& ids) const {
    std::vector<Row> x;
    for (const int32_t id : ids) x.push_back(row_of("model.embed_tokens.weight", id));
    for (int layer = 0; layer < 2; ++layer) add_layer(x, fmt::format("model.layers.{}.", layer));
    std::vector<Row> scores;
    for (const Row& token : x)
      scores.push_back(product("lm_head.weight", normalised(token, "model.norm.weight")));
    return scores;
  }

 private:
  using Row = std::vector<double>;
  static constexpr size_t width = 8, heads = 2, head_width = 4;

  // Its start, end and unknown tokens have the numbers of Llama's.
  static std::string tokenizer() {
    MadeUpSentences sentences;
    std::string bytes;
    const auto status = sentencepiece::SentencePieceTrainer::Train({{"vocab_size", "100"},
                                                                    {"model_type", "bpe"},
                                                                    {"unk_id", "0"},
                                                                    {"bos_id", "1"},
                                                                    {"eos_id", "2"},
                                                                    {"minloglevel", "2"}},
                                                                   &sentences, &bytes);
    require(status.ok(), "tokenizer: {}", status.message());
    return bytes;
  }

  void make_weights() {
    Rng rng(3);
    const auto add = [&](const std::string& name, const Shape& shape, double offset = 0) {
      Tensor values = Tensor::uninitialised(shape);
      for (float& value : values.span<float>())
        value = static_cast<float>(offset + 0.4 * rng.normal());
      weights_.emplace(name, values);
    };
    add("model.embed_tokens.weight", {vocabulary_.size(), 8});
    add("lm_head.weight", {vocabulary_.size(), 8});
    add("model.norm.weight", {8}, 1);
    for (int layer = 0; layer < 2; ++layer) {
      const std::string in = fmt::format("model.layers.{}.", layer);
      add(in + "input_layernorm.weight", {8}, 1);
      add(in + "post_attention_layernorm.weight", {8}, 1);
      add(in + "self_attn.q_proj.weight", {8, 8});
      add(in + "self_attn.k_proj.weight", {4, 8});
      add(in + "self_attn.v_proj.weight", {4, 8});
      add(in + "self_attn.o_proj.weight", {8, 8});
      add(in + "mlp.gate_proj.weight", {12, 8});
      add(in + "mlp.up_proj.weight", {12, 8});
      add(in + "mlp.down_proj.weight", {8, 12});
    }
  }

  Row row_of(const std::string& name, int32_t row) const {
    const auto found = weights_.at(name).row<float>(row);
    return {found.begin(), found.end()};
  }

  Row product(const std::string& name, const Row& x) const {
    const Tensor& weight = weights_.at(name);
    Row y(static_cast<size_t>(weight.shape()[0]), 0.0);
    for (size_t r = 0; r < y.size(); ++r)
      for (size_t c = 0; c < x.size(); ++c)
        y[r] += weight[static_cast<int64_t>(r * x.size() + c)] * x[c];
    return y;
  }

  Row normalised(Row x, const std::string& name) const {
    double square = 0;
    for (const double value : x) square += value * value / static_cast<double>(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      x[i] *= weights_.at(name)[static_cast<int64_t>(i)] / std::sqrt(square + 1e-5);
    return x;
  }

  // Of each head, element i with the one half a head further.
  static void rotate(Row& x, size_t position) {
    constexpr size_t half = head_width / 2;
    for (size_t head = 0; head < x.size(); head += head_width)
      for (size_t i = 0; i < half; ++i) {
        const double angle =
            static_cast<double>(position) /
            std::pow(500.0, 2.0 * static_cast<double>(i) / static_cast<double>(head_width));
        const double a = x[head + i], b = x[head + i + half];
        x[head + i] = a * std::cos(angle) - b * std::sin(angle);
        x[head + i + half] = b * std::cos(angle) + a * std::sin(angle);
      }
  }

  // The one head of keys and values serves both heads.
  static Row attend(const Row& query, const std::vector<Row>& keys,
                    const std::vector<Row>& values) {
    Row found(width, 0.0);
    for (size_t head = 0; head < heads; ++head) {
      Row weights;
      double sum = 0;
      for (const Row& key : keys) {
        double score = 0;
        for (size_t i = 0; i < head_width; ++i) score += query[head * head_width + i] * key[i];
        weights.push_back(std::exp(score / std::sqrt(static_cast<double>(head_width))));
        sum += weights.back();
      }
      for (size_t k = 0; k < values.size(); ++k)
        for (size_t i = 0; i < head_width; ++i)
          found[head * head_width + i] += weights[k] / sum * values[k][i];
    }
    return found;
  }

  void add_layer(std::vector<Row>& x, const std::string& in) const {
    const auto add_to = [](Row& sum, const Row& more) {
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
    };
    std::vector<Row> keys, values;
    for (size_t t = 0; t < x.size(); ++t) {
      const Row tokens = normalised(x[t], in + "input_layernorm.weight");
      Row query = product(in + "self_attn.q_proj.weight", tokens);
      keys.push_back(product(in + "self_attn.k_proj.weight", tokens));
      values.push_back(product(in + "self_attn.v_proj.weight", tokens));
      rotate(query, t);
      rotate(keys.back(), t);
      add_to(x[t], product(in + "self_attn.o_proj.weight", attend(query, keys, values)));
    }
    for (Row& token : x) {
      const Row read = normalised(token, in + "post_attention_layernorm.weight");
      Row hidden = product(in + "mlp.gate_proj.weight", read);
      const Row up = product(in + "mlp.up_proj.weight", read);
      for (size_t i = 0; i < hidden.size(); ++i)
        hidden[i] = hidden[i] / (1 + std::exp(-hidden[i])) * up[i];
      add_to(token, product(in + "mlp.down_proj.weight", hidden));
    }
  }

  TemporaryFolder folder_;
  Vocabulary vocabulary_;
  std::map<std::string, Tensor> weights_;
};

}  // namespace heed::testing
