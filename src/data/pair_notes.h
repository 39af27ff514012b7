// What files say about the pairs of a corpus, a line for each: links between their words, how much
// they count, and tags.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
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
  std::string tags = {};     // see tag_name.h; an empty line for a pair without one
};

class PairNotes {
 public:
  explicit PairNotes(const PairNoteFiles& files);

  // The next pair with what is known about it, valid until the next call. An Error names the line
  // if it is of another kind, if a link is of a word that the pair does not have, or if there are
  // too many different tags. A line that is missing says nothing (see finish).
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

  std::string_view checked_tag(const std::string& line);

  std::optional<Lines> links_, weights_, tags_;
  std::set<std::string, std::less<>> known_tags_;
  int64_t pairs_ = 0;
};

}  // namespace heed
