#include "heed/folders/huggingface_tokens.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "small_vocabulary.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::TemporaryFolder;
using huggingface::read_tokens;
using huggingface::Tokens;

TEST(HuggingFaceTokens, ComeInHeedsOrder) {
  const TemporaryFolder folder;
  const std::string file =
      folder.put("vocab.json", R"({"<unk>": 2, "a": 0, "<pad>": 1, "b": 3, "</s>": 4})");
  const Tokens tokens = read_tokens(file, 5, {.end = 4, .start = 1});
  EXPECT_EQ(tokens.names, (std::vector<std::string>{"</s>", "<unk>", "a", "b", "<pad>"}));
  EXPECT_EQ(tokens.rows, (std::vector<int64_t>{4, 2, 0, 3, 1}));
  EXPECT_FALSE(tokens.in_order());
  const std::string ordered =
      folder.put("ordered.json", R"({"</s>": 0, "<unk>": 1, "b": 2, "a": 3, "<pad>": 4})");
  EXPECT_TRUE(read_tokens(ordered, 5, {.end = 0, .start = 4}).in_order());
}

TEST(HuggingFaceTokens, RefusesWhatDoesNotFit) {
  const TemporaryFolder folder;
  const std::string file = folder.put("vocab.json", R"({"</s>": 0, "a": 1, "<pad>": 2})");
  EXPECT_EQ(error_of([&] { read_tokens(file, 3, {.end = 0, .start = 1}); }),
            file + ": <pad> was expected to have the id 1, as config.json says");
  EXPECT_EQ(error_of([&] { read_tokens(file, 3, {.end = 0, .start = 2}); }),
            file + ": has no <unk>");
  EXPECT_EQ(error_of([&] { read_tokens(file, 4, {.end = 0, .start = 2}); }),
            file + ": 3 tokens but config.json says 4");
}

TEST(HuggingFaceTokens, OfItsOwnPiecesAVocabularyNeedsNoList) {
  const Vocabulary& pieces = testing::small_vocabulary();
  const TemporaryFolder folder;
  const std::string model = folder.put("source.spm", pieces.bytes());
  Tokens tokens;
  for (int32_t id = 0; id < pieces.size(); ++id) tokens.names.push_back(pieces.piece(id));
  EXPECT_FALSE(vocabulary_of(model, tokens).has_tokens());
  std::swap(tokens.names[3], tokens.names[4]);
  const Vocabulary listed = vocabulary_of(model, tokens);
  EXPECT_TRUE(listed.has_tokens());
  EXPECT_EQ(listed.piece(3), pieces.piece(4));
}

}  // namespace
}  // namespace heed
