#include "heed/app/cli/document_run.h"

#include <cstdlib>

#include "heed/folders/model_folder.h"
#include "program_test.h"
#include "small_model.h"

namespace heed {
namespace {

using testing::Outcome;

class DocumentRunTest : public testing::ProgramTest {
 protected:
  DocumentRunTest() {
    testing::put_model(path("model"), 5, testing::small_config(32), testing::short_lengths);
  }

  Outcome translate(const std::string& input, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"translate", "--model", path("model"), "--beam", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, input);
  }

  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
};

TEST_F(DocumentRunTest, PagesKeepTheirTags) {
  const std::string page = "<p>ba <b>ko</b> ri.</p>\n<pre>ba  ko</pre>\n<ul><li>ri\n</ul>";
  const Outcome result = translate(page, {"--format", "html"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("<p>"));
  for (const char* kept : {"<b>", "</b>", "</p>\n<pre>ba  ko</pre>\n<ul><li>", "\n</ul>"})
    EXPECT_NE(result.out.find(kept), std::string::npos) << kept << " in " << result.out;
  EXPECT_NE(result.out, page);
  write("page.html", page);
  EXPECT_EQ(translate("", {"--format", "html", "--input", path("page.html"), "--output",
                           path("page.html")})
                .code,
            0);
  EXPECT_EQ(read("page.html"), result.out);
  EXPECT_EQ(translate("<a><p>ba</p><p>ko</p></a>", {"--format", "xml"}).code, 0);
}

// Beam and length penalty are those of the model's makers, as for lines.
TEST_F(DocumentRunTest, SearchesAsTheModelDoes) {
  testing::put_model(path("greedy"), 5, testing::small_config(32), testing::short_lengths,
                     {.search = {.beam = 1, .length_penalty = 0}});
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"translate", "--model", path("greedy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, "ba ko\n").out;
  };
  const std::string line = with({});
  ASSERT_NE(line, with({"--beam", "5", "--length-penalty", "1"}));
  EXPECT_EQ(with({"--format", "xml"}), line);
}

TEST_F(DocumentRunTest, TranslatesAttributesWhereThatIsWanted) {
  const std::string page = "<img alt=\"ba ko\"><p title='ri'>ba</p>";
  const Outcome kept = translate(page, {"--format", "html"}),
                changed = translate(page, {"--format", "html", "--attributes"});
  EXPECT_TRUE(kept.out.starts_with("<img alt=\"ba ko\"><p title='ri'>")) << kept.out;
  EXPECT_EQ(changed.code, 0) << changed.err;
  const auto line = [&](const std::string& text) {
    const std::string said = translate(text + "\n", {}).out;
    return said.substr(0, said.size() - 1);
  };
  EXPECT_EQ(changed.out, "<img alt=\"" + line("ba ko") + "\"><p title='" + line("ri") + "'>" +
                             line("ba") + "</p>");
  EXPECT_EQ(translate("<p>ba</p>", {"--format", "xml", "--attributes"}).code, 2);
}

TEST_F(DocumentRunTest, PlaceholdersSurvive) {
  const Outcome result = translate("<p>ba {name} ko %s ri http://x.org/y.</p>",
                                   {"--format", "html", "--language", "en"});
  for (const char* kept : {"{name}", "%s", "http://x.org/y"})
    EXPECT_NE(result.out.find(kept), std::string::npos) << result.out;
}

const std::string po_text = R"(msgid ""
msgstr ""
"Project-Id-Version: x\n"
"PO-Revision-Date: 2026-01-01 00:00+0000\n"
"Last-Translator: x <x@example.org>\n"
"Language-Team: x <x@example.org>\n"
"Language: de\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

# A comment.
#: x.c:1
#, c-format
msgid "ba %s ko\n"
msgstr ""

#, c-format
msgid "%d ba"
msgid_plural "%d ko \"ri\"\t\\"
msgstr[0] ""
msgstr[1] ""

msgid "ri"
msgstr "kept"

#, fuzzy
msgid "ko"
msgstr "kept, too"
)";

TEST_F(DocumentRunTest, PoFilesAreFilled) {
  const Outcome result = translate(po_text, {"--format", "po"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.err.ends_with("heed: 2 of 4 messages translated\n")) << result.err;
  EXPECT_NE(result.out.find("#, fuzzy, c-format\nmsgid \"ba %s ko\\n\"\n"), std::string::npos);
  EXPECT_NE(result.out.find("msgstr \"kept\"\n\n#, fuzzy\nmsgid \"ko\"\nmsgstr \"kept, too\"\n"),
            std::string::npos);
  // A second time, nothing is missing.
  EXPECT_EQ(translate(result.out, {"--format", "po", "--only-missing"}).out, result.out);
  EXPECT_NE(translate(po_text, {"--format", "po", "--retranslate", "fuzzy"})
                .err.find("heed: 3 of 4 messages translated\n"),
            std::string::npos);
  EXPECT_NE(translate(po_text, {"--format", "po", "--retranslate", "all"})
                .err.find("heed: 4 of 4 messages translated\n"),
            std::string::npos);
}

// gettext's own check: formats, line ends and plural forms fit.
// To gettext it is untranslated, too.
TEST_F(DocumentRunTest, AnEmptyMessageIsFilledThoughItIsFuzzy) {
  const std::string empty =
      "#, fuzzy\nmsgid \"ba ko\"\nmsgstr \"\"\n\n"
      "#, fuzzy\nmsgid \"ba\"\nmsgid_plural \"ko\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n\n"
      "#, fuzzy\nmsgid \"ri\"\nmsgid_plural \"ko\"\nmsgstr[0] \"kept\"\nmsgstr[1] \"\"\n";
  const Outcome result = translate(empty, {"--format", "po"});
  EXPECT_TRUE(result.err.ends_with("heed: 2 of 3 messages translated\n")) << result.err;
  EXPECT_EQ(result.out.find("msgstr \"\""), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("msgstr[0] \"\""), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("msgstr[0] \"kept\"\nmsgstr[1] \"\"\n"), std::string::npos);
}

TEST_F(DocumentRunTest, GettextTakesWhatIsFilled) {
  if (std::system("msgfmt --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no msgfmt";
  const Outcome result =
      translate(po_text, {"--format", "po", "--no-fuzzy", "--retranslate", "all"});
  EXPECT_EQ(result.out.find("fuzzy"), std::string::npos);
  write("de.po", result.out);
  const std::string check = "msgfmt -c -o /dev/null " + path("de.po") + " 2> " + path("errors");
  EXPECT_EQ(std::system(check.c_str()), 0) << read("errors") << result.out;
}

TEST_F(DocumentRunTest, WhatIsNoPoFileIsRefusedWithItsLine) {
  const Outcome result = translate("msgid \"a\"\nmsgid \"b\"\n", {"--format", "po"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "heed: standard input: line 2: another msgid before the msgstr of \"a\"\n");
}

TEST_F(DocumentRunTest, TextIsTranslatedLineByLine) {
  EXPECT_EQ(translate("ba ko\n\nri\n", {"--format", "text"}).out,
            translate("ba ko\n\nri\n", {}).out);
}

TEST_F(DocumentRunTest, FlagsForSomethingElseAreRefused) {
  using Flags = std::vector<std::string>;
  for (const Flags& flags :
       {Flags{"--format", "pdf"}, Flags{"--format", "html", "--scores"},
        Flags{"--format", "html", "--json"}, Flags{"--format", "po", "--alignment", "soft"},
        Flags{"--format", "html", "--only-missing"}, Flags{"--only-missing"},
        Flags{"--format", "po", "--only-missing", "--retranslate", "all"},
        Flags{"--language", "en"}, Flags{"--format", "html", "--no-fuzzy"},
        Flags{"--attention-head", "1"}})
    EXPECT_EQ(translate("ba\n", flags).code, 2) << flags[0];
  EXPECT_EQ(translate("<b>ba</b> ko", {"--format", "html", "--attention-head", "2"}).code, 0);
}

}  // namespace
}  // namespace heed
