#include "heed/markup/po_file.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/markup/po_strings.h"

namespace heed {
namespace {

const std::string file_text = R"(# Ein Kommentar.
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 ? 1 : 2);\n"

#. For translators.
#: a.c:1
#, c-format
msgid "Hello %s"
msgstr ""

#: a.c:2
msgctxt "menu"
msgid "Open"
msgstr "Öffnen"

#, fuzzy
#| msgid "Close it"
msgid "Close"
msgstr "Schließ"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""

#~ msgid "Old"
#~ msgstr "Alt"
)";

TEST(PoFile, HasItsMessages) {
  const PoFile file(file_text);
  ASSERT_EQ(file.messages().size(), 4U);
  const PoMessage& hello = file.messages()[0];
  EXPECT_EQ(hello.id, "Hello %s");
  EXPECT_EQ(hello.line, 10U);
  EXPECT_TRUE(hello.is_missing());
  EXPECT_FALSE(hello.is_fuzzy);
  EXPECT_EQ(file.messages()[1].forms, std::vector<std::string>({"Öffnen"}));
  EXPECT_TRUE(file.messages()[2].is_fuzzy);
  EXPECT_EQ(file.messages()[3].plural, "%d files");
  EXPECT_EQ(file.forms_of(file.messages()[3]), 3U);
  EXPECT_EQ(file.text(), file_text);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(PoFile, ChangesOnlyWhatIsTranslated) {
  PoFile file(file_text);
  file.set_translation(0, {"Hallo %s"}, FuzzyMark::set);
  std::string expected = replaced(file_text, "#, c-format\nmsgid \"Hello %s\"\nmsgstr \"\"",
                                  "#, fuzzy, c-format\nmsgid \"Hello %s\"\nmsgstr \"Hallo %s\"");
  EXPECT_EQ(file.text(), expected);
  file.set_translation(3, {"a", "b", "c"}, FuzzyMark::set);
  expected = replaced(expected, "msgid \"%d file\"", "#, fuzzy\nmsgid \"%d file\"");
  expected = replaced(expected, "msgstr[0] \"\"\nmsgstr[1] \"\"",
                      "msgstr[0] \"a\"\nmsgstr[1] \"b\"\nmsgstr[2] \"c\"");
  EXPECT_EQ(file.text(), expected);
  file.set_translation(2, {"Schließen"}, FuzzyMark::not_set);
  expected = replaced(expected, "#, fuzzy\n#| ", "#| ");
  expected = replaced(expected, "\"Schließ\"", "\"Schließen\"");
  EXPECT_EQ(file.text(), expected);
  file.set_translation(2, {"Zu"}, FuzzyMark::set);
  EXPECT_NE(file.text().find("#, fuzzy\n#| msgid \"Close it\"\nmsgid \"Close\"\nmsgstr \"Zu\"\n"),
            std::string::npos);
}

TEST(PoFile, KeepsTheLineEndsOfTheFile) {
  PoFile file("msgid \"a\"\r\nmsgstr \"\"\r\n");
  file.set_translation(0, {"b\nc"}, FuzzyMark::set);
  EXPECT_EQ(file.text(), "#, fuzzy\r\nmsgid \"a\"\r\nmsgstr \"\"\r\n\"b\\n\"\r\n\"c\"\r\n");
  PoFile cut("msgid \"a\"\nmsgstr \"\"");
  cut.set_translation(0, {"b"}, FuzzyMark::not_set);
  EXPECT_EQ(cut.text(), "msgid \"a\"\nmsgstr \"b\"");
}

TEST(PoFile, SaysWhereItIsWrong) {
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      const PoFile file(text, "x.po");
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(error_of("msgid \"a\"\nmsgid \"b\"\n"),
            "x.po: line 2: another msgid before the msgstr of \"a\"");
  EXPECT_EQ(error_of("msgid \"a\"\n"), "x.po: line 1: no msgstr for \"a\"");
  EXPECT_EQ(error_of("msgstr \"a\"\n"),
            "x.po: line 1: msgid was expected but \"msgstr\" was found");
  EXPECT_NE(error_of("msgid \"a\nmsgstr \"b\"\n").find("line 1"), std::string::npos);
  EXPECT_NE(error_of("msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=KOI8-R\\n\"\n")
                .find("KOI8-R"),
            std::string::npos);
  EXPECT_EQ(error_of(""), "none");
}

TEST(PoStrings, HaveEveryEscape) {
  EXPECT_EQ(parse_po_string(R"("a\n\t\r\a\b\f\v\"\\\?\'\x41\101z")"),
            std::string("a\n\t\r\a\b\f\v\"\\?'AAz"));
  for (const char* wrong : {"", "\"", "a", "\"a", "\"a\"b\"", "\"\\q\"", "\"\\\""})
    EXPECT_EQ(parse_po_string(wrong), std::nullopt) << wrong;
  const std::string all = "a\n\t\r\a\b\f\v\"\\?'\x01\x1F\x7F é";
  std::string written = write_po_string("msgstr", all), read;
  written.erase(0, written.find('"'));
  for (size_t at = 0; at < written.size();) {
    const size_t end = written.find('\n', at);
    read += parse_po_string(written.substr(at, end - at)).value_or("?");
    at = end + 1;
  }
  EXPECT_EQ(read, all);
}

TEST(PoStrings, AreBrokenAsGettextBreaksThem) {
  EXPECT_EQ(write_po_string("msgstr", "a b"), "msgstr \"a b\"\n");
  EXPECT_EQ(write_po_string("msgstr", "a\n"), "msgstr \"a\\n\"\n");
  EXPECT_EQ(write_po_string("msgstr", "a\nb\n"), "msgstr \"\"\n\"a\\n\"\n\"b\\n\"\n");
  std::string text;
  for (int i = 0; i < 30; ++i) text += "word" + std::to_string(i) + " ";
  const std::string written = write_po_string("msgstr[0]", text);
  EXPECT_TRUE(written.starts_with("msgstr[0] \"\"\n\"word0 "));
  for (size_t at = 0; at < written.size();) {
    const size_t end = written.find('\n', at);
    EXPECT_LE(end - at, 79U);
    at = end + 1;
  }
}

TEST(PluralRules, TellTheFormOfOne) {
  const auto rule = [](std::string_view value) { return PluralRule::parse(value); };
  EXPECT_EQ(rule("nplurals=1; plural=0;")->forms, 1);
  EXPECT_EQ(rule("nplurals=2; plural=(n != 1);")->singular_form, 0);
  const auto arabic = rule(
      "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : "
      "n%100>=11 ? 4 : 5);");
  EXPECT_EQ(arabic->forms, 6);
  EXPECT_EQ(arabic->singular_form, 1);
  EXPECT_EQ(rule("nplurals=INTEGER; plural=EXPRESSION;"), std::nullopt);
  EXPECT_EQ(rule(""), std::nullopt);
  EXPECT_EQ(rule("nplurals=2; plural=nonsense(;")->singular_form, 0);
  EXPECT_EQ(evaluate_plural("!(n*2+1-3/n%5>=2||n<1)", 1), 1);
  EXPECT_EQ(evaluate_plural("1/(n-1)", 1), std::nullopt);
  EXPECT_EQ(evaluate_plural(std::string(5000, '('), 1), std::nullopt);
}

}  // namespace
}  // namespace heed
