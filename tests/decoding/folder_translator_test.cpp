#include "heed/decoding/folder_translator.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "small_language_model.h"
#include "small_model.h"

namespace heed {
namespace {

using testing::error_of;
using testing::small_vocabulary;

ModelFolder folder_of(const ModelConfig& config) {
  Rng rng(5);
  return {.config = config,
          .model = make_model(config, rng),
          .source = small_vocabulary(),
          .target = small_vocabulary()};
}

TEST(FolderTranslator, KnowsWhatTheFolderSaysOfItsModel) {
  ModelFolder folder = folder_of(testing::small_config());
  folder.lengths = testing::short_lengths;
  folder.notes.search = {.beam = 3, .max_ratio = 1, .alignment_layer = 1, .alignment_head = 2};
  const TranslatorOptions wanted = {.threads = 3, .max_source = 12};
  const TranslatorOptions options = options_for(folder, wanted, "folder");
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.max_source, 12);
  EXPECT_EQ(options.lengths.target, testing::short_lengths.target);
  EXPECT_EQ(options.search, folder.notes.search);
  EXPECT_EQ(options.shortlist, nullptr);
  EXPECT_EQ(options.precision, Precision::float32);
  EXPECT_EQ(make_translator(folder, wanted, "folder").search_defaults(), folder.notes.search);
}

TEST(FolderTranslator, ComputesWithIntegersWhereTheyAreStored) {
  ModelFolder folder = folder_of(testing::small_config());
  EXPECT_EQ(options_for(folder, {.precision = Precision::int8}, "folder").precision,
            Precision::int8);
  folder.storage = WeightStorage::int8;
  EXPECT_EQ(options_for(folder, {}, "folder").precision, Precision::int8);
}

TEST(FolderTranslator, RefusesWhatTheModelCannotDo) {
  const ModelFolder folder = folder_of(testing::small_config());
  EXPECT_EQ(error_of([&] { make_translator(folder, {.use_shortlist = true}, "en-de"); }),
            "en-de: the model has no shortlist; `heed shortlist` learns one");
  const ModelFolder story = folder_of(testing::small_language_config());
  EXPECT_NE(error_of([&] {
              make_translator(story, {}, "tales");
            }).find("tales: is a language model, which does not translate"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
