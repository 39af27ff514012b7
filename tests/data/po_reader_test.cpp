#include "heed/data/po_reader.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "pairs_of.h"

namespace heed {
namespace {

using testing::drops_of;
using testing::error_of;
using testing::Pairs;
using testing::pairs_of;

PoReader reader_of(const std::string& text) {
  return PoReader(LineReader(input_of(text), "de.po"));
}

constexpr const char* header =
    "# German\n#, fuzzy\nmsgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; "
    "charset=UTF-8\\n\"\n\n";

TEST(PoReader, ReadsMessages) {
  PoReader reader = reader_of(
      std::string(header) +
      "#. comment\n#: main.c:1\n#, c-format\nmsgid \"%d file\"\nmsgstr \"%d Datei\"\n\n"
      "msgctxt \"menu\"\nmsgid \"\"\n  \"Open\\t\"\n\"it\\n\"\nmsgstr\"\"\n\"\\303\\226ffne "
      "\\x65s\\\\ \\\"\"\n"
      "msgid \"next\"\nmsgstr \"weiter\"");
  EXPECT_EQ(pairs_of(reader),
            (Pairs{{"%d file", "%d Datei"}, {"Open\tit\n", "Öffne es\\ \""}, {"next", "weiter"}}));
}

TEST(PoReader, OldEncodingsBecomeUtf8) {
  PoReader reader =
      reader_of("msgid \"\"\nmsgstr \"charset=KOI8-R\\n\"\nmsgid \"yes\"\nmsgstr \"\xc4\xc1\"\n");
  EXPECT_EQ(pairs_of(reader), (Pairs{{"yes", "да"}}));
}

TEST(PoReader, LeavesOutWhatNobodyHasConfirmedOrNeeds) {
  const std::string text =
      std::string(header) +
      "#, c-format, fuzzy\n#| msgid \"old\"\nmsgid \"new\"\nmsgstr \"neu?\"\n"
      "msgid \"a\"\nmsgstr \"b\"\n\n#~ msgid \"obsolete\"\n#~ msgstr \"veraltet\"\n";
  PoReader pairs = reader_of(text), drops = reader_of(text);
  EXPECT_EQ(pairs_of(pairs), (Pairs{{"a", "b"}}));
  EXPECT_EQ(drops_of(drops), std::vector<Drop>{Drop::fuzzy});
}

TEST(PoReader, PairsPluralForms) {
  PoReader reader = reader_of(
      "msgid \"%d file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"%d plik\"\n"
      "msgstr[1] \"%d pliki\"\nmsgstr[2] \"%d plików\"\n\n"
      "msgid \"cat\"\nmsgid_plural \"cats\"\nmsgstr[0] \"猫\"\n");
  EXPECT_EQ(pairs_of(reader),
            (Pairs{{"%d file", "%d plik"}, {"%d files", "%d plików"}, {"cats", "猫"}}));
}

TEST(PoReader, AnUntranslatedMessageHasAnEmptySide) {
  PoReader reader = reader_of("msgid \"a\"\nmsgstr \"\"\n");
  EXPECT_EQ(pairs_of(reader), (Pairs{{"a", ""}}));
}

TEST(PoReader, AFileMayHoldNothing) {
  for (const char* text : {"", "# only a comment\n", "\n\n", header}) {
    PoReader reader = reader_of(text);
    EXPECT_EQ(pairs_of(reader), Pairs{});
  }
}

std::string sentence(const std::string& text) {
  PoReader reader = reader_of(text);
  return error_of([&] { pairs_of(reader); });
}

// Packed well, a message could otherwise take any amount of memory.
TEST(PoReader, RefusesAMessageWithoutEnd) {
  const std::string line = '"' + std::string(size_t{1} << 20, 'a') + "\"\n";
  std::string text = "msgid \"a\"\nmsgstr \"\"\n";
  for (int i = 0; i < 17; ++i) text += line;
  EXPECT_EQ(sentence(text), "de.po: line 18: a message of more than 16 MiB");
}

TEST(PoReader, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(sentence("some text"), "de.po: line 1: \"some\" before any msgid");
  EXPECT_EQ(
      sentence("msgid \"a\"\nmsgtxt \"b\""),
      "de.po: line 2: a keyword such as msgid or msgstr was expected but \"msgtxt\" was found");
  EXPECT_EQ(sentence("msgid a"),
            "de.po: line 1: a string in quotation marks was expected but \"a\" was found");
  EXPECT_EQ(sentence("msgid"),
            "de.po: line 1: a string in quotation marks was expected but \"\" was found");
  EXPECT_EQ(sentence("msgid \""),
            "de.po: line 1: a string in quotation marks was expected but \"\"\" was found");
  EXPECT_EQ(sentence("msgid \"a\"b\""),
            "de.po: line 1: a quotation mark inside a string needs a backslash before it");
  for (const char* escape : {"\\q", "\\", "\\x", "\\xg", "\\777"})
    EXPECT_EQ(sentence(fmt::format("msgid \"{}\"", escape)),
              fmt::format("de.po: line 1: unknown escape in \"\"{}\"\"", escape));
  EXPECT_EQ(sentence("\"a\""), "de.po: line 1: a string without a keyword");
  EXPECT_EQ(sentence("msgid \"a\"\nmsgid \"b\"\nmsgstr \"c\""),
            "de.po: line 2: another msgid before the msgstr of \"a\"");
  EXPECT_EQ(sentence("msgid \"a\"\nmsgstr \"b\"\nmsgstr \"c\""),
            "de.po: line 3: a second msgstr of \"a\"");
  EXPECT_EQ(sentence("msgid \"a\"\n"), "de.po: the file ends before the msgstr of \"a\"");
}

}  // namespace
}  // namespace heed
