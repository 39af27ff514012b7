#include "heed/folders/ctranslate2_vmap.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/folders/ctranslate2_export.h"
#include "heed/folders/ctranslate2_folder.h"
#include "round_trip.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::small_translator;
using heed::testing::TemporaryFolder;

const std::vector<std::string> source = {"</s>", "<unk>", "a", "b", "<pad>"};
const std::vector<std::string> target = {"</s>", "<unk>", "x", "y", "z", "<pad>"};

std::optional<Shortlist> read(const TemporaryFolder& folder) {
  return ctranslate2::read_vmap(folder.path(""), source, target);
}

TEST(CTranslate2Vmap, GivesTheCandidatesOfEachSourceToken) {
  const TemporaryFolder folder;
  EXPECT_FALSE(read(folder).has_value());
  folder.put("vmap.txt", "\ty\na\tx z unheard\nb a\tz\nunheard\tx\n");
  const ShortlistLists lists = read(folder)->lists();
  EXPECT_EQ(lists.frequent, (std::vector<int32_t>{1, 3}));  // the unknown word is always one
  EXPECT_EQ(lists.offsets, (std::vector<int64_t>{0, 0, 0, 2, 3, 3}));
  EXPECT_EQ(lists.targets, (std::vector<int32_t>{2, 4, 4}));
  EXPECT_FALSE(lists.with_source);
}

TEST(CTranslate2Vmap, RefusesOtherText) {
  const TemporaryFolder folder;
  const std::string file = folder.put("vmap.txt", "a\tx\nb x\n");
  EXPECT_EQ(error_of([&] { (void)read(folder); }),
            file +
                ": line 2 has no tab, or several, but source tokens, a tab and target tokens "
                "were expected");
}

TEST(CTranslate2Vmap, IsWrittenWithAModelAndComesBack) {
  for (const bool with_source : {false, true}) {
    ModelFolder model = small_translator({});
    const int64_t words = model.source.size();
    ShortlistLists lists;
    lists.frequent = {1, 2};
    lists.with_source = with_source;
    for (int64_t id = 0; id <= words; ++id) lists.offsets.push_back(id > 3 ? 2 : 0);
    lists.targets = {4, 5};
    model.shortlist.emplace(lists, words, words);
    const TemporaryFolder folder;
    save_ctranslate2_folder(folder.path(""), model);
    const ModelFolder again = read_ctranslate2_folder(folder.path(""));
    ASSERT_TRUE(again.shortlist.has_value());
    for (int32_t id = 0; id + 1 < words; ++id)
      EXPECT_EQ(again.shortlist->candidates(std::vector{id}),
                model.shortlist->candidates(std::vector{id}))
          << id;
  }
}

}  // namespace
}  // namespace heed
