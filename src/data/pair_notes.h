// What files say about the pairs of a corpus, a line for each: links between their words, and how
// much they count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heed/data/corpus_store.h"
#include "heed/data/line_reader.h"

namespace heed {

// Names of files, or empty.
struct PairNoteFiles {
  // As `heed align` writes them: in Pharaoh's format, with words counted from 0.
  std::string links = {};
  std::string weights = {};  // a number of at least 0
};

class PairNotes {
 public:
  explicit PairNotes(const PairNoteFiles& files);

  // The next pair with what is known about it, valid until the next call. An Error names the line
  // if it is of another kind, or if a link is of a word that the pair does not have. A line that is
  // missing says nothing (see finish).
  PairView next(std::string_view source, std::string_view target);
  // The same for a pair that is not used.
  void skip();
  // After all pairs: an Error if a file has more lines or fewer.
  void finish();

 private:
  // The lines of one file.
  struct Lines {
    explicit Lines(const std::string& file) : reader(file) {}

    LineReader reader;
    std::string line = {};
  };

  // Whether there is such a file, and such a line.
  static bool read_line(std::optional<Lines>& lines);
  void finish(std::optional<Lines>& lines, std::string_view what) const;

  std::optional<Lines> links_, weights_;
  int64_t pairs_ = 0;
};

}  // namespace heed
