// Translation memories: TMX, an XML file of units (tu) with a variant (tuv) for each language.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/buffered_input.h"
#include "heed/data/pair_reader.h"

namespace heed {

// Reads one unit at a time, so that translation memories larger than RAM can be read.
class TmxReader : public PairReader {
 public:
  // Languages such as "en", which also matches "en-GB". If they are empty: the first two of the
  // first unit that has two. `name` is for errors.
  TmxReader(std::unique_ptr<ByteInput> input, std::string name, const std::string& source_language,
            const std::string& target_language);

  bool next(SentencePair& pair) override;

 private:
  bool read_until(std::string_view end, std::string& text);
  bool read_markup(std::string& text);
  bool read_start_tag(std::string& text);
  void check_declaration(const std::string& declaration) const;
  bool read_unit(std::string& unit);
  void choose_languages(const std::vector<std::string>& languages);
  [[noreturn]] void fail_in_unit() const;

  BufferedInput input_;
  std::string name_;
  std::string source_language_;
  std::string target_language_;
  int64_t line_ = 1;
  int64_t unit_line_ = 1;  // where the last unit begins
  bool is_tmx_ = false;
};

}  // namespace heed
