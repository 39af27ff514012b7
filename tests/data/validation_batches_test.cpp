#include "heed/data/validation_batches.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/data/vocabulary_training.h"
#include "sample_text.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using testing::made_up_sentence;

TEST(ValidationBatches, HaveEveryPairOnceWithItsNumber) {
  const testing::TemporaryFolder folder;
  CorpusWriter writer(folder.path("corpus"));
  for (uint64_t i = 0; i < 300; ++i) writer.add(made_up_sentence(i), made_up_sentence(i + 1000));
  writer.commit();
  const CorpusStore store(folder.path("corpus"));
  const Vocabulary vocabulary = train_vocabulary(
      {.kind = VocabularyKind::characters}, [next = uint64_t{0}](std::string& sentence) mutable {
        sentence = made_up_sentence(next++);
        return next < 1000;
      });
  for (const int64_t tokens : {1, 100, 1000, 1000000}) {
    std::vector<bool> seen(300);
    int64_t longest = 0;
    for (const ValidationBatch& batch : validation_batches(
             store, PairExamples(vocabulary, vocabulary, {.max_length = 1000}), tokens)) {
      ASSERT_EQ(batch.batch.sentences(), static_cast<int64_t>(batch.examples.size()));
      int64_t sum = 0;
      for (int64_t i = 0; i < batch.batch.sentences(); ++i) {
        const auto pair = static_cast<uint64_t>(batch.examples[static_cast<size_t>(i)]);
        seen[pair] = true;
        EXPECT_EQ(vocabulary.decode(batch.batch.source.sentence(i)), made_up_sentence(pair));
        EXPECT_EQ(vocabulary.decode(batch.batch.target.sentence(i)), made_up_sentence(pair + 1000));
        const int64_t length =
            std::max(batch.batch.source.layout.length(i), batch.batch.target.layout.length(i));
        EXPECT_GE(length, longest);
        longest = length;
        sum += length;
      }
      EXPECT_TRUE(sum <= tokens || batch.examples.size() == 1);
    }
    EXPECT_EQ(std::ranges::count(seen, true), 300);
  }
  EXPECT_EQ(testing::error_of(
                [&] { validation_batches(store, PairExamples(vocabulary, vocabulary), 0); }),
            "validation: batches of 0 tokens but at least 1 was expected");
  for (const ValidationBatch& batch :
       validation_batches(store, PairExamples(vocabulary, vocabulary, {.max_length = 50}), 1000)) {
    EXPECT_LE(batch.batch.source.layout.longest(), 50);
    EXPECT_LE(batch.batch.target.layout.longest(), 50);
  }
}

}  // namespace
}  // namespace heed
