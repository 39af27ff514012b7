#include "heed/data/mo_reader.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "mo_file.h"
#include "pairs_of.h"

namespace heed {
namespace {

using namespace std::string_literals;
using testing::error_of;
using testing::mo_file;
using testing::Pairs;
using testing::pairs_of;

const Pairs messages = {{"", "Content-Type: text/plain; charset=UTF-8\n"},
                        {"menu\4Open", "Öffnen"},
                        {"%d file\0%d files"s, "%d Datei\0%d Dateien"s},
                        {"cat\0cats"s, "猫"},
                        {"untranslated", ""}};

TEST(MoReader, ReadsMessagesOfEitherByteOrder) {
  for (const bool swapped : {false, true}) {
    MoReader reader(mo_file(messages, swapped), "de.mo");
    EXPECT_EQ(pairs_of(reader), (Pairs{{"Open", "Öffnen"},
                                       {"%d file", "%d Datei"},
                                       {"%d files", "%d Dateien"},
                                       {"cats", "猫"},
                                       {"untranslated", ""}}));
  }
}

TEST(MoReader, OldEncodingsBecomeUtf8) {
  MoReader reader(mo_file({{"", "Content-Type: text/plain; charset=ISO-8859-1\n"},
                           {"Open",
                            "\xD6"
                            "ffnen"}}),
                  "de.mo");
  EXPECT_EQ(pairs_of(reader), (Pairs{{"Open", "Öffnen"}}));
}

TEST(MoReader, NothingIsCutOffAtANul) {
  MoReader reader(mo_file({{"one", "ei\0ns"s}}), "de.mo");
  EXPECT_EQ(pairs_of(reader), (Pairs{{"one", "ei\0ns"s}}));
}

std::string sentence(const std::string& bytes) {
  return error_of([&] {
    MoReader reader(bytes, "de.mo");
    pairs_of(reader);
  });
}

TEST(MoReader, SaysWhatIsWrong) {
  const std::string good = mo_file({{"a", "b"}});
  EXPECT_EQ(sentence(""), "de.mo: is not an MO file: it has 0 bytes only");
  EXPECT_EQ(sentence(std::string(100, 'x')), "de.mo: is not an MO file");
  const auto with = [&](size_t offset, char byte) {
    std::string bytes = good;
    bytes[offset] = byte;
    return sentence(bytes);
  };
  EXPECT_EQ(with(6, 7), "de.mo: is an MO file of revision 7 but 0 or 1 was expected");
  EXPECT_EQ(with(8, 100), "de.mo: a table of 100 messages at byte 28 does not fit into 48 bytes");
  EXPECT_EQ(with(11, '\xff'),
            "de.mo: a table of 4278190081 messages at byte 28 does not fit into 48 bytes");
  EXPECT_EQ(with(19, '\xff'),
            "de.mo: a table of 1 messages at byte 4278190116 does not fit into 48 bytes");
  EXPECT_EQ(with(28, 9), "de.mo: message 0 of 9 bytes at byte 44 does not fit into 48 bytes");
  EXPECT_EQ(with(43, '\xff'),
            "de.mo: message 0 of 1 bytes at byte 4278190126 does not fit into 48 bytes");
  EXPECT_EQ(with(45, 'c'), "de.mo: message 0 does not end with a NUL");
}

// Otherwise a file of a megabyte could take hours: each of its messages is a megabyte long.
TEST(MoReader, RefusesMessagesThatAreAllTheSameBytes) {
  std::string bytes = mo_file(Pairs(100, {"a", "b"}));
  const std::string text(10'000, 'x');
  const auto put = [&](size_t place, size_t number) {
    const auto word = static_cast<uint32_t>(number);
    bytes.replace(place, sizeof(word), reinterpret_cast<const char*>(&word), sizeof(word));
  };
  for (size_t i = 0; i < 200; ++i) {
    put(28 + 8 * i, text.size());
    put(32 + 8 * i, bytes.size());
  }
  EXPECT_EQ(sentence(bytes + text + '\0'), "de.mo: its messages overlap");
}

// Also one that lacks the last byte only, which belongs to no message.
TEST(MoReader, EveryTruncationIsAnError) {
  const std::string whole = mo_file(messages);
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(sentence(whole.substr(0, size)), "(nothing was thrown)") << size;
}

}  // namespace
}  // namespace heed
