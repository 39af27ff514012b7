#include "heed/data/corpus.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/base/utf8_bytes.h"
#include "heed/data/corpus_store.h"
#include "heed/data/jsonl_reader.h"
#include "heed/data/line_reader.h"
#include "heed/data/mo_reader.h"
#include "heed/data/parallel_text_reader.h"
#include "heed/data/po_reader.h"
#include "heed/data/tmx_reader.h"
#include "heed/data/tsv_reader.h"

namespace heed {

namespace {

constexpr CorpusFormat all_formats[] = {CorpusFormat::text, CorpusFormat::tsv, CorpusFormat::jsonl,
                                        CorpusFormat::tmx,  CorpusFormat::po,  CorpusFormat::mo};

// `partner` is the target's file if the format needs two.
std::unique_ptr<PairReader> open_corpus(const CorpusInput& input, CorpusFormat format,
                                        const std::string& file, const std::string& partner) {
  switch (format) {
    case CorpusFormat::text:
      return std::make_unique<ParallelTextReader>(LineReader(file, input.check),
                                                  LineReader(partner, input.check), input.truncate);
    case CorpusFormat::tsv:
      return std::make_unique<TsvReader>(LineReader(file, input.check));
    case CorpusFormat::jsonl:
      return std::make_unique<JsonlReader>(LineReader(file, input.check), input.source,
                                           input.target);
    case CorpusFormat::tmx:
      return std::make_unique<TmxReader>(open_text(file, input.check), input_name(file),
                                         input.source, input.target);
    case CorpusFormat::po:
      // It may use a legacy encoding, which its header names.
      return std::make_unique<PoReader>(LineReader(file, {.refuse = false}));
    case CorpusFormat::mo:
      return std::make_unique<MoReader>(
          read_all(*open_bytes(file), MoReader::largest_file, input_name(file)), input_name(file));
  }
  __builtin_unreachable();
}

CorpusFormat format_of_file(const CorpusInput& input, const std::string& file) {
  return input.format ? *input.format : format_of(file);
}

// Calls `use` with a reader for each file, or for each pair of text files.
template <typename Use>
void for_each_reader(const CorpusInput& input, Use use) {
  for (size_t i = 0; i < input.files.size(); ++i) {
    const std::string& file = input.files[i];
    const CorpusFormat format = format_of_file(input, file);
    std::string partner;
    if (format == CorpusFormat::text) {
      const bool has_partner =
          ++i < input.files.size() && format_of_file(input, input.files[i]) == CorpusFormat::text;
      require(has_partner,
              "{}: is one side of a parallel text, but the file of the other side is missing{}",
              input_name(file),
              file == "-" ? ", or a format of one file (tsv, jsonl, tmx, po or mo)" : "");
      partner = input.files[i];
    }
    use(*open_corpus(input, format, file, partner));
  }
}

bool is_blank(std::string_view text) { return text.find_first_not_of(' ') == text.npos; }

}  // namespace

std::string_view name_of(CorpusFormat format) {
  switch (format) {
    case CorpusFormat::text:
      return "text";
    case CorpusFormat::tsv:
      return "tsv";
    case CorpusFormat::jsonl:
      return "jsonl";
    case CorpusFormat::tmx:
      return "tmx";
    case CorpusFormat::po:
      return "po";
    case CorpusFormat::mo:
      return "mo";
  }
  __builtin_unreachable();
}

std::optional<CorpusFormat> format_named(std::string_view name) {
  for (const CorpusFormat format : all_formats)
    if (name_of(format) == name) return format;
  return std::nullopt;
}

CorpusFormat format_of(const std::filesystem::path& path) {
  std::filesystem::path name = path.filename();
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  std::string extension = name.extension().string();
  if (extension.empty()) return CorpusFormat::text;
  for (char& letter : extension)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return format_named(extension.substr(1)).value_or(CorpusFormat::text);
}

std::string CorpusReport::reasons() const {
  std::vector<std::string> parts;
  for (int i = 0; i < drop_reasons; ++i)
    if (const auto reason = static_cast<Drop>(i); dropped_for(reason) > 0)
      parts.push_back(fmt::format("{} {}", dropped_for(reason), text_of(reason)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::optional<Drop> clean(SentencePair& pair, int64_t max_characters) {
  if (pair.drop) return pair.drop;
  for (std::string* side : {&pair.source, &pair.target}) {
    if (!is_utf8(*side)) return Drop::invalid_utf8;
    if (side->find('\0') != std::string::npos) return Drop::nul_character;
    for (char& letter : *side)
      if (letter >= '\t' && letter <= '\r') letter = ' ';
  }
  if (is_blank(pair.source) || is_blank(pair.target)) return Drop::empty_side;
  if (count_characters(pair.source) > max_characters ||
      count_characters(pair.target) > max_characters)
    return Drop::too_long;
  return std::nullopt;
}

void read_pairs(const CorpusInput& input, CorpusReport& report, const PairConsumer& consume,
                const DropConsumer& dropped) {
  for_each_reader(input, [&](PairReader& reader) {
    for (SentencePair pair; reader.next(pair);) {
      ++report.read;
      if (const std::optional<Drop> reason = clean(pair, input.max_characters)) {
        ++report.dropped[static_cast<size_t>(*reason)];
        if (dropped) dropped(*reason);
        continue;
      }
      ++report.kept;
      consume(pair.source, pair.target);
    }
  });
}

CorpusReport read_corpus(const CorpusInput& input, const PairConsumer& consume,
                         const DropConsumer& dropped) {
  require(!input.files.empty(), "corpus: no file was given");
  const auto is_standard = [](const std::string& file) { return is_standard_input(file); };
  require(std::ranges::count_if(input.files, is_standard) <= 1,
          "standard input can be read only once, but it was given several times");
  CorpusReport report;
  read_pairs(input, report, consume, dropped);
  const std::string names = fmt::format("{}{}", input_name(input.files.front()),
                                        input.files.size() > 1 ? " and the other files" : "");
  require(report.read > 0, "{}: there are no sentence pairs", names);
  require(report.kept > 0, "{}: none of the {} sentence pairs can be used: {}", names, report.read,
          report.reasons());
  return report;
}

CorpusReport prepare_corpus(const CorpusInput& input, const std::filesystem::path& path,
                            const PairNoteFiles& files) {
  CorpusWriter writer(path);
  PairNotes notes(files);
  CorpusReport report = read_corpus(
      input,
      [&](std::string_view source, std::string_view target) {
        writer.add(notes.next(source, target));
      },
      [&](Drop) { notes.skip(); });
  notes.finish();
  writer.commit();
  return report;
}

}  // namespace heed
