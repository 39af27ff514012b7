// Every format of parallel text, plain, packed and in other encodings.
#pragma once

#include "../data/mo_file.h"
#include "compress.h"
#include "heed/data/corpus.h"
#include "heed/data/labelled_reader.h"
#include "reader.h"

namespace heed::testing {

namespace samples {

inline const std::string tsv =
    "A dog runs.\tEin Hund läuft.\n"
    "two   spaces \tzwei Leerzeichen\tand a third column\r\n"
    "no tab at all\n"
    "\tan empty side\n"
    "\n"
    "漢字 😀 e\xCC\x81\tein „Zitat“ – mit Strich\n";

inline const std::string jsonl = R"({"source": "A dog runs.", "target": "Ein Hund läuft.", "id": 1}
{"target": "\u00dcber \ud83d\ude00\n\"", "source": "about\t\\", "score": -12.5e-1}

{"source": "x", "target": "y", "more": {"a": [1, 2, {"b": null}], "c": true}}
{"source": "late", "target": "sp\u00e4t", "source": "twice"}
)";

inline const std::string nested_jsonl =
    R"({"translation": {"en": "A dog", "de": "Ein Hund"}, "n": 0.5}
{"id": "7", "translation": {"en": "two", "de": "zwei", "fr": "deux"}}
)";

inline const std::string tmx = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
<header srclang="en-US" datatype="plaintext"><note>a > b</note></header>
<!-- <tu> in a comment -->
<body>
<tu tuid="1" note="1 > 0"><tuv xml:lang="en-US"><seg>A dog &amp; a cat.</seg></tuv>
<tuv xml:lang="de"><seg>Ein Hund &#38; eine <bpt i="1">&lt;b></bpt>Katze<ept i="1"/>.</seg></tuv>
</tu>
<tu><tuv lang="EN_gb"><seg><![CDATA[1 < 2]]></seg></tuv>
<tuv lang="de-AT"><seg>&#x20AC; 漢</seg></tuv>
<tuv lang="fr"><seg>un</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>alone</seg></tuv></tu>
</body>
</tmx>
)";

inline const std::string po_header =
    "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=";

inline const std::string po_messages = R"(
#: main.c:12
msgctxt "menu"
msgid "Open"
msgstr "Öffnen"

#, fuzzy, c-format
msgid "a\tb \x41\102 \"quoted\""
msgstr "ein"
" Satz\n"

#, c-format
msgid "%d file"
msgid_plural "%d files"
msgstr[0] "%d Datei"
msgstr[1] "%d Dateien"

#~ msgid "old"
#~ msgstr "alt"
)";

inline const std::string po = po_header + "UTF-8\\n\"\n" + po_messages;

// The same in an encoding of one byte per letter.
inline std::string latin_po() {
  std::string messages = po_messages;
  messages.replace(messages.find("Ö"), 2, "\xD6");
  return po_header + "ISO-8859-1\\n\"\n" + messages;
}

inline std::string mo(bool swapped) {
  return mo_file({{"", "Content-Type: text/plain; charset=UTF-8\n"},
                  {"A dog", "Ein Hund"},
                  {"menu\4Open", "Öffnen"},
                  {std::string("%d file\0%d files", 16), std::string("%d Datei\0%d Dateien", 19)},
                  {"untranslated", ""}},
                 swapped);
}

inline std::string utf16(std::u16string_view text, bool big_endian) {
  std::string bytes = big_endian ? "\xFE\xFF" : "\xFF\xFE";
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
    bytes += big_endian ? high : low;
    bytes += big_endian ? low : high;
  }
  return bytes;
}

inline const std::u16string wide_tsv =
    u"A dog 😀\tEin Hund läuft.\n漢字\tzwei\r\nline\u2028two\tx\n";

}  // namespace samples

