// A line's translation is a function of the line: to the last digit of its scores, it is the same
// alone, in a batch of 200, joined late while others are being translated, and on any number of
// threads.
#include <gtest/gtest.h>

#include "heed/decoding/translator.h"
#include "heed/folders/model_folder.h"
#include "small_vocabulary.h"

namespace heed {
namespace {

using testing::made_up_word;
using testing::small_vocabulary;

using Lines = std::vector<std::string>;
using Found = std::vector<std::vector<Translation>>;

constexpr int64_t everything = 1'000'000;  // tokens of a batch

struct Case {
  const char* name;
  ModelConfig config;
  Precision precision;
};

void PrintTo(const Case& tested, std::ostream* out) { *out << tested.name; }

std::shared_ptr<const Generator> prepared_model(ModelConfig config, Precision precision) {
  set_vocabularies(config, small_vocabulary().size(), small_vocabulary().size());
  Rng rng(3);
  return make_model(config, rng)->prepare(precision);
}

// Of one to three words, to be quick.
Lines short_lines(uint64_t count) {
  Lines lines;
  for (uint64_t i = 0; i < count; ++i) {
    lines.push_back(made_up_word(i));
    for (uint64_t word = 0; word < i % 3; ++word) lines.back() += " " + made_up_word(i * i + word);
  }
  return lines;
}

Lines every(size_t step, const Lines& lines) {
  Lines chosen;
  for (size_t i = 0; i < lines.size(); i += step) chosen.push_back(lines[i]);
  return chosen;
}

Found every(size_t step, const Found& found) {
  Found chosen;
  for (size_t i = 0; i < found.size(); i += step) chosen.push_back(found[i]);
  return chosen;
}

void expect_same(const Found& found, const Found& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t line = 0; line < found.size(); ++line) {
    ASSERT_EQ(found[line].size(), expected[line].size()) << "line " << line;
    for (size_t rank = 0; rank < found[line].size(); ++rank) {
      const Translation &one = found[line][rank], &other = expected[line][rank];
      ASSERT_EQ(one.text, other.text) << "line " << line;
      ASSERT_EQ(one.hypothesis.ids, other.hypothesis.ids) << "line " << line;
      ASSERT_EQ(one.hypothesis.score, other.hypothesis.score) << "line " << line;
      ASSERT_EQ(one.hypothesis.log_probability, other.hypothesis.log_probability)
          << "line " << line;
    }
  }
}

class BatchesTest : public ::testing::TestWithParam<Case> {
 protected:
  BatchesTest() : model_(prepared_model(GetParam().config, GetParam().precision)) {}

  Found translate(const Lines& lines, int beam, int threads, int64_t batch_tokens) const {
    const Translator translator(model_, small_vocabulary(), small_vocabulary(),
                                {.threads = threads, .batch_tokens = batch_tokens});
    return translator.translate_n_best(lines, {.beam = beam, .n_best = beam, .max_length = 3});
  }

  std::shared_ptr<const Generator> model_;
};

TEST_P(BatchesTest, ChangeNothing) {
  const Lines lines = short_lines(200);
  for (const int beam : {1, 5}) {
    SCOPED_TRACE(beam);
    const Found together = translate(lines, beam, 1, everything);
    expect_same(translate(every(9, lines), beam, 1, 1), every(9, together));
    for (const int threads : {1, 2, 4, 8}) {
      SCOPED_TRACE(threads);
      expect_same(translate(lines, beam, threads, 60 * threads), together);
    }
  }
}

Case transformer(const char* name, Precision precision) {
  return {name,
          TransformerConfig{
              .encoder_layers = 1, .decoder_layers = 1, .width = 512, .ffn = 2048, .heads = 8},
          precision};
}

Case rnn(const char* name, Precision precision) {
  return {name, RnnConfig{.embedding = 272, .hidden = 288, .layers = 2}, precision};
}

INSTANTIATE_TEST_SUITE_P(Models, BatchesTest,
                         ::testing::Values(transformer("Transformer", Precision::float32),
                                           transformer("Int8Transformer", Precision::int8),
                                           rnn("Rnn", Precision::float32),
                                           rnn("Int8Rnn", Precision::int8)),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace heed
