#include "heed/runs/watched_sentence.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::TemporaryFolder;

std::vector<WatchedSentence> watched(std::vector<std::string> texts, const std::string& file = "") {
  TrainingSettings settings;
  settings.watch = std::move(texts);
  settings.watch_file = file;
  return watched_sentences(settings);
}

TEST(WatchedSentence, ATabDividesASourceFromItsTarget) {
  const std::vector<WatchedSentence> found = watched({"a dog", "a cat\teine Katze"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].source, "a dog");
  EXPECT_FALSE(found[0].target.has_value());
  EXPECT_EQ(found[1].source, "a cat");
  EXPECT_EQ(found[1].target, "eine Katze");
}

TEST(WatchedSentence, ComesFromTheFlagAndTheFile) {
  const TemporaryFolder files;
  files.put("lines", "two\r\nthree\tdrei\n");
  const std::vector<WatchedSentence> found = watched({"one"}, files.path("lines"));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1].source, "two");
  EXPECT_EQ(found[2].target, "drei");
  EXPECT_EQ(found[2].where, files.path("lines") + ": line 2");
}

TEST(WatchedSentence, IsWatchedOnce) {
  EXPECT_EQ(watched({"a", "a", "a\tb", "a\tb", "a\tc"}).size(), 3u);
}

TEST(WatchedSentence, IsOneLineOfUtf8) {
  EXPECT_EQ(watched({"a\nb\rc\xFF"}).front().source, "a b c\xEF\xBF\xBD");
}

TEST(WatchedSentence, IsNotEmpty) {
  const TemporaryFolder files;
  files.put("gap", "one\n\ntwo\n");
  files.put("nothing", "");
  EXPECT_EQ(error_of([] {
              watched({"a", " \xC2\xA0 "});
            }),
            "--watch: the sentence to watch is empty");
  EXPECT_EQ(error_of([] { watched({"\tb"}); }), "--watch: the sentence to watch is empty");
  EXPECT_EQ(error_of([] { watched({"a\t "}); }), "--watch: the translation after the tab is empty");
  EXPECT_EQ(error_of([&] { watched({}, files.path("gap")); }),
            files.path("gap") + ": line 2: the sentence to watch is empty");
  EXPECT_EQ(error_of([&] { watched({}, files.path("nothing")); }),
            files.path("nothing") + ": has no sentence to watch");
}

TEST(WatchedSentence, HasOneTabAtMost) {
  EXPECT_EQ(error_of([] { watched({"a\tb\tc"}); }),
            "--watch: several tabs, but one between a sentence and its translation was expected");
}

}  // namespace
}  // namespace heed
