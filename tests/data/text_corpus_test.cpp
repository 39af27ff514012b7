#include "heed/data/text_corpus.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using testing::error_of;
using testing::TemporaryFolder;

struct Part {
  std::string text;
  bool begins, ends;

  bool operator==(const Part&) const = default;
};

struct Read {
  std::vector<Part> parts;
  TextReport report;
};

Read read(const std::string& text, DocumentEnd end) {
  const TemporaryFolder folder;
  Read found;
  found.report = prepare_text({folder.put("a.txt", text)}, end, folder.path("a.parts"));
  const CorpusStore store(folder.path("a.parts"));
  for (int64_t i = 0; i < store.chunks(); ++i) {
    const CorpusChunk chunk = store.read(i);
    for (const PairView& entry : chunk.pairs) {
      const TextPart part = text_part(entry);
      found.parts.push_back({std::string(part.text), part.begins, part.ends});
    }
  }
  return found;
}

TEST(TextCorpus, DocumentsEndWhereTheyAreSaidTo) {
  const std::string text = "a b\r\n c\n\n \n\nd\n";
  const Read files = read(text, DocumentEnd::file);
  EXPECT_EQ(files.parts, (std::vector<Part>{{"a b\n c\n\n \n\nd", true, true}}));
  const Read blocks = read(text, DocumentEnd::blank_line);
  EXPECT_EQ(blocks.parts, (std::vector<Part>{{"a b\n c", true, true}, {"d", true, true}}));
  EXPECT_EQ(blocks.report.documents, 2);
  const Read lines = read(text, DocumentEnd::line);
  EXPECT_EQ(lines.parts,
            (std::vector<Part>{{"a b", true, true}, {" c", true, true}, {"d", true, true}}));
}

TEST(TextCorpus, ALongDocumentIsCutAfterLinesAndLosesNothing) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "line " + std::to_string(i) + "\n";
  const Read found = read(text, DocumentEnd::file);
  ASSERT_GT(found.parts.size(), 2u);
  std::string all;
  for (size_t i = 0; i < found.parts.size(); ++i) {
    EXPECT_EQ(found.parts[i].begins, i == 0);
    EXPECT_EQ(found.parts[i].ends, i + 1 == found.parts.size());
    EXPECT_TRUE(i == 0 || all.ends_with('\n'));
    all += found.parts[i].text;
  }
  EXPECT_EQ(all + "\n", text);
  EXPECT_EQ(found.report.documents, 1);
  EXPECT_EQ(found.report.bytes, std::ssize(all));
}

TEST(TextCorpus, ALongLineIsCutBetweenWordsOrCharacters) {
  for (const std::string& word : {std::string("word "), std::string("語")}) {
    std::string line;
    while (line.size() < 100'000) line += word;
    const Read found = read(line, DocumentEnd::line);
    ASSERT_GT(found.parts.size(), 4u);
    std::string all;
    for (const Part& part : found.parts) {
      EXPECT_NE(static_cast<uint8_t>(part.text[0]) & 0xC0, 0x80);
      all += part.text;
    }
    EXPECT_EQ(all, line);
  }
}

TEST(TextCorpus, WhatIsNoTextIsCountedOrRefused) {
  const Read found = read(
      "good\nb\xFF"
      "ad\nmore\n",
      DocumentEnd::file);
  EXPECT_EQ(found.parts, (std::vector<Part>{{"good\nmore", true, true}}));
  EXPECT_EQ(found.report.in_words(), "1 document of 9 bytes, lines that are no text left out: 1");
  EXPECT_NE(error_of([] { read("\n  \n", DocumentEnd::file); }).find("a.txt: there is no text"),
            std::string::npos);
  EXPECT_EQ(error_of([] {
              text_part({"neither", "x"});
            }),
            "text: \"neither\" is no part of a document");
}

}  // namespace
}  // namespace heed
