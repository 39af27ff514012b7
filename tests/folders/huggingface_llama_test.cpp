#include "heed/folders/huggingface_llama.h"

#include <gtest/gtest.h>

#include <cmath>

#include "close.h"
#include "error_of.h"
#include "heed/base/json.h"
#include "heed/models/language_model.h"
#include "heed/weights/tensor_file.h"
#include "llama_folder.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::error_of;
using heed::testing::LlamaFolder;
using heed::testing::values_of;

TEST(HuggingFaceLlama, ReadsItsSettings) {
  const LlamaFolder folder;
  const ModelFolder read = load_model_folder(folder.path());
  const auto& config = std::get<LanguageModelConfig>(read.config);
  EXPECT_EQ(config.vocabulary, folder.vocabulary().size());
  EXPECT_EQ(config.layers, 2);
  EXPECT_EQ(config.width, 8);
  EXPECT_EQ(config.heads, 2);
  EXPECT_EQ(config.kv_heads, 1);
  EXPECT_EQ(config.ffn, 12);
  EXPECT_EQ(config.norm_epsilon, 1e-5);
  EXPECT_EQ(config.rotary_base, 500.0);
  EXPECT_EQ(config.context_length, 32);
  EXPECT_FALSE(config.tied);
  EXPECT_FALSE(config.bias);
  EXPECT_EQ(config.norm_kind, NormKind::rms);
  EXPECT_EQ(config.dropout, 0);
}

// By plain loops over the arrays as they are stored, with rotation by halves.
TEST(HuggingFaceLlama, ComputesWhatItsFolderSays) {
  const LlamaFolder folder;
  const ModelFolder read = load_model_folder(folder.path());
  const std::vector<int32_t> ids = {7, 20, 9, 33};  // ours
  Tape tape({.record = false});
  const Tensor found =
      logits(tape, *read.model, {{}, join_sentences(std::vector<std::vector<int32_t>>{ids})})
          .value();
  std::vector<int32_t> theirs = {read.target.model_id(read.target.start())};
  for (size_t i = 0; i + 1 < ids.size(); ++i) theirs.push_back(read.target.model_id(ids[i]));
  const std::vector<std::vector<double>> expected = folder.logits(theirs);
  for (size_t row = 0; row < ids.size(); ++row)
    for (int32_t id = 0; id < read.target.size(); ++id)
      ASSERT_NEAR(found.matrix<float>()(static_cast<int64_t>(row), id),
                  expected[row][static_cast<size_t>(read.target.model_id(id))], 1e-5);
}

TEST(HuggingFaceLlama, BecomesAModelOfHeed) {
  const LlamaFolder folder;
  const ModelFolder read = load_model_folder(folder.path());
  const heed::testing::TemporaryFolder saved;
  save_model_folder(saved.path(""), read);
  const ModelFolder again = load_model_folder(saved.path(""));
  EXPECT_EQ(again.config, read.config);
  const std::vector<Parameter> before = parameters_of(*read.model),
                               after = parameters_of(*again.model);
  ASSERT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(values_of(before[i].value), values_of(after[i].value)) << before[i].name;
}

TEST(HuggingFaceLlama, RefusesWhatItCannotHonourByName) {
  const LlamaFolder folder;
  const std::string file = (folder.path() / "config.json").string();
  const auto refusal = [&](const char* name, const JsonValue& value) {
    folder.write_config(name, value);
    return error_of([&] { load_model_folder(folder.path()); });
  };
  EXPECT_EQ(refusal("model_type", "gpt_neox"),
            file + ": \"model_type\" is \"gpt_neox\" but \"llama\" was expected");
  EXPECT_EQ(refusal("hidden_act", "gelu"),
            file + ": \"hidden_act\" is \"gelu\" but \"silu\" was expected");
  EXPECT_EQ(refusal("attention_bias", true),
            file + ": \"attention_bias\" is true but false was expected");
  EXPECT_EQ(refusal("mlp_bias", true), file + ": \"mlp_bias\" is true but false was expected");
  EXPECT_EQ(
      refusal("rope_scaling", JsonValue::parse(R"({"type":"linear","factor":2.0})")),
      file + ": \"rope_scaling\" is {\"factor\":2.0,\"type\":\"linear\"} but null was expected");
  EXPECT_EQ(refusal("rope_parameters", JsonValue::parse(R"({"rope_type":"yarn"})")),
            file +
                ": \"rope_parameters\" is {\"rope_type\":\"yarn\"} but the rope_type "
                "\"default\" was expected");
  EXPECT_EQ(refusal("head_dim", 16),
            file + ": \"head_dim\" is 16 but 4, the width by the heads, was expected");
  EXPECT_EQ(refusal("eos_token_id", 9),
            file + ": \"eos_token_id\" is 9 but 2, as in tokenizer.model, was expected");
  EXPECT_EQ(refusal("hidden_size", "8"),
            file + ": \"hidden_size\" is \"8\" but a number from 0 to 268435456 was expected");
  EXPECT_EQ(refusal("hidden_size", JsonValue()), file + ": the setting \"hidden_size\" is missing");
  EXPECT_EQ(refusal("num_attention_heads", 3),
            file + ": language model: 3 heads do not divide a width of 8");
  EXPECT_EQ(refusal("vocab_size", 7),
            (folder.path() / "tokenizer.model").string() +
                fmt::format(": {} tokens with the start and the end of a text, but config.json "
                            "has 7",
                            folder.vocabulary().size()));
}

TEST(HuggingFaceLlama, RefusesArraysThatAreMissingOrUnknown) {
  const LlamaFolder folder;
  const std::string file = (folder.path() / "model.safetensors").string();
  const auto refusal = [&] { return error_of([&] { load_model_folder(folder.path()); }); };
  folder.write_weights("model.norm.weight", "model.norm.gain");
  EXPECT_EQ(refusal(), file + ": array \"model.norm.weight\" is missing");
  folder.write_weights("", "model.layers.0.self_attn.q_proj.bias");
  EXPECT_EQ(refusal(),
            file + ": array \"model.layers.0.self_attn.q_proj.bias\" is not one of a Llama model");
  folder.write_weights("", "model.layers.0.self_attn.rotary_emb.inv_freq");
  EXPECT_EQ(refusal(), "(nothing was thrown)");
}

TEST(HuggingFaceLlama, ReadsTheNewerPlaceOfTheRotaryBase) {
  const LlamaFolder folder;
  folder.write_config("rope_parameters",
                      JsonValue::parse(R"({"rope_type":"default","rope_theta":77.0})"));
  EXPECT_EQ(std::get<LanguageModelConfig>(load_model_folder(folder.path()).config).rotary_base, 77);
}

}  // namespace
}  // namespace heed
