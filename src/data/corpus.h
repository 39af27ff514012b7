// Parallel text from files of any of the formats, cleaned, with an account of what was dropped and
// why.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/pair_notes.h"
#include "heed/data/pair_reader.h"
#include "heed/data/text_check.h"

namespace heed {

enum class CorpusFormat { text, tsv, jsonl, tmx, po, mo };

std::string_view name_of(CorpusFormat format);
std::optional<CorpusFormat> format_named(std::string_view name);

// The format by the extension of a file, ignoring .gz and .zst; text if it is unknown.
CorpusFormat format_of(const std::filesystem::path& path);

struct CorpusInput {
  // Each may be compressed; "-" is standard input, which is text unless a format is given. Text
  // files come in pairs, a source and its target.
  std::vector<std::string> files;
  std::optional<CorpusFormat> format = {};  // of all files; otherwise by the extension of each

  // Languages of TMX and keys of JSONL; if empty, the first two found.
  std::string source = {};
  std::string target = {};

  bool truncate = false;          // two text files may have different numbers of lines
  int64_t max_characters = 2000;  // characters of a side

  TextCheck check = {};  // of all formats that are text in UTF-8
};

struct CorpusReport {
  int64_t read = 0;
  int64_t kept = 0;
  std::array<int64_t, drop_reasons> dropped = {};

  int64_t dropped_for(Drop reason) const { return dropped[static_cast<size_t>(reason)]; }

  // "2 not UTF-8, 1 empty side", or nothing.
  std::string reasons() const;
};

using PairConsumer = std::function<void(std::string_view source, std::string_view target)>;
using DropConsumer = std::function<void(Drop reason)>;

// Passes every usable pair to `consume`. A pair is dropped if a side is empty or blank, is not
// UTF-8, holds a NUL character or is too long. Tabs and line breaks inside a side become spaces,
// since a sentence is a line everywhere else; nothing else is changed. An Error if a file cannot be
// read or has the wrong format, or if no pair is usable. `dropped` is told of the pairs that are
// not used, in their places among the others.
CorpusReport read_corpus(const CorpusInput& input, const PairConsumer& consume,
                         const DropConsumer& dropped = {});

// The same for a part of a corpus: adds to the report, and may find no pair.
void read_pairs(const CorpusInput& input, CorpusReport& report, const PairConsumer& consume,
                const DropConsumer& dropped = {});

// The same into a prepared corpus (see corpus_store.h), with what files say about its pairs.
CorpusReport prepare_corpus(const CorpusInput& input, const std::filesystem::path& path,
                            const PairNoteFiles& files = {});

// Replaces line breaks and tabs by spaces. Returns the reason if the pair cannot be used.
std::optional<Drop> clean(SentencePair& pair, int64_t max_characters);

}  // namespace heed
