// What reads text, and what learns and uses vocabularies.
#pragma once

#include <memory>

#include "../data/mo_file.h"
#include "compress.h"
#include "heed/data/corpus.h"
#include "heed/data/corpus_store.h"
#include "heed/data/vocabulary_training.h"
#include "memory_sweep.h"
#include "small_vocabulary.h"
#include "temporary_folder.h"

namespace heed::testing {

// All that a reader finds, and what it drops.
inline MemoryJob reading(const std::vector<std::pair<std::string, std::string>>& files) {
  const auto folder = std::make_shared<TemporaryFolder>(fast_folder());
  CorpusInput input;
  for (const auto& [name, text] : files) input.files.push_back(folder->put(name, text));
  return job_of([folder, input] {
    std::string found;
    const CorpusReport report =
        read_corpus(input, [&](std::string_view source, std::string_view target) {
          found.append(source).append("\t").append(target).append("\n");
        });
    return found + report.reasons();
  });
}

inline std::string some_lines(uint64_t first) {
  std::string text;
  for (uint64_t i = first; i < first + 8; ++i) text += made_up_sentence(i) + "\n";
  return text;
}

inline std::string some_columns() {
  return "one\teins\na single column\n" + made_up_sentence(1) + "\t" + made_up_sentence(2) + "\n";
}

inline std::string in_utf16(std::string_view ascii) {
  std::string bytes = "\xFF\xFE";
  for (const char letter : ascii) bytes.append(1, letter).append(1, '\0');
  return bytes;
}

inline MemoryJob reading_text() {
  return reading({{"a.en", some_lines(0)}, {"a.de", some_lines(100)}});
}
inline MemoryJob reading_tsv() { return reading({{"a.tsv", some_columns()}}); }
// More than comes out of a decompressor at once.
inline std::string many_columns() {
  std::string side, text;
  while (side.size() < 1500) side += made_up_sentence(side.size()) + " ";
  while (text.size() < 100000) text += side + "\t" + side + "\n";
  return text;
}
inline MemoryJob reading_gzip() { return reading({{"a.tsv.gz", gzipped(many_columns())}}); }
inline MemoryJob reading_zstd() { return reading({{"a.tsv.zst", zstd_packed(many_columns())}}); }
inline MemoryJob reading_utf16() {
  return reading({{"a.tsv", in_utf16("one\teins\ntwo\tzwei\n")}});
}

inline MemoryJob reading_jsonl() {
  return reading({{"a.jsonl",
                   "{\"source\": \"a sentence of some length\", \"target\": \"ein Satz\"}\n"
                   "{\"source\": \"a\", \"target\": \"b\", \"more\": [1, [2, {\"x\": null}]]}\n"
                   "{\"translation\": {\"en\": \"yes, of course it is\", \"de\": \"ja\"}}\n"
                   "{\"source\": \"half \\ud800\", \"target\": \"b\"}\n"
                   "{\"source\": \"a\", \"target\": \"b\", \"number\": 1e999999}\n"}});
}

inline MemoryJob reading_tmx() {
  const auto variant = [](const std::string& language, const std::string& segment) {
    return "<tuv xml:lang=\"" + language + "\"><seg>" + segment + "</seg></tuv>";
  };
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><tmx version=\"1.4\"><body>\n";
  text += "<tu>" + variant("en-US", "One &amp; two") + variant("de-DE", "Eins <it>x</it>") +
          "</tu>\n<tu>" + variant("en", made_up_sentence(1)) + variant("de", "zwei") +
          "</tu>\n<tu>" + variant("en", "a&#0;b") + variant("de", "b") + "</tu>\n";
  return reading({{"a.tmx", text + "</body></tmx>\n"}});
}

inline MemoryJob reading_po() {
  return reading({{"a.po",
                   "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=KOI8-R\\n\"\n\n"
                   "msgid \"yes\"\nmsgstr \"\xc4\xc1\"\n\n"
                   "#, fuzzy\nmsgid \"no\"\nmsgstr \"\xce\xc5\xd4\"\n\n"
                   "msgid \"one file of many\"\nmsgid_plural \"%d files of even more\"\n"
                   "msgstr[0] \"\xc4\xc1\"\nmsgstr[1] \"\xc4\xc1 \xc4\xc1\"\n"}});
}

inline MemoryJob reading_mo() {
  using std::literals::operator""s;
  return reading(
      {{"a.mo", mo_file({{"", "Content-Type: text/plain; charset=KOI8-R\n"},
                         {"yes", "\xc4\xc1"},
                         {"one file of many\0%d files"s, "\xc4\xc1\0\xc4\xc1 \xc4\xc1"s}})}});
}

// Into a prepared corpus and out of it.
inline MemoryJob preparing_a_corpus() {
  const auto folder = std::make_shared<TemporaryFolder>(fast_folder());
  const CorpusInput input = {.files = {folder->put("a.tsv", some_columns())}};
  return job_of([folder, input] {
    prepare_corpus(input, folder->path("corpus"));
    const CorpusStore store(folder->path("corpus"));
    std::string found;
    for (const PairView& pair : store.read(0).pairs) found.append(pair.source).append(pair.target);
    return found;
  });
}

inline MemoryJob learning_a_vocabulary(VocabularyKind kind) {
  return job_of([kind] {
    uint64_t next = 0;
    const bool has_subwords = kind == VocabularyKind::unigram || kind == VocabularyKind::bpe;
    const int size = has_subwords ? 40 : 0;
    return train_vocabulary({.kind = kind, .size = size},
                            [&](std::string& sentence) {
                              sentence = made_up_sentence(next, 20);
                              return next++ < 8;
                            })
        .bytes();
  });
}
inline MemoryJob learning_unigrams() { return learning_a_vocabulary(VocabularyKind::unigram); }
inline MemoryJob learning_bpe() { return learning_a_vocabulary(VocabularyKind::bpe); }
inline MemoryJob learning_characters() { return learning_a_vocabulary(VocabularyKind::characters); }
inline MemoryJob learning_words() { return learning_a_vocabulary(VocabularyKind::words); }

// Text to pieces and back, with a vocabulary that is there and with one that is loaded.
inline MemoryJob using_a_vocabulary(bool load) {
  return job_of([load] {
    const Vocabulary vocabulary =
        load ? Vocabulary::from_bytes(small_vocabulary().bytes()) : small_vocabulary();
    std::string found;
    for (uint64_t i = 0; i < 3; ++i) {
      const std::string text = made_up_sentence(i) + " \xE2\x82\xAC";
      for (const std::vector<int32_t>& ids :
           {vocabulary.encode(text), vocabulary.sample(text, 0.1, make_key(i))}) {
        for (const int32_t id : ids) found += vocabulary.piece(id) + " ";
        found += vocabulary.decode(ids);
      }
      for (const std::string& part : vocabulary.unknown_parts(text)) found += part;
    }
    return found;
  });
}
inline MemoryJob encoding() { return using_a_vocabulary(false); }
inline MemoryJob loading_a_vocabulary() { return using_a_vocabulary(true); }

}  // namespace heed::testing
