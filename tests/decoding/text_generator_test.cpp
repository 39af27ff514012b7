#include "heed/decoding/text_generator.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/autograd/tape.h"
#include "small_language_model.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::small_language_model;
using heed::testing::small_vocabulary;

using Ids = std::vector<int32_t>;

TextGenerator generator(int threads = 1, Precision precision = Precision::float32) {
  return TextGenerator(small_language_model().model->prepare(precision), small_vocabulary(),
                       {.threads = threads});
}

// The likeliest tokens, from passes over the whole text.
Ids likeliest(const Model& model, Ids text, size_t count) {
  Ids found;
  while (found.size() < count) {
    Ids target(text.begin() + 1, text.end());
    target.push_back(0);
    Tape tape({.record = false});
    const Tensor scores =
        logits(tape, model, {{}, join_sentences(std::vector<Ids>{target})}).value();
    const auto row = scores.row<float>(scores.shape()[0] - 1);
    found.push_back(static_cast<int32_t>(std::ranges::max_element(row) - row.begin()));
    if (found.back() == Vocabulary::end) break;
    text.push_back(found.back());
  }
  return found;
}

TEST(TextGenerator, TakesTheLikeliestTokens) {
  const TextGenerator model = generator();
  const std::vector<Continuation> found =
      model.generate({.prompt = "ba ko", .options = {.max_tokens = 6}});
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].ids, likeliest(*small_language_model().model, model.prompt_ids("ba ko"), 6));
  EXPECT_EQ(found[0].ending, Ending::length);
}

TEST(TextGenerator, BeginsAPromptWithTheStartToken) {
  Ids expected = small_vocabulary().encode("ba ko");
  expected.insert(expected.begin(), small_vocabulary().start());
  EXPECT_EQ(generator().prompt_ids("ba ko"), expected);
}

TEST(TextGenerator, FillsTheContextAndNoMore) {
  const TextGenerator model = generator();
  const size_t prompt = model.prompt_ids("ba ko").size();
  const std::vector<Continuation> found = model.generate({.prompt = "ba ko"});
  EXPECT_EQ(found[0].ending, Ending::length);
  EXPECT_EQ(prompt + found[0].ids.size(), 24);
  EXPECT_EQ(model.generate({.prompt = "ba ko", .options = {.max_tokens = 1}})[0].ids.size(), 1);
}

TEST(TextGenerator, RefusesPromptsThatCannotBeContinued) {
  const TextGenerator model = generator();
  EXPECT_EQ(error_of([&] { model.generate({.prompt = ""}); }),
            "generate: the prompt is empty, but a text to continue was expected");
  std::string prompt;
  while (small_vocabulary().encode(prompt).size() < 23) prompt += "ba ";
  EXPECT_EQ(error_of([&] { model.generate({.prompt = prompt}); }),
            fmt::format("generate: the prompt has {} tokens with its start, which leaves no room "
                        "in a context of 24",
                        small_vocabulary().encode(prompt).size() + 1));
}

TEST(TextGenerator, RefusesOptionsThatCannotBe) {
  const auto refusal = [](const GenerationOptions& options) {
    return error_of([&] { generator().generate({.prompt = "ba", .options = options}); });
  };
  EXPECT_EQ(refusal({.samples = 2}),
            "generate: 2 samples, but the likeliest continuation is only one");
  EXPECT_EQ(refusal({.sampling = Sampling(), .beam = 2}),
            "generate: either samples or a beam of 2, not both");
  EXPECT_EQ(refusal({.max_tokens = 0}),
            "generate: a maximum of 0 tokens but at least 1 was expected");
  EXPECT_EQ(refusal({.stops = {""}}), "generate: a stop text is empty");
}

TEST(TextGenerator, EndsAtAStopText) {
  const TextGenerator model = generator();
  const Continuation whole = model.generate({.prompt = "ba ko", .options = {.max_tokens = 8}})[0];
  ASSERT_GE(whole.text.size(), 4);
  const std::string stop = whole.text.substr(whole.text.size() / 2, 2);
  for (const int beam : {1, 2}) {
    const Continuation cut = model.generate(
        {.prompt = "ba ko", .options = {.beam = beam, .max_tokens = 8, .stops = {stop}}})[0];
    if (beam == 1) {
      EXPECT_EQ(cut.text, whole.text.substr(0, whole.text.find(stop)));
      EXPECT_EQ(cut.ending, Ending::stop);
      EXPECT_LE(cut.ids.size(), whole.ids.size());
    }
    EXPECT_EQ(cut.text.find(stop), std::string::npos);
  }
}

TEST(TextGenerator, ShowsATextAsItGrows) {
  const TextGenerator model = generator();
  std::string seen;
  int calls = 0;
  GenerationRequest request = {.prompt = "ba ko", .options = {.max_tokens = 8}};
  request.on_text = [&](std::string_view text) { seen += text, ++calls; };
  EXPECT_EQ(model.generate(std::move(request))[0].text, seen);
  EXPECT_GT(calls, 1);
}

// Whatever the threads, the batch mates and the moment of joining: tolerance 0.
TEST(TextGenerator, ContinuationsDoNotDependOnOthers) {
  const std::vector<std::string> prompts = {"ba", "ba ko", "ri ri ba", "ko ba", "ba ko"};
  for (const Precision precision : {Precision::float32, Precision::int8}) {
    const GenerationOptions options = {
        .sampling = Sampling{.top_k = 20, .seed = 3}, .samples = 3, .max_tokens = 7};
    std::vector<std::vector<Continuation>> alone;
    const TextGenerator one = generator(1, precision);
    for (const std::string& prompt : prompts)
      alone.push_back(one.generate({.prompt = prompt, .options = options}));
    for (const int threads : {1, 2, 4}) {
      const TextGenerator many = generator(threads, precision);
      std::vector<std::future<std::vector<Continuation>>> results;
      for (const std::string& prompt : prompts)
        results.push_back(many.submit({.prompt = prompt, .options = options}));
      for (size_t i = 0; i < prompts.size(); ++i) {
        const std::vector<Continuation> found = results[i].get();
        ASSERT_EQ(found.size(), 3);
        for (size_t s = 0; s < 3; ++s) {
          EXPECT_EQ(found[s].ids, alone[i][s].ids);
          EXPECT_EQ(found[s].log_probability, alone[i][s].log_probability);
        }
      }
    }
  }
}

TEST(TextGenerator, SamplesDependOnTheWholePromptAndTheSeed) {
  const TextGenerator model = generator();
  const auto ids = [&](const std::string& prompt, uint64_t seed) {
    return model
        .generate({.prompt = prompt,
                   .options = {.sampling = Sampling{.seed = seed}, .max_tokens = 12}})[0]
        .ids;
  };
  EXPECT_EQ(ids("ba", 1), ids("ba", 1));
  EXPECT_NE(ids("ba", 1), ids("ba", 2));
}

TEST(TextGenerator, NeedsALanguageModel) {
  const heed::testing::TemporaryFolder folder;
  ModelConfig config =
      TransformerConfig{.encoder_layers = 1, .decoder_layers = 1, .width = 8, .ffn = 8, .heads = 2};
  set_vocabularies(config, small_vocabulary().size(), small_vocabulary().size());
  Rng rng(1);
  save_model_folder(folder.path(""),
                    {config, make_model(config, rng), small_vocabulary(), small_vocabulary()});
  EXPECT_EQ(
      error_of([&] { TextGenerator::load(folder.path("")); }),
      folder.path("") + ": is a model of the kind transformer, but a language model was expected");
}

}  // namespace
}  // namespace heed
