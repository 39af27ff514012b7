// Translators to write in the formats of other tools, and whether they come back as they were.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/folders/model_folder.h"
#include "small_vocabulary.h"
#include "tensors.h"

namespace heed::testing {

// With random numbers everywhere, also where training starts with zeros or ones.
inline ModelFolder small_translator(TransformerConfig config,
                                    const Vocabulary& vocabulary = small_vocabulary()) {
  config.source_vocabulary = config.target_vocabulary = vocabulary.size();
  config.encoder_layers = 2;
  config.decoder_layers = 1;
  config.width = 8;
  config.ffn = 12;
  config.heads = 2;
  Rng rng(3);
  std::unique_ptr<Model> model = make_model(config, rng);
  uint64_t seed = 0;
  model->visit_parameters({}, [&](const std::string&, Tensor& value) {
    value.copy_from(random_tensor(value.shape(), ++seed));
  });
  return {config, std::move(model), vocabulary, vocabulary};
}

inline void expect_same_model(const ModelFolder& found, const ModelFolder& expected) {
  const auto& a = std::get<TransformerConfig>(found.config);
  const auto& b = std::get<TransformerConfig>(expected.config);
  EXPECT_EQ(a.tied, b.tied);
  EXPECT_EQ(a.norm, b.norm);
  EXPECT_EQ(a.positions, b.positions);
  EXPECT_EQ(a.heads, b.heads);
  EXPECT_EQ(a.activation, b.activation);
  EXPECT_EQ(a.gated, b.gated);
  EXPECT_EQ(a.source_end, b.source_end);
  EXPECT_TRUE(found.source.same_ids(expected.source));
  EXPECT_TRUE(found.target.same_ids(expected.target));
  const std::vector<Parameter> after = parameters_of(*found.model),
                               before = parameters_of(*expected.model);
  ASSERT_EQ(after.size(), before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].name, before[i].name);
    EXPECT_EQ(values_of(after[i].value), values_of(before[i].value)) << before[i].name;
  }
}

}  // namespace heed::testing
