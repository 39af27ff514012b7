#include "heed/data/corpus_store.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "sample_text.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using testing::error_of;
using testing::made_up_sentence;
using testing::TemporaryFolder;

using Pairs = std::vector<std::pair<std::string, std::string>>;

void write(const std::string& path, const Pairs& pairs) {
  CorpusWriter writer(path, 10'000);
  for (const auto& [source, target] : pairs) writer.add(source, target);
  writer.commit();
}

Pairs read_all(const CorpusStore& store) {
  Pairs pairs;
  for (int64_t chunk = 0; chunk < store.chunks(); ++chunk) {
    EXPECT_EQ(store.first_pair(chunk), static_cast<int64_t>(pairs.size()));
    const CorpusChunk read = store.read(chunk);
    for (const PairView& pair : read.pairs) pairs.emplace_back(pair.source, pair.target);
  }
  return pairs;
}

TEST(CorpusStore, ReadsWhatWasWritten) {
  const TemporaryFolder folder;
  const Pairs few = {{"a", "b"}, {"", ""}, {std::string("nul\0inside", 10), "new\nline"}};
  Pairs many;
  for (uint64_t i = 0; i < 1000; ++i)
    many.emplace_back(made_up_sentence(i), made_up_sentence(i + 1));
  for (const Pairs& pairs : {Pairs{}, few, many}) {
    write(folder.path("corpus"), pairs);
    const CorpusStore store(folder.path("corpus"));
    EXPECT_EQ(store.pairs(), static_cast<int64_t>(pairs.size()));
    EXPECT_EQ(read_all(store), pairs);
    EXPECT_EQ(store.chunks() > 3, pairs.size() == many.size());
  }
}

TEST(CorpusStore, KeepsLinksWeightsAndTagsWithTheirPairs) {
  const TemporaryFolder folder;
  const std::vector<PairView> pairs = {{"a b", "c", "0-0 1-0"},    {"d", "e"},
                                       {"", "", "0-0", 0.5},       {"f", "g", "", 0},
                                       {"h", "i", "", 1, "legal"}, {"j", "k", "0-0", 2, "it"}};
  CorpusWriter writer(folder.path("corpus"));
  for (const PairView& pair : pairs) writer.add(pair);
  writer.commit();
  const CorpusChunk chunk = CorpusStore(folder.path("corpus")).read(0);
  ASSERT_EQ(chunk.pairs.size(), pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(chunk.pairs[i].source, pairs[i].source);
    EXPECT_EQ(chunk.pairs[i].target, pairs[i].target);
    EXPECT_EQ(chunk.pairs[i].links, pairs[i].links);
    EXPECT_EQ(chunk.pairs[i].weight, pairs[i].weight);
    EXPECT_EQ(chunk.pairs[i].tag, pairs[i].tag);
  }
}

TEST(CorpusStore, AChunkMayBeMoved) {
  const TemporaryFolder folder;
  write(folder.path("corpus"), {{"a", "b"}});
  CorpusChunk chunk = CorpusStore(folder.path("corpus")).read(0);
  const CorpusChunk moved = std::move(chunk);
  EXPECT_EQ(moved.pairs[0].source, "a");
  EXPECT_EQ(moved.pairs[0].target, "b");
}

TEST(CorpusStore, WithoutCommitThereIsNoFile) {
  const TemporaryFolder folder;
  CorpusWriter(folder.path("corpus")).add("a", "b");
  EXPECT_FALSE(std::filesystem::exists(folder.path("corpus")));
}

TEST(CorpusStore, EveryDamageIsNoticed) {
  const TemporaryFolder folder;
  CorpusWriter writer(folder.path("corpus"));
  writer.add("eins", "one");
  writer.add({"zwei", "two", "0-0", 2});
  writer.commit();
  const std::string whole = folder.text("corpus");
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] ^= 1;
    folder.put("damaged", damaged);
    EXPECT_NE(error_of([&] {
                const CorpusStore store(folder.path("damaged"));
                read_all(store);
              }),
              "(nothing was thrown)")
        << i;
    folder.put("cut", whole.substr(0, i));
    EXPECT_NE(error_of([&] { CorpusStore store(folder.path("cut")); }), "(nothing was thrown)")
        << i;
  }
}

TEST(CorpusStore, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto sentence = [&](const std::string& name) {
    return error_of([&] { CorpusStore store(folder.path(name)); });
  };
  EXPECT_EQ(sentence("none"), folder.path("none") + ": cannot be read: No such file or directory");
  folder.put("text", "a text file, but not a short one, so that it could be a corpus by its size");
  EXPECT_EQ(sentence("text"), folder.path("text") + ": is not a prepared corpus");
  folder.put("cut", "heedcrp1 and then something that was not written to its end");
  EXPECT_EQ(sentence("cut"), folder.path("cut") + ": the prepared corpus is not complete");
}

}  // namespace
}  // namespace heed
