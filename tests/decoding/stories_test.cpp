// A real language model, as Hugging Face's tools publish it, gives what its makers' code gives. The
// model is not part of the project; without it, these tests are skipped.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "external_data.h"
#include "heed/autograd/tape.h"
#include "heed/base/json.h"
#include "heed/decoding/scoring.h"
#include "heed/decoding/text_generator.h"
#include "heed/folders/model_folder.h"
#include "heed/models/model.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::TemporaryFolder;
using Ids = std::vector<int32_t>;

class Stories : public ::testing::Test {
 protected:
  void SetUp() override {
    std::error_code ignored;
    if (!std::filesystem::exists(folder / "golden.json", ignored))
      GTEST_SKIP() << folder.string() << " is not there";
    golden = JsonValue::parse(std::ifstream(folder / "golden.json"));
    ASSERT_EQ(golden.size(), 10);
  }

  // In the model's own numbers.
  static Ids model_ids(const Vocabulary& vocabulary, Ids ids) {
    for (int32_t& id : ids) id = vocabulary.model_id(id);
    return ids;
  }

  void expect_golden_continuations(const std::filesystem::path& model) const {
    const TextGenerator generator = TextGenerator::load(model);
    for (const JsonValue& one : golden) {
      const auto prompt = one["text"].get<std::string>();
      SCOPED_TRACE(prompt);
      EXPECT_EQ(model_ids(generator.vocabulary(), generator.prompt_ids(prompt)),
                one["ids"].get<Ids>());
      const std::vector<Continuation> found =
          generator.generate({.prompt = prompt, .options = {.max_tokens = 48}});
      ASSERT_EQ(found.size(), 1);
      EXPECT_EQ(model_ids(generator.vocabulary(), found.front().ids),
                one["continuation"].get<Ids>());
      EXPECT_EQ(found.front().ending, Ending::length);
    }
  }

  std::filesystem::path folder = heed::testing::external_data("stories15m");
  JsonValue golden;
};

TEST_F(Stories, ContinuesAsItsGoldenTextsDo) { expect_golden_continuations(folder); }

TEST_F(Stories, ContinuesTheSameWhenItIsSavedAsAModelOfHeed) {
  const TemporaryFolder temporary;
  save_model_folder(temporary.path(""), load_model_folder(folder));
  expect_golden_continuations(temporary.path(""));
}

TEST_F(Stories, GivesItsTokensTheirGoldenLogProbabilities) {
  const ModelFolder loaded = load_model_folder(folder);
  for (const JsonValue& one : golden) {
    const auto text = one["text"].get<std::string>();
    SCOPED_TRACE(text);
    const std::vector<Ids> ids = {loaded.target.encode(text)};
    const std::vector<TokenScores> found = score_pairs(*loaded.model, {{}, join_sentences(ids)});
    const auto expected = one["log_probabilities"].get<std::vector<double>>();
    ASSERT_EQ(found.front().size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(found.front()[i], expected[i], 1e-4) << i;
  }
}

// The golden weights are those of all tokens of the prompt, the start token first.
TEST_F(Stories, AttendsAsItsGoldenWeightsDo) {
  const ModelFolder loaded = load_model_folder(folder);
  Ids ids = loaded.target.encode(golden[0]["text"].get<std::string>());
  ids.push_back(Vocabulary::end);  // what is predicted last, and not read
  Tape tape({.record = false});
  AttentionRecorder recorder;
  (void)loaded.model->recorded_features(tape, {{}, join_sentences(std::vector<Ids>{ids})},
                                        &recorder);
  const JsonValue& layers = golden[0]["attention"];
  ASSERT_EQ(recorder.attentions().size(), layers.size());
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    const Tensor& weights = recorder.attentions()[layer].weights;
    const auto expected = layers[layer].get<std::vector<std::vector<std::vector<double>>>>();
    const auto tokens = static_cast<int64_t>(ids.size());
    ASSERT_EQ(weights.shape(), (Shape{1, static_cast<int64_t>(expected.size()), tokens, tokens}));
    int64_t at = 0;
    for (const auto& head : expected)
      for (const auto& query : head)
        for (const double weight : query) ASSERT_NEAR(weights[at++], weight, 1e-4) << layer;
  }
}

}  // namespace
}  // namespace heed
