#include "heed/data/corpus.h"

#include <gtest/gtest.h>

#include "compress.h"
#include "error_of.h"
#include "heed/data/corpus_store.h"
#include "mo_file.h"
#include "pairs_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using testing::error_of;
using testing::Pairs;
using testing::TemporaryFolder;

Pairs read(const CorpusInput& input) {
  Pairs pairs;
  read_corpus(input, [&](std::string_view source, std::string_view target) {
    pairs.emplace_back(source, target);
  });
  return pairs;
}

TEST(Corpus, TheNameOfAFileTellsItsFormat) {
  EXPECT_EQ(format_of("a.tsv"), CorpusFormat::tsv);
  EXPECT_EQ(format_of("dir.mo/a.TMX.gz"), CorpusFormat::tmx);
  EXPECT_EQ(format_of("a.po.zst"), CorpusFormat::po);
  EXPECT_EQ(format_of("a.jsonl"), CorpusFormat::jsonl);
  EXPECT_EQ(format_of("a.mo"), CorpusFormat::mo);
  for (const char* name : {"a", "train.en", "train.en.gz", ".gz", "a.text", "."})
    EXPECT_EQ(format_of(name), CorpusFormat::text) << name;
  EXPECT_EQ(format_named("tmx"), CorpusFormat::tmx);
  EXPECT_EQ(format_named("docx"), std::nullopt);
}

TEST(Corpus, EveryFormatCompressedOrNotGivesTheSamePairs) {
  const TemporaryFolder folder;
  const Pairs expected = {{"one", "eins"}, {"two words", "zwei Wörter"}};
  const std::vector<std::pair<std::string, std::string>> files = {
      {"a.tsv", "one\teins\ntwo words\tzwei Wörter\n"},
      {"a.jsonl",
       "{\"source\":\"one\",\"target\":\"eins\"}\n{\"source\":\"two words\",\"target\":\"zwei "
       "Wörter\"}\n"},
      {"a.tmx",
       "<tmx><body><tu><tuv lang='en'><seg>one</seg></tuv><tuv "
       "lang='de'><seg>eins</seg></tuv></tu><tu><tuv "
       "lang='en'><seg>two words</seg></tuv><tuv lang='de'><seg>zwei "
       "Wörter</seg></tuv></tu></body></tmx>"},
      {"a.po", "msgid \"one\"\nmsgstr \"eins\"\nmsgid \"two words\"\nmsgstr \"zwei Wörter\"\n"},
      {"a.mo", testing::mo_file({{"one", "eins"}, {"two words", "zwei Wörter"}})}};
  for (const auto& [name, text] : files) {
    EXPECT_EQ(read({.files = {folder.put(name, text)}}), expected) << name;
    EXPECT_EQ(read({.files = {folder.put(name + ".gz", testing::gzipped(text))}}), expected)
        << name;
    EXPECT_EQ(read({.files = {folder.put(name + ".zst", testing::zstd_packed(text))}}), expected)
        << name;
    EXPECT_EQ(read({.files = {folder.put("nameless", text)}, .format = format_of(name)}), expected)
        << name;
  }
  const std::string source = folder.put("a.en", "one\ntwo words\n");
  const std::string target = folder.put("a.de.zst", testing::zstd_packed("eins\r\nzwei Wörter"));
  EXPECT_EQ(read({.files = {source, target}}), expected);
}

TEST(Corpus, SeveralFilesAreOneCorpus) {
  const TemporaryFolder folder;
  EXPECT_EQ(read({.files = {folder.put("a.tsv", "1\teins\n"), folder.put("b.en", "2\n"),
                            folder.put("b.de", "zwei\n"), folder.put("c.tsv", "3\tdrei\n")}}),
            (Pairs{{"1", "eins"}, {"2", "zwei"}, {"3", "drei"}}));
}

TEST(Corpus, CountsWhatItDropsAndWhy) {
  const TemporaryFolder folder;
  const std::string file =
      folder.put("a.tsv", std::string("good\tgut\n") + "\xff\tx\n" + "x\t\xc3\n" +
                              std::string("nul\0\tx\n", 7) + "\tx\n" + "x\t \n" + "only one\n" +
                              "too long\tzu lang\n" + "ünürt\tübers\n");
  Pairs pairs;
  const CorpusReport report = read_corpus({.files = {file}, .max_characters = 5},
                                          [&](std::string_view source, std::string_view target) {
                                            pairs.emplace_back(source, target);
                                          });
  EXPECT_EQ(pairs, (Pairs{{"good", "gut"}, {"ünürt", "übers"}}));
  EXPECT_EQ(report.read, 9);
  EXPECT_EQ(report.kept, 2);
  EXPECT_EQ(report.dropped_for(Drop::invalid_utf8), 2);
  EXPECT_EQ(report.dropped_for(Drop::nul_character), 1);
  EXPECT_EQ(report.dropped_for(Drop::empty_side), 2);
  EXPECT_EQ(report.dropped_for(Drop::missing_column), 1);
  EXPECT_EQ(report.dropped_for(Drop::too_long), 1);
  EXPECT_EQ(report.reasons(),
            "2 not UTF-8, 1 NUL character, 2 empty side, 1 too long, 1 only one column");
}

