#include "heed/data/pair_notes.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using testing::error_of;
using testing::TemporaryFolder;

class PairNotesTest : public ::testing::Test {
 protected:
  std::string error_in(const PairNoteFiles& files) {
    return error_of([&] {
      PairNotes notes(files);
      notes.next("a b", "c d e");
      notes.skip();
      notes.next("f", "g");
      notes.finish();
    });
  }
  // What is said of the file, without its name.
  std::string about_links(const std::string& text) {
    return without_name(error_in({.links = folder.put("notes", text)}));
  }
  std::string about_tags(const std::string& text) {
    return without_name(error_in({.tags = folder.put("notes", text)}));
  }
  std::string about_weights(const std::string& text) {
    return without_name(error_in({.weights = folder.put("notes", text)}));
  }

  const TemporaryFolder folder;

 private:
  std::string without_name(const std::string& error) const {
    const std::string name = folder.path("notes");
    return error.starts_with(name) ? error.substr(name.size()) : error;
  }
};

TEST_F(PairNotesTest, AreReadLineByLine) {
  PairNotes notes({.links = folder.put("links", "0-2 1p0\n9-9 of a pair that is not used\n \n"),
                   .weights = folder.put("weights", "0.5\nnothing\n2e1\n"),
                   .tags = folder.put("tags", ">>legal<<\nnot a tag\n\n")});
  const PairView first = notes.next("a b", "c d e");
  EXPECT_EQ(first.source, "a b");
  EXPECT_EQ(first.target, "c d e");
  EXPECT_EQ(first.links, "0-2 1p0");
  EXPECT_EQ(first.weight, 0.5f);
  EXPECT_EQ(first.tag, "legal");
  notes.skip();
  const PairView last = notes.next("f", "g");
  EXPECT_EQ(last.links, "");
  EXPECT_EQ(last.weight, 20);
  EXPECT_EQ(last.tag, "");
  notes.finish();
  PairNotes none({});
  EXPECT_EQ(none.next("a", "b").weight, 1);
  none.finish();
}

TEST_F(PairNotesTest, LinkWordsThatAreThere) {
  EXPECT_EQ(about_links("0-3\n\n\n"),
            ": line 1: a link 0-3, but the words of the pair are 0 to 1 and 0 to 2");
  EXPECT_EQ(about_links("0-0\n\n0-0 1-0\n"),
            ": line 3: a link 1-0, but the words of the pair are 0 to 0 and 0 to 0");
  EXPECT_EQ(about_links("0-0 x\n\n\n").substr(0, 25), ": line 1: \"x\" is no link:");
}

TEST_F(PairNotesTest, HaveWeightsOfAtLeastZero) {
  EXPECT_EQ(about_weights("0\n-1\n1\n"), "(nothing was thrown)");
  for (const char* weight : {"-1", "x", "", "1 2", "nan", "inf", "1e99"})
    EXPECT_EQ(about_weights(fmt::format("1\n1\n{}\n", weight)),
              fmt::format(": line 3: \"{}\" but a weight of at least 0 was expected", weight));
}

TEST_F(PairNotesTest, HaveTagsThatAreWords) {
  EXPECT_EQ(about_tags("legal\nnot used\n\n"), "(nothing was thrown)");
  EXPECT_EQ(about_tags("\n\nof law\n"),
            ": line 3: \"of law\" but a tag was expected, a word of at most 64 bytes without "
            "spaces, control characters, < and >, or an empty line");
}

TEST_F(PairNotesTest, HaveAtMostAThousandTags) {
  std::string tags;
  for (int i = 0; i < 1001; ++i) tags += fmt::format("tag{}\n", i);
  const std::string file = folder.put("tags", tags);
  PairNotes notes({.tags = file});
  for (int i = 0; i < 1000; ++i) notes.next("a", "b");
  EXPECT_EQ(error_of([&] { notes.next("a", "b"); }),
            file + ": line 1001: \"tag1000\" is one more than the most different tags, 1000");
}

TEST_F(PairNotesTest, HaveALineForEachPair) {
  EXPECT_EQ(about_links("0-0\n\n0-0\n"), "(nothing was thrown)");
  EXPECT_EQ(about_links("0-0\n\n"), ": there are 2 lines of links, but 3 sentence pairs");
  EXPECT_EQ(about_links(""), ": there are 0 lines of links, but 3 sentence pairs");
  EXPECT_EQ(about_links("\n\n\n\n\n"), ": there are 5 lines of links, but 3 sentence pairs");
  EXPECT_EQ(about_weights("1\n1\n"), ": there are 2 lines of weights, but 3 sentence pairs");
  EXPECT_EQ(about_weights("1\n1\n1\n1\n"), ": there are 4 lines of weights, but 3 sentence pairs");
  EXPECT_EQ(about_tags("a\n"), ": there are 1 lines of tags, but 3 sentence pairs");
  EXPECT_EQ(about_tags("\n\n\n\n"), ": there are 4 lines of tags, but 3 sentence pairs");
}

}  // namespace
}  // namespace heed
