// gettext's MO files: compiled messages of programs and their translations.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "heed/data/charset_decoder.h"
#include "heed/data/pair_reader.h"

namespace heed {

// The header, which names the encoding, and the contexts of messages are left out.
class MoReader : public PairReader {
 public:
  // In bytes; the largest that are installed have a few million.
  static constexpr size_t largest_file = size_t{256} << 20;

  // An Error if the bytes are not an MO file; nothing in them is trusted.
  MoReader(std::string bytes, std::string name);

  bool next(SentencePair& pair) override;

 private:
  uint32_t number_at(uint64_t offset) const;
  // The string of entry `index` of the table at `table`.
  std::string_view string_at(uint32_t table, uint32_t index) const;

  std::string bytes_;
  std::string name_;
  bool swapped_ = false;  // written by a machine of the other byte order
  uint32_t messages_ = 0;
  uint32_t originals_ = 0;     // where the table of the originals begins
  uint32_t translations_ = 0;  // and that of the translations
  uint32_t next_ = 0;
  uint64_t given_ = 0;  // bytes of the messages so far
  CharsetDecoder decoder_;
  std::deque<SentencePair> waiting_;
};

}  // namespace heed