TEST(Corpus, LineBreaksAndTabsInsideBecomeSpaces) {
  const TemporaryFolder folder;
  EXPECT_EQ(read({.files = {folder.put("a.po", "msgid \"a\\nb\\r\\n\"\nmsgstr \"\\tc \"\n")}}),
            (Pairs{{"a b  ", " c "}}));
}

TEST(Corpus, WithoutAUsablePairItIsAnError) {
  const TemporaryFolder folder;
  const std::string empty = folder.put("empty.tsv", ""),
                    useless = folder.put("useless.tsv", "\tx\ny\t\n");
  const auto sentence = [](const CorpusInput& input) { return error_of([&] { read(input); }); };
  EXPECT_EQ(sentence({.files = {}}), "corpus: no file was given");
  EXPECT_EQ(sentence({.files = {empty}}), empty + ": there are no sentence pairs");
  EXPECT_EQ(
      sentence({.files = {useless, empty}}),
      useless + " and the other files: none of the 2 sentence pairs can be used: 2 empty side");
}

TEST(Corpus, FilesMustMakeSenseTogether) {
  const TemporaryFolder folder;
  const std::string tsv = folder.put("a.tsv", "a\tb\n"), text = folder.put("a.en", "a\n");
  const auto sentence = [](const CorpusInput& input) { return error_of([&] { read(input); }); };
  const std::string lonely =
      ": is one side of a parallel text, but the file of the other side is missing";
  EXPECT_EQ(sentence({.files = {text}}), text + lonely);
  EXPECT_EQ(sentence({.files = {text, tsv}}), text + lonely);
  EXPECT_EQ(sentence({.files = {"-"}}),
            "standard input" + lonely + ", or a format of one file (tsv, jsonl, tmx, po or mo)");
  EXPECT_EQ(sentence({.files = {"-", "/dev/stdin"}}),
            "standard input can be read only once, but it was given several times");
}

TEST(Corpus, WhatIsNoTextIsRefusedUnlessItIsWanted) {
  const TemporaryFolder folder;
  const std::string zip =
      folder.put("a.tsv", std::string("PK\x03\x04\0\x01\n\x01\tx\nreal\ttext\n", 22));
  CorpusInput input{.files = {zip}, .check = {.advice = "; --force"}};
  EXPECT_EQ(error_of([&] { read(input); }), zip +
                                                ": looks like a ZIP archive or an office document, "
                                                "but text in UTF-8 was expected; --force");
  input.check.refuse = false;
  EXPECT_EQ(read(input).back(), (std::pair<std::string, std::string>{"real", "text"}));
}

TEST(Corpus, OldEncodingsOfMessagesAreNoReasonToRefuse) {
  const TemporaryFolder folder;
  const std::string file =
      folder.put("a.po", "msgid \"\"\nmsgstr \"charset=KOI8-R\\n\"\nmsgid \"yes\"\nmsgstr \"" +
                             std::string(200, '\xc4') + "\"\n");
  EXPECT_EQ(read({.files = {file}}).size(), 1u);
}

TEST(Corpus, IsPrepared) {
  const TemporaryFolder folder;
  const CorpusReport report = prepare_corpus(
      {.files = {folder.put("a.tsv", "one\teins\n\nx\ty\n")}}, folder.path("corpus"));
  EXPECT_EQ(report.kept, 2);
  const CorpusChunk chunk = CorpusStore(folder.path("corpus")).read(0);
  ASSERT_EQ(chunk.pairs.size(), 2u);
  EXPECT_EQ(chunk.pairs[1].target, "y");
  EXPECT_NE(
      error_of([&] { prepare_corpus({.files = {folder.path("none.tsv")}}, folder.path("other")); }),
      "");
  EXPECT_FALSE(std::filesystem::exists(folder.path("other")));
}

// Pairs that are dropped have lines, too.
TEST(Corpus, IsPreparedWithWhatIsKnownOfItsPairs) {
  const TemporaryFolder folder;
  const CorpusInput input = {.files = {folder.put("a.tsv", "one two\teins\n\t\nx\ty z\n")}};
  prepare_corpus(input, folder.path("corpus"),
                 {.links = folder.put("links", "1-0\n\n0-0 0-1\n"),
                  .weights = folder.put("weights", "2\n0\n0.5\n"),
                  .tags = folder.put("tags", "legal\nit\n\n")});
  const CorpusChunk chunk = CorpusStore(folder.path("corpus")).read(0);
  ASSERT_EQ(chunk.pairs.size(), 2u);
  EXPECT_EQ(chunk.pairs[0].links, "1-0");
  EXPECT_EQ(chunk.pairs[1].links, "0-0 0-1");
  EXPECT_EQ(chunk.pairs[0].weight, 2);
  EXPECT_EQ(chunk.pairs[1].weight, 0.5);
  EXPECT_EQ(chunk.pairs[0].tag, "legal");
  EXPECT_EQ(chunk.pairs[1].tag, "");
  const std::string few = folder.put("few", "1-0\n\n");
  EXPECT_EQ(error_of([&] { prepare_corpus(input, folder.path("other"), {.links = few}); }),
            few + ": there are 2 lines of links, but 3 sentence pairs");
  EXPECT_FALSE(std::filesystem::exists(folder.path("other")));
}

}  // namespace
}  // namespace heed
