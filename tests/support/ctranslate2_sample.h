// A small pre-norm model with two layers, as CTranslate2 stores it.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>

#include "ctranslate2_maker.h"
#include "temporary_folder.h"
#include "tensors.h"

namespace heed::testing::ctranslate2_sample {

using Arrays = std::map<std::string, Tensor>;

inline constexpr int64_t width = 8, ffn = 12, source_words = 7, target_words = 6;

inline void add_linear(Arrays& arrays, const std::string& name, int64_t rows, int64_t columns) {
  arrays[name + "/weight"] = random_tensor({rows, columns}, arrays.size() + 1);
  arrays[name + "/bias"] = random_tensor({rows}, arrays.size() + 1);
}

inline void add_norm(Arrays& arrays, const std::string& name) {
  arrays[name + "/gamma"] = random_tensor({width}, arrays.size() + 1);
  arrays[name + "/beta"] = random_tensor({width}, arrays.size() + 1);
}

inline void add_layers(Arrays& arrays, const std::string& side, bool attends) {
  for (int i = 0; i < 2; ++i) {
    const std::string layer = fmt::format("{}/layer_{}/", side, i);
    add_linear(arrays, layer + "self_attention/linear_0", 3 * width, width);
    add_linear(arrays, layer + "self_attention/linear_1", width, width);
    add_norm(arrays, layer + "self_attention/layer_norm");
    if (attends) {
      add_linear(arrays, layer + "attention/linear_0", width, width);
      add_linear(arrays, layer + "attention/linear_1", 2 * width, width);
      add_linear(arrays, layer + "attention/linear_2", width, width);
      add_norm(arrays, layer + "attention/layer_norm");
    }
    add_linear(arrays, layer + "ffn/linear_0", ffn, width);
    add_linear(arrays, layer + "ffn/linear_1", width, ffn);
    add_norm(arrays, layer + "ffn/layer_norm");
  }
}

inline Arrays some_arrays() {
  Arrays arrays;
  arrays["encoder/embeddings/weight"] = random_tensor({source_words, width}, 91);
  arrays["decoder/embeddings/weight"] = random_tensor({target_words, width}, 92);
  add_layers(arrays, "encoder", false);
  add_layers(arrays, "decoder", true);
  add_norm(arrays, "encoder/layer_norm");
  add_norm(arrays, "decoder/layer_norm");
  add_linear(arrays, "decoder/projection", target_words, width);
  return arrays;
}

inline void write_model(const TemporaryFolder& folder, const Arrays& arrays, int16_t heads) {
  CTranslate2Maker file(6);
  file.integer(static_cast<uint32_t>(arrays.size() + 2));
  for (const auto& [name, array] : arrays) {
    std::vector<uint32_t> sizes;
    for (const int64_t size : array.shape().sizes()) sizes.push_back(static_cast<uint32_t>(size));
    const std::span<const float> values = array.span<float>();
    file.array<float>(name, sizes, 0, {values.begin(), values.end()});
  }
  file.array<int16_t>("encoder/num_heads", {}, 2, {heads});
  file.array<int16_t>("decoder/num_heads", {}, 2, {heads});
  file.integer(uint32_t{0});
  folder.put("model.bin", file.bytes());
}

inline void write_folder(const TemporaryFolder& folder) {
  folder.put("source_vocabulary.txt", "<blank>\n<s>\n</s>\na\nb\nc\nd\n");
  folder.put("target_vocabulary.txt", "<blank>\n<s>\n</s>\nx\ny\nz\n");
  write_model(folder, some_arrays(), 2);
}

}  // namespace heed::testing::ctranslate2_sample
