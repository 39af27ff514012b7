#include "heed/data/installed_messages.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "mo_file.h"
#include "pairs_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using testing::mo_file;
using testing::Pairs;

class InstalledMessages : public ::testing::Test {
 protected:
  void put(const std::string& locale, const std::string& name, const std::string& bytes) const {
    fs::create_directories(folder_.path(locale + "/LC_MESSAGES"));
    folder_.put(locale + "/LC_MESSAGES/" + name, bytes);
  }

  Pairs read(const std::string& language, std::vector<std::string>* complaints = nullptr) const {
    Pairs pairs;
    report_ = {};
    report_ = read_installed(
        {root_, folder_.path("no/such/folder")}, language, 2000,
        [&](std::string_view source, std::string_view target) {
          pairs.emplace_back(source, target);
        },
        [&](const std::string& sentence) {
          if (complaints != nullptr) complaints->push_back(sentence);
        });
    return pairs;
  }

  const testing::TemporaryFolder folder_;
  const fs::path root_ = folder_.path("");
  mutable CorpusReport report_;
};

TEST_F(InstalledMessages, AreThoseOfALanguageAndItsKinds) {
  put("de", "b.mo", mo_file({{"b", "B"}}));
  put("de", "a.mo", mo_file({{"a", "A"}}));
  put("de_AT", "a.mo", mo_file({{"potato", "Erdapfel"}}));
  put("de@fun", "a.mo", mo_file({{"fun", "Spaß"}}));
  put("den", "a.mo", mo_file({{"x", "y"}}));
  put("de", "a.txt", "not a message file");
  EXPECT_EQ(read("de"), (Pairs{{"a", "A"}, {"b", "B"}, {"fun", "Spaß"}, {"potato", "Erdapfel"}}));
  EXPECT_EQ(read("de_AT"), (Pairs{{"potato", "Erdapfel"}}));
}

TEST_F(InstalledMessages, TranslatorsAreNotNamed) {
  put("de", "a.mo",
      mo_file({{"", "header"}, {"a", "A"}, {"translator-credits", "Ada <ada@example.org>"}}));
  EXPECT_EQ(read("de"), (Pairs{{"a", "A"}}));
  EXPECT_EQ(report_.read, 2);
  EXPECT_EQ(report_.kept, 1);
  EXPECT_EQ(report_.dropped_for(Drop::credits), 1);
}

TEST_F(InstalledMessages, ABadFileIsSkippedWithAComplaint) {
  put("de", "a.mo", mo_file({{"a", "A"}}));
  put("de", "bad.mo", "bad");
  std::vector<std::string> complaints;
  EXPECT_EQ(read("de", &complaints), (Pairs{{"a", "A"}}));
  EXPECT_EQ(complaints, std::vector<std::string>{folder_.path("de/LC_MESSAGES/bad.mo") +
                                                 ": is not an MO file: it has 3 bytes only"});
}

TEST_F(InstalledMessages, WithoutMessagesItIsAnError) {
  put("fr", "empty.mo", mo_file({{"", "header"}}));
  EXPECT_EQ(testing::error_of([&] { read("de"); }),
            root_.string() + ": there are no messages in \"de\" (LC_MESSAGES/*.mo)");
  EXPECT_EQ(testing::error_of([&] { read("fr"); }),
            root_.string() + ": none of the messages in \"fr\" can be used");
}

}  // namespace
}  // namespace heed
