#include "heed/folders/ctranslate2_tokens.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "temporary_folder.h"

namespace heed::ctranslate2 {
namespace {

using heed::testing::error_of;
using heed::testing::TemporaryFolder;
using Words = std::vector<std::string>;
using Rows = std::vector<int64_t>;

TEST(CTranslate2Tokens, AreListedAsTextOrJson) {
  const TemporaryFolder folder;
  folder.put("source_vocabulary.txt", "<s>\n</s>\na\n");
  folder.put("target_vocabulary.json", R"(["</s>", "b", "<s>"])");
  const Tokens tokens = read_tokens(folder.path(""));
  EXPECT_EQ(tokens.source, (Words{"<s>", "</s>", "a"}));
  EXPECT_EQ(tokens.target, (Words{"</s>", "b", "<s>"}));
  EXPECT_FALSE(tokens.source_end);
  folder.put("shared_vocabulary.txt", "</s>\nc\n");
  EXPECT_EQ(read_tokens(folder.path("")).target, (Words{"</s>", "c"}));
}

TEST(CTranslate2Tokens, AreDescribedByTheConfiguration) {
  const TemporaryFolder folder;
  folder.put("shared_vocabulary.txt", "</s>\nc\n");
  folder.put("config.json",
             R"({"decoder_start_token": "<pad>", "add_source_eos": true, "unk_token": null})");
  const Tokens tokens = read_tokens(folder.path(""));
  EXPECT_EQ(tokens.start, "<pad>");
  EXPECT_EQ(tokens.unknown, "<unk>");
  EXPECT_TRUE(tokens.source_end);
  folder.put("config.json", R"({"add_source_bos": true})");
  EXPECT_NE(
      error_of([&] { (void)read_tokens(folder.path("")); }).find("start with a special token"),
      std::string::npos);
  folder.put("config.json", R"({"eos_token": 3})");
  EXPECT_NE(error_of([&] { (void)read_tokens(folder.path("")); }).find("\"eos_token\" is 3"),
            std::string::npos);
}

// Our ids are the end, the unknown, the words and the start.
TEST(CTranslate2Tokens, HaveTheirRows) {
  const TemporaryFolder folder;
  Tokens tokens;
  tokens.source = {"<s>", "</s>", "a", "b"};
  tokens.target = {"x", "<unk>", "</s>", "<s>"};
  const Vocabularies vocabularies = read_vocabularies(folder.path(""), tokens);
  EXPECT_TRUE(vocabularies.words);
  EXPECT_EQ(source_rows(vocabularies, tokens), (Rows{1, -1, 2, 3, 0}));
  EXPECT_EQ(target_rows(vocabularies, tokens), (Rows{2, 1, 0, 3}));
}

}  // namespace
}  // namespace heed::ctranslate2
