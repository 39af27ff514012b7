#include "heed/app/cli/unfinished_translation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "error_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using heed::testing::error_of;

class UnfinishedTranslationTest : public ::testing::Test {
 protected:
  std::string output() const { return folder_.path("out.de"); }
  static constexpr const char* identity = "model --beam 5";
  UnfinishedTranslation open(const std::string& its = identity) const { return {output(), its}; }
  static void add(UnfinishedTranslation& unfinished, const std::string& text, uint32_t source) {
    unfinished.add(
        {.text = text, .counts = {.lines = {}, .translations = 2, .in_parts = 1, .cut = 1}},
        source);
  }
  void begin() const {
    UnfinishedTranslation unfinished = open();
    add(unfinished, "eins\nzwei\n", 100);
    add(unfinished, "drei\nvier\n", 200);
  }

  const testing::TemporaryFolder folder_;
};

TEST_F(UnfinishedTranslationTest, BeginsAtTheBeginning) {
  const UnfinishedTranslation unfinished = open();
  EXPECT_EQ(unfinished.state().lines, 0);
  EXPECT_EQ(unfinished.state().bytes, 0);
}

TEST_F(UnfinishedTranslationTest, LeavesNothingBehindIfNothingWasDone) {
  open();
  EXPECT_TRUE(fs::is_empty(folder_.path(".")));
}

TEST_F(UnfinishedTranslationTest, GoesOnWhereItWas) {
  begin();
  UnfinishedTranslation unfinished = open();
  EXPECT_EQ(unfinished.state().lines, 4);
  EXPECT_EQ(unfinished.state().source, 200U);
  EXPECT_EQ(unfinished.state().counts.translations, 4);
  EXPECT_EQ(unfinished.state().counts.in_parts, 2);
  EXPECT_EQ(unfinished.state().counts.cut, 2);
  add(unfinished, "fünf\nsechs\n", 300);
  EXPECT_FALSE(fs::exists(output()));
  unfinished.finish();
  EXPECT_EQ(folder_.text("out.de"), "eins\nzwei\ndrei\nvier\nfünf\nsechs\n");
  EXPECT_FALSE(fs::exists(output() + ".unfinished"));
  EXPECT_FALSE(fs::exists(output() + ".journal"));
}

// Whatever of both files has reached the disk, what counts is a beginning of what was done.
TEST_F(UnfinishedTranslationTest, TakesOnlyWhatFits) {
  begin();
  const std::string text = folder_.text("out.de.unfinished"),
                    journal = folder_.text("out.de.journal");
  const size_t header = journal.find('\n') + 1;
  for (size_t text_bytes = 0; text_bytes <= text.size(); ++text_bytes)
    for (size_t journal_bytes = header; journal_bytes <= journal.size(); ++journal_bytes) {
      folder_.put("out.de.unfinished", text.substr(0, text_bytes));
      folder_.put("out.de.journal", journal.substr(0, journal_bytes));
      std::optional<UnfinishedTranslation> unfinished(std::in_place, output(), identity);
      const std::string lines = journal.substr(header, journal_bytes - header);
      const int64_t whole =
          std::min<int64_t>(std::count(lines.begin(), lines.end(), '\n'),
                            text_bytes == text.size() ? 2 : text_bytes >= text.size() / 2);
      ASSERT_EQ(unfinished->state().lines, 2 * whole) << text_bytes << ' ' << journal_bytes;
      ASSERT_EQ(fs::file_size(unfinished->name()), static_cast<size_t>(whole) * text.size() / 2);
      add(*unfinished, "rest\nrest\n", 300);
      unfinished.reset();
      ASSERT_EQ(open().state().lines, 2 * whole + 2);
    }
}

TEST_F(UnfinishedTranslationTest, DoesNotTrustADamagedText) {
  begin();
  std::string text = folder_.text("out.de.unfinished");
  text[12] = '?';
  folder_.put("out.de.unfinished", text);
  EXPECT_EQ(open().state().lines, 2);
}

TEST_F(UnfinishedTranslationTest, RefusesWhatWasBegunOtherwise) {
  begin();
  EXPECT_EQ(error_of([&] { open("model --beam 4"); }),
            output() +
                ".unfinished: begun with another model, other flags or another instruction set; "
                "remove it to begin anew");
  EXPECT_EQ(open().state().lines, 4);
}

TEST_F(UnfinishedTranslationTest, BelongsToOneProgram) {
  const UnfinishedTranslation first = open();
  EXPECT_EQ(error_of([&] { open(); }), output() + ": another program is writing it");
}

// Killed between its last two deeds.
TEST_F(UnfinishedTranslationTest, BeginsAnewWhenOnlyAJournalIsLeft) {
  begin();
  fs::remove(output() + ".unfinished");
  EXPECT_EQ(open("another").state().lines, 0);
}

}  // namespace
}  // namespace heed
