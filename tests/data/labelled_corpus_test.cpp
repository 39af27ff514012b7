#include "heed/data/labelled_corpus.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using testing::error_of;
using testing::TemporaryFolder;

TEST(LabelledCorpus, HoldsTheTextsOfAllFilesWithTheirLabels) {
  const TemporaryFolder folder;
  folder.put("a.tsv", "good\tfine film\nbad\tdull\n");
  folder.put("b.jsonl",
             "{\"text\": \"so so\", \"labels\": [\"bad\", \"good\"]}\n"
             "{\"text\": \"none\", \"labels\": []}\n");
  EXPECT_EQ(
      prepare_labelled({folder.path("a.tsv"), folder.path("b.jsonl")}, folder.path("c")).texts, 4);
  const CorpusStore store(folder.path("c"));
  const CorpusChunk chunk = store.read(0);
  ASSERT_EQ(chunk.pairs.size(), 4u);
  EXPECT_EQ(chunk.pairs[0].source, "fine film");
  using Labels = std::vector<std::string_view>;
  EXPECT_EQ(labels_of(chunk.pairs[0]), (Labels{"good"}));
  EXPECT_EQ(labels_of(chunk.pairs[2]), (Labels{"bad", "good"}));
  EXPECT_EQ(labels_of(chunk.pairs[3]), Labels{});
  const LabelStatistics found = count_labels(store);
  EXPECT_EQ(found.texts.at("good"), 2);
  EXPECT_EQ(found.texts.at("bad"), 2);
  EXPECT_FALSE(found.one_each);
}

TEST(LabelledCorpus, SaysWhatIsWrongAndLeavesNothing) {
  const TemporaryFolder folder;
  folder.put("empty.tsv", "\n");
  folder.put("nameless.tsv", "good\ta\n\tb\n");
  folder.put("tab.jsonl", "{\"text\": \"a\", \"label\": \"x\\ty\"}\n");
  const auto refusal = [&](const char* name) {
    return error_of([&] { prepare_labelled({folder.path(name)}, folder.path("c")); });
  };
  EXPECT_EQ(refusal("empty.tsv"), folder.path("empty.tsv") + ": there are no labelled texts");
  EXPECT_EQ(refusal("nameless.tsv"), folder.path("nameless.tsv") + ": line 2: the label is empty");
  EXPECT_EQ(refusal("tab.jsonl"),
            folder.path("tab.jsonl") + ": line 1: the label \"x\\x09y\" has a tab");
  EXPECT_FALSE(std::filesystem::exists(folder.path("c")));
}

}  // namespace
}  // namespace heed
