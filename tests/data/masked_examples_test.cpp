#include "heed/data/masked_examples.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "small_word_pieces.h"

namespace heed {
namespace {

using testing::error_of;
using Ids = std::vector<int32_t>;

WordPieces pieces() { return WordPieces::from_json(testing::small_tokenizer_json()); }

// 300 tokens.
std::string text() {
  std::string made;
  for (int i = 0; i < 100; ++i) made += "the playing ";
  return made;
}

EncodedExamples examples_of(const std::string& text, const MaskedExamplesConfig& config,
                            uint64_t key = 1) {
  EncodedExamples examples;
  EXPECT_TRUE(MaskedExamples(pieces(), config).add({"whole", text}, make_key(key), examples));
  return examples;
}

// The text's own ids, with the missing ones put back.
Ids restored(const EncodedExamples& examples) {
  Ids all;
  for (size_t i = 0; i < examples.size(); ++i) {
    Ids ids(examples.source(i).begin(), examples.source(i).end());
    for (size_t t = 0; t < examples.target(i).size(); ++t)
      ids[static_cast<size_t>(examples.places(i)[t])] = examples.target(i)[t];
    EXPECT_EQ(ids.front(), 2);
    EXPECT_EQ(ids.back(), 3);
    all.insert(all.end(), ids.begin() + 1, ids.end() - 1);
  }
  return all;
}

TEST(MaskedExamples, WithWhatIsMissingAreTheText) {
  for (const bool varies : {false, true}) {
    const EncodedExamples found = examples_of(text(), {.context_length = 32, .varies = varies});
    EXPECT_EQ(restored(found), pieces().encode_unframed(text()));
    for (size_t i = 0; i < found.size(); ++i) EXPECT_LE(found.source(i).size(), 32u);
  }
}

TEST(MaskedExamples, AShareIsMissingAndMostOfThatIsMasked) {
  int64_t missing = 0, masked = 0, same = 0, tokens = 0;
  for (uint64_t key = 0; key < 40; ++key) {
    const EncodedExamples found = examples_of(text(), {.context_length = 100}, key);
    for (size_t i = 0; i < found.size(); ++i) {
      tokens += static_cast<int64_t>(found.source(i).size()) - 2;
      for (size_t t = 0; t < found.target(i).size(); ++t, ++missing) {
        const int32_t shown = found.source(i)[static_cast<size_t>(found.places(i)[t])];
        masked += shown == 4;
        same += shown == found.target(i)[t];
      }
    }
  }
  const auto share = [](int64_t part, int64_t all) {
    return static_cast<double>(part) / static_cast<double>(all);
  };
  // 12,000 tokens: deviations of 0.0033, 0.0094 and 0.0075.
  EXPECT_NEAR(share(missing, tokens), 0.15, 0.015);
  EXPECT_NEAR(share(masked, missing), 0.8 + 0.1 / 20, 0.04);
  EXPECT_NEAR(share(same, missing), 0.1 + 0.1 / 20, 0.03);
}

TEST(MaskedExamples, DependOnTheKeyAlone) {
  const MaskedExamplesConfig config = {.context_length = 32};
  const auto sources = [&](uint64_t key) {
    const EncodedExamples found = examples_of(text(), config, key);
    Ids all;
    for (size_t i = 0; i < found.size(); ++i)
      all.insert(all.end(), found.source(i).begin(), found.source(i).end());
    return all;
  };
  EXPECT_EQ(sources(1), sources(1));
  EXPECT_NE(sources(1), sources(2));
}

TEST(MaskedExamples, WordsAreSplitInOtherWaysInEachEpoch) {
  const MaskedExamplesConfig config = {.context_length = 100, .sampling = 0.5};
  Ids first;
  for (uint64_t key = 0; key < 20; ++key) {
    const Ids found = restored(examples_of("ab ab ab ab ab ab", config, key));
    EXPECT_GE(found.size(), 6u);
    EXPECT_LE(found.size(), 12u);
    if (key == 0) first = found;
    if (found != first) return;
  }
  FAIL() << "twenty times the same pieces";
}

TEST(MaskedExamples, EveryWindowMissesSomething) {
  for (uint64_t key = 0; key < 20; ++key) {
    const EncodedExamples found = examples_of("the", {.context_length = 8}, key);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.target(0).size(), 1u);
  }
  EXPECT_EQ(examples_of("", {.context_length = 8}).size(), 0u);
}

TEST(MaskedExamples, BatchesSayWhereTokensAreMissing) {
  const EncodedExamples found = examples_of(text(), {.context_length = 32, .varies = false});
  const Batch batch = make_batch(found, std::vector<uint32_t>{1, 0});
  ASSERT_EQ(batch.places.size(), batch.target.ids.size());
  for (size_t t = 0; t < found.target(1).size(); ++t)
    EXPECT_EQ(batch.places[t], found.places(1)[t]);
  const size_t second = found.target(1).size();
  EXPECT_EQ(batch.places[second], found.places(0)[0] + 32);
}

TEST(MaskedExamples, RefuseWhatCannotWork) {
  EXPECT_EQ(error_of([] { MaskedExamples(pieces(), {.context_length = 2}); }),
            "masked training: a context of 2 tokens but at least 3 were expected");
  EXPECT_EQ(error_of([] { MaskedExamples(pieces(), {.share = 0}); }),
            "masked training: a share of 0 but more than 0 and at most 1 was expected");
  std::string json = testing::small_tokenizer_json();
  for (size_t at = json.find("[MASK]"); at != json.npos; at = json.find("[MASK]"))
    json.replace(at, 6, "[GAP]");
  EXPECT_EQ(error_of([&] { MaskedExamples(WordPieces::from_json(json), {}); }),
            "masked training: the word pieces have no [MASK]");
}

}  // namespace
}  // namespace heed
