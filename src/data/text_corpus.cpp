#include "heed/data/text_corpus.h"

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/utf8_bytes.h"
#include "heed/data/line_reader.h"

namespace heed {

namespace {

constexpr size_t part_bytes = size_t{16} << 10;

// The sides of an entry: how the part lies in its document, and its text.
constexpr std::string_view whole = "whole", first = "first", middle = "middle", last = "last";

std::string_view place_of(bool begins, bool ends) {
  if (begins) return ends ? whole : first;
  return ends ? last : middle;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

bool is_usable(std::string_view line) { return is_utf8(line) && line.find('\0') == line.npos; }

// Where to cut a text of more than `part_bytes`: after a line, after a word, or between two
// characters.
size_t place_to_cut(std::string_view text) {
  const std::string_view head = text.substr(0, part_bytes);
  if (const size_t line = head.rfind('\n'); line != head.npos) return line + 1;
  if (const size_t word = head.rfind(' '); word != head.npos && word > 0) return word;
  size_t end = part_bytes;
  while (is_inside_character(text[end])) --end;
  return end;
}

// Cuts documents into parts.
class DocumentWriter {
 public:
  DocumentWriter(CorpusWriter& writer, TextReport& report) : writer_(writer), report_(report) {}

  void add_line(std::string_view line) {
    if (has_lines_) text_ += '\n';
    text_ += line;
    has_lines_ = true;
    while (text_.size() > part_bytes) {
      const size_t cut = place_to_cut(text_);
      write(std::string_view(text_).substr(0, cut), false);
      text_.erase(0, cut);
    }
  }

  void end_document() {
    if (!begins_ || !is_blank_text()) {
      write(text_, true);
      ++report_.documents;
    }
    text_.clear();
    begins_ = true;
    has_lines_ = false;
  }

 private:
  bool is_blank_text() const { return text_.find_first_not_of(" \t\n") == text_.npos; }

  void write(std::string_view part, bool ends) {
    writer_.add(place_of(begins_, ends), part);
    ++report_.parts;
    report_.bytes += static_cast<int64_t>(part.size());
    begins_ = false;
  }

  CorpusWriter& writer_;
  TextReport& report_;
  std::string text_;
  bool begins_ = true;
  bool has_lines_ = false;
};

void read_file(const std::string& file, DocumentEnd end, DocumentWriter& documents,
               TextReport& report) {
  LineReader lines(file);
  for (std::string line; lines.next(line);) {
    if (!is_usable(line)) {
      ++report.dropped;
      continue;
    }
    if (end == DocumentEnd::blank_line && is_blank(line)) {
      documents.end_document();
      continue;
    }
    documents.add_line(line);
    if (end == DocumentEnd::line) documents.end_document();
  }
  documents.end_document();
}

}  // namespace

TextPart text_part(const PairView& entry) {
  const bool known = entry.source == whole || entry.source == first || entry.source == middle ||
                     entry.source == last;
  require(known, "text: {} is no part of a document", quote(entry.source));
  return {.text = entry.target,
          .begins = entry.source == whole || entry.source == first,
          .ends = entry.source == whole || entry.source == last};
}

std::string TextReport::in_words() const {
  return fmt::format(
      "{} document{} of {} bytes{}", documents, documents == 1 ? "" : "s", bytes,
      dropped == 0 ? "" : fmt::format(", lines that are no text left out: {}", dropped));
}

TextReport prepare_text(const std::vector<std::string>& files, DocumentEnd end,
                        const std::filesystem::path& path) {
  CorpusWriter writer(path);
  TextReport report;
  DocumentWriter documents(writer, report);
  for (const std::string& file : files) read_file(file, end, documents, report);
  require(report.documents > 0, "{}: there is no text", fmt::format("{}", fmt::join(files, " ")));
  writer.commit();
  return report;
}

}  // namespace heed
