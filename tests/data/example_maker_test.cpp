#include "heed/data/example_maker.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "small_vocabulary.h"

namespace heed {
namespace {

using testing::error_of;
using testing::small_vocabulary;
using Ids = std::vector<int32_t>;
using Names = std::vector<std::string>;

class TaggedExamples : public ::testing::Test {
 protected:
  EncodedExamples examples_of(const PairView& pair, PairExamplesConfig config = {}) const {
    config.tags = SourceTags(vocabulary, {});
    EncodedExamples examples;
    PairExamples(vocabulary, vocabulary, config).add(pair, make_key(1), examples);
    return examples;
  }
  static Ids list(std::span<const int32_t> ids) { return {ids.begin(), ids.end()}; }

  const Vocabulary vocabulary = with_tags(small_vocabulary(), Names{"it", "legal"});
};

TEST_F(TaggedExamples, BeginWithTheTagOfTheirPair) {
  const PairView plain = {"ba ko", "ri"}, tagged = {"ba ko", "ri", "", 1, "legal"};
  const EncodedExamples without = examples_of(plain), with = examples_of(tagged);
  Ids expected = SourceTags(vocabulary, {}).ids_of("legal");
  for (const int32_t id : without.source(0)) expected.push_back(id);
  EXPECT_EQ(list(with.source(0)), expected);
  EXPECT_EQ(list(with.target(0)), list(without.target(0)));
  // Sampled pieces are those of the pair without the tag.
  const PairExamplesConfig sampling = {.source_sampling = 0.1, .target_sampling = 0.1};
  const EncodedExamples sampled = examples_of(tagged, sampling);
  EXPECT_EQ(list(sampled.source(0).subspan(1)), list(examples_of(plain, sampling).source(0)));
  EXPECT_EQ(error_of([&] {
              examples_of({"ba", "ko", "", 1, "law"});
            }),
            "the tag \"law\": the model has it, legal");
}

TEST_F(TaggedExamples, AreLinkedPastTheTag) {
  const PairView plain = {"ba ko", "ri", "0-0 1-0"}, tagged = {"ba ko", "ri", "0-0 1-0", 1, "it"};
  const PairExamplesConfig config = {.with_links = true};
  const EncodedExamples without = examples_of(plain, config), with = examples_of(tagged, config);
  ASSERT_EQ(with.links(0).size(), without.links(0).size());
  ASSERT_FALSE(with.links(0).empty());
  for (size_t i = 0; i < with.links(0).size(); ++i) {
    EXPECT_EQ(with.links(0)[i].source, without.links(0)[i].source + 1);
    EXPECT_EQ(with.links(0)[i].target, without.links(0)[i].target);
  }
}

TEST_F(TaggedExamples, CountTheTagAmongTheirTokens) {
  const auto tokens = static_cast<int64_t>(vocabulary.encode("ba ko").size()) + 1;
  const PairExamplesConfig config = {.max_length = tokens};
  EXPECT_EQ(examples_of({"ba ko", "ba"}, config).size(), 1u);
  EXPECT_EQ(examples_of({"ba ko", "ba", "", 1, "it"}, config).size(), 0u);
}

}  // namespace
}  // namespace heed