// Every pair that comes out can be learnt from.
inline void read_as_corpus(const CorpusInput& input) {
  const CorpusReport report =
      read_corpus(input, [&](std::string_view source, std::string_view target) {
        for (const std::string_view side : {source, target}) {
          expect_text(side);
          EXPECT_NE(side.find_first_not_of(' '), side.npos);
        }
      });
  int64_t dropped = 0;
  for (const int64_t count : report.dropped) dropped += count;
  EXPECT_EQ(report.read, report.kept + dropped);
}

// A corpus in one file, whose name says the format.
inline Reader corpus_reader(const std::string& name, const std::string& file,
                            const std::string& text, bool notices_cuts = false) {
  return {
      .name = name,
      .write = [=](const TemporaryFolder& folder) { folder.put(file, text); },
      .files = {file},
      .read =
          [=](const TemporaryFolder& folder) { read_as_corpus({.files = {folder.path(file)}}); },
      .notices_cuts = notices_cuts};
}

inline Reader parallel_text_reader() {
  return {
      .name = "ParallelText",
      .write =
          [](const TemporaryFolder& folder) {
            folder.put("a.en",
                       "\xEF\xBB\xBF"
                       "A dog runs.\nTwo cats.\r\n\n漢字 😀\nlast\n");
            folder.put("a.de", "Ein Hund läuft.\nZwei Katzen.\n\n“Zitat”\tmit Tab\nletzte");
          },
      .files = {"a.en", "a.de"},
      .read =
          [](const TemporaryFolder& folder) {
            read_as_corpus({.files = {folder.path("a.en"), folder.path("a.de")}, .truncate = true});
          }};
}

inline Reader labelled_reader(const std::string& name, const std::string& file,
                              const std::string& texts) {
  return {.name = name,
          .write = [=](const TemporaryFolder& folder) { folder.put(file, texts); },
          .files = {file},
          .read =
              [=](const TemporaryFolder& folder) {
                LabelledReader reader(LineReader(folder.path(file)), labelled_format(file));
                for (LabelledText text; reader.next(text);) {
                  EXPECT_TRUE(is_utf8(text.text));
                  for (const std::string& label : text.labels) EXPECT_FALSE(label.empty());
                }
              },
          .refused = 0.1};
}

inline std::vector<Reader> corpus_readers() {
  using namespace samples;
  return {
      parallel_text_reader(),
      corpus_reader("Tsv", "a.tsv", tsv),
      corpus_reader("Jsonl", "a.jsonl", jsonl),
      corpus_reader("NestedJsonl", "a.jsonl", nested_jsonl),
      labelled_reader("LabelledTsv", "a.tsv",
                      "pos\ta fine film\nneg\tdull\npos\tgr\u00fc\u00dfe\n"),
      labelled_reader("LabelledJsonl", "a.jsonl",
                      "{\"text\": \"a\", \"label\": \"x\"}\n"
                      "{\"text\": \"d\", \"labels\": [\"x\", 3]}\n"),
      corpus_reader("Tmx", "a.tmx", tmx),
      corpus_reader("Po", "a.po", po),
      corpus_reader("LatinPo", "a.po", latin_po()),
      corpus_reader("Mo", "a.mo", mo(false), true),
      corpus_reader("BigEndianMo", "a.mo", mo(true), true),
      corpus_reader("Gzip", "a.tsv.gz", gzipped(tsv) + gzipped(tsv)),
      corpus_reader("GzippedTmx", "a.tmx.gz", gzipped(tmx), true),
      corpus_reader("Zstd", "a.tsv.zst", zstd_packed(tsv) + zstd_packed(tsv)),
      corpus_reader("ZstdPackedMo", "a.mo.zst", zstd_packed(mo(false)), true),
      corpus_reader("Utf16", "a.tsv", utf16(wide_tsv, false)),
      corpus_reader("BigEndianUtf16", "a.tsv", utf16(wide_tsv, true)),
  };
}

}  // namespace heed::testing
